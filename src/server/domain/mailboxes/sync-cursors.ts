import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { ClaimedReading } from './claim-syncs.ts'

/** A mail's place on its server. UIDs mean something within one uidValidity alone. */
export type MailPlace = { path: string; uidValidity: bigint; uid: number }

/** Up to which UID a folder was read, and which mail was begun so often and not done. */
export type FolderPosition = { lastUid: number; tryingUid: number | null; tries: number }

/**
 * Undefined when the folder was not read yet, only under another uidValidity, or further than the server has mails:
 * then it was set back, from a backup it may be.
 */
export async function findPosition(
  tx: Sql,
  mailboxId: string,
  { path, uidValidity, uidNext }: Pick<MailPlace, 'path' | 'uidValidity'> & { uidNext: number | undefined },
): Promise<FolderPosition | undefined> {
  const [folder] = await tx<FolderPosition[]>`
    select last_uid::float8 as "lastUid", trying_uid::float8 as "tryingUid", tries
      from mailbox_folders
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and path = ${path}
       and uid_validity = ${uidValidity} and last_uid < coalesce(${uidNext ?? null}::bigint, last_uid + 1)`
  return folder
}

/** Everything up to this mail is done. False when the claim is void. */
export async function storePosition(tx: Sql, claim: ClaimedReading, place: MailPlace): Promise<boolean> {
  const stored = await tx`
    insert into mailbox_folders (account_id, mailbox_id, path, uid_validity, last_uid)
    ${heldReading(tx, claim, tx`${place.path}, ${place.uidValidity}::bigint, ${place.uid}::bigint`)}
    on conflict (account_id, mailbox_id, path) do update
       set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, trying_uid = null, tries = 0,
           updated_at = now()`
  return stored.count === 1
}

/** The mail is about to be tried: how often, this time included. Undefined when the claim is void. */
export async function countTry(
  tx: Sql,
  claim: ClaimedReading,
  { path, uidValidity, uid }: MailPlace,
): Promise<number | undefined> {
  const fields = tx`${path}, ${uidValidity}::bigint, ${uid}::bigint - 1, ${uid}::bigint, 1`
  const [folder] = await tx<{ tries: number }[]>`
    insert into mailbox_folders as f (account_id, mailbox_id, path, uid_validity, last_uid, trying_uid, tries)
    ${heldReading(tx, claim, fields)}
    on conflict (account_id, mailbox_id, path) do update
       set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, trying_uid = excluded.trying_uid,
           tries = case when (f.uid_validity, f.trying_uid) = (excluded.uid_validity, excluded.trying_uid)
                        then f.tries + 1 else 1 end,
           updated_at = now()
    returning tries`
  return folder?.tries
}

/** The try failed for no fault of the mail. */
export const giveTryBack = (
  tx: Sql,
  { mailboxId }: ClaimedReading,
  { path, uidValidity, uid }: MailPlace,
) => tx`
  update mailbox_folders
     set tries = tries - 1
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and path = ${path}
     and uid_validity = ${uidValidity} and trying_uid = ${uid} and tries > 0`

/** The mail is left out, for that reason. */
export const storeSkip = (tx: Sql, { mailboxId }: ClaimedReading, place: MailPlace, reason: string) => tx`
  insert into mailbox_skips (account_id, mailbox_id, path, uid_validity, uid, reason)
  values (current_account_id(), ${mailboxId}, ${place.path}, ${place.uidValidity}, ${place.uid}, ${reason})
  on conflict do nothing`

/** The reading as long as the claim holds; locked, so that no change of its settings comes in between. */
const heldReading = (tx: Sql, { mailboxId, epoch }: ClaimedReading, fields: Fragment) => tx`
    select account_id, mailbox_id, ${fields}
      from mailbox_readings
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}
       for share`
