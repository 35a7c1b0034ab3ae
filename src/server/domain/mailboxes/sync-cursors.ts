import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { ClaimedSync } from './claim-syncs.ts'

/**
 * The location of an email on its server. UIDs are valid only together with their UIDVALIDITY (RFC 3501 section
 * 2.3.1.1).
 */
export type MailLocation = { path: string; uidValidity: bigint; uid: number }

/** Progress of a folder's sync: everything up to `lastUid` is done, and the next email failed `tries` times. */
type SyncCursor = { lastUid: number; tryingUid: number | null; tries: number }

/**
 * Finds a folder's cursor. Returns undefined when the folder was never synced, has another UIDVALIDITY, or has a
 * UIDNEXT at or below the cursor: the server was probably restored from a backup.
 */
export async function findCursor(
  tx: Sql,
  mailboxId: string,
  {
    path,
    uidValidity,
    uidNext,
  }: Pick<MailLocation, 'path' | 'uidValidity'> & { uidNext: number | undefined },
): Promise<SyncCursor | undefined> {
  const [folder] = await tx<SyncCursor[]>`
    select last_uid::float8 as "lastUid", trying_uid::float8 as "tryingUid", tries
      from mailbox_folders
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and path = ${path}
       and uid_validity = ${uidValidity} and last_uid < coalesce(${uidNext ?? null}::bigint, last_uid + 1)`
  return folder
}

/** Moves the cursor to this email. Returns false when the claim is lost. */
export async function storeCursor(tx: Sql, claim: ClaimedSync, location: MailLocation): Promise<boolean> {
  const stored = await tx`
    insert into mailbox_folders (account_id, mailbox_id, path, uid_validity, last_uid)
    ${selectClaimed(tx, claim, tx`${location.path}, ${location.uidValidity}::bigint, ${location.uid}::bigint`)}
    on conflict (account_id, mailbox_id, path) do update
       set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, trying_uid = null, tries = 0,
           updated_at = now()`
  return stored.count === 1
}

/** Counts an attempt to fetch the email and returns the number so far; undefined when the claim is lost. */
export async function countFetch(
  tx: Sql,
  claim: ClaimedSync,
  { path, uidValidity, uid }: MailLocation,
): Promise<number | undefined> {
  const fields = tx`${path}, ${uidValidity}::bigint, ${uid}::bigint - 1, ${uid}::bigint, 1`
  const [folder] = await tx<{ tries: number }[]>`
    insert into mailbox_folders as f (account_id, mailbox_id, path, uid_validity, last_uid, trying_uid, tries)
    ${selectClaimed(tx, claim, fields)}
    on conflict (account_id, mailbox_id, path) do update
       set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, trying_uid = excluded.trying_uid,
           tries = case when (f.uid_validity, f.trying_uid) = (excluded.uid_validity, excluded.trying_uid)
                        then f.tries + 1 else 1 end,
           updated_at = now()
    returning tries`
  return folder?.tries
}

/** Uncounts the attempt, because it failed for reasons other than the email itself. */
export const uncountFetch = (
  tx: Sql,
  { mailboxId }: ClaimedSync,
  { path, uidValidity, uid }: MailLocation,
) => tx`
  update mailbox_folders
     set tries = tries - 1
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and path = ${path}
     and uid_validity = ${uidValidity} and trying_uid = ${uid} and tries > 0`

/** Records that the email is skipped for good, with the reason. */
export const recordSkippedMail = (
  tx: Sql,
  { mailboxId }: ClaimedSync,
  location: MailLocation,
  reason: string,
) => tx`
  insert into mailbox_skips (account_id, mailbox_id, path, uid_validity, uid, reason)
  values (current_account_id(), ${mailboxId}, ${location.path}, ${location.uidValidity}, ${location.uid}, ${reason})
  on conflict do nothing`

/** Selects the mailbox if the claim still holds, and locks its settings against changes. */
const selectClaimed = (tx: Sql, { mailboxId, epoch }: ClaimedSync, fields: Fragment) => tx`
    select account_id, mailbox_id, ${fields}
      from mailbox_syncs
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}
       for share`
