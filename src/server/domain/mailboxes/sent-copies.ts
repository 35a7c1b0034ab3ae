import { findProviderBySmtp, type MailProvider, mailProviders } from '../../../contract/mail-providers.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { ClaimedSync } from './claim-syncs.ts'

/** Delay before a copy is stored, so that a provider that stores copies itself does so first. */
const DELAY_MS = 20_000
const BACKOFF = { baseMs: 60_000, maxMs: 3_600_000 }
const MAX_ATTEMPTS = 5
/** Copies for a mailbox that can't be synced for this long are dropped. */
const RETENTION_MS = 3 * 24 * 3_600_000
const MAX_COPIES_PER_SYNC = 50
const DELETE_BATCH = 1_000

/** A queued copy of a sent email, with the email's Message-IDs: our own and any that a server replaced it with. */
export type SentCopy = { messageId: string; messageIdHeaders: string[] }

/** Returns whether mailboxes on this server need copies: true unless its provider is known to store sent emails. */
export function needsSentCopies(smtpHost: string | undefined): boolean {
  const key = smtpHost && findProviderBySmtp(smtpHost)
  const provider: Partial<MailProvider> = key ? mailProviders[key] : {}
  return !provider.storesSentMail
}

/** Returns the email as stored in the Sent folder: with the Bcc header, which recipients don't receive. */
export function toSentCopy(bytes: Buffer, bcc: readonly { email: string }[] = []): Buffer {
  if (bcc.length === 0) return bytes
  return Buffer.concat([Buffer.from(`Bcc: ${bcc.map(({ email }) => email).join(',\r\n ')}\r\n`), bytes])
}

/** Queues the copy of a sent email. Does nothing if the mailbox is not synced. */
export const queueSentCopy = (
  tx: Sql,
  { messageId, mailboxId, raw, now }: { messageId: string; mailboxId: string; raw: Buffer; now: Date },
) => tx`
  insert into sent_copies (account_id, message_id, mailbox_id, raw, due_at)
  select account_id, ${messageId}, mailbox_id, ${raw}, ${new Date(now.getTime() + DELAY_MS)}
    from mailbox_syncs
   where account_id = current_account_id() and mailbox_id = ${mailboxId}
  on conflict do nothing`

/** Lists the copies that are due in a mailbox, oldest first. */
export const findDueCopies = (tx: Sql, mailboxId: string, now: Date): Promise<SentCopy[]> => tx<SentCopy[]>`
  select c.message_id as "messageId",
         m.message_id || array(select a.message_id
                                 from email_message_aliases a
                                where a.account_id = m.account_id and a.email_message_id = m.id) as "messageIdHeaders"
    from sent_copies c
    join email_messages m on m.account_id = c.account_id and m.id = c.message_id
   where c.account_id = current_account_id() and c.mailbox_id = ${mailboxId} and c.due_at <= ${now}
   order by c.due_at
   limit ${MAX_COPIES_PER_SYNC}`

/**
 * Counts an attempt to store a copy before the attempt is made, so that a copy that breaks the connection is not
 * retried on every sync. Returns the email and whether this is the last attempt; undefined when the claim is lost or
 * the copy is gone.
 */
export async function countCopyAttempt(
  tx: Sql,
  { mailboxId, epoch }: ClaimedSync,
  messageId: string,
  now: Date,
): Promise<{ raw: Buffer; isLast: boolean } | undefined> {
  const [copy] = await tx<{ raw: Buffer; attempts: number }[]>`
    update sent_copies c
       set attempts = c.attempts + 1
      from mailbox_syncs i
     where c.account_id = current_account_id() and c.message_id = ${messageId} and c.mailbox_id = ${mailboxId}
       and i.account_id = c.account_id and i.mailbox_id = c.mailbox_id and i.epoch = ${epoch}
    returning c.raw, c.attempts`
  if (!copy) return undefined
  await tx`
    update sent_copies set due_at = ${nextAttemptAt(now, copy.attempts - 1, BACKOFF)}
     where account_id = current_account_id() and message_id = ${messageId}`
  return { raw: copy.raw, isLast: copy.attempts >= MAX_ATTEMPTS }
}

/**
 * Removes a copy from the queue. `reason` says why the copy was dropped, and is shown with the mailbox; null if the
 * copy is in the Sent folder.
 */
export async function dequeueSentCopy(
  tx: Sql,
  mailboxId: string,
  messageId: string,
  reason: string | null,
): Promise<void> {
  await tx`delete from sent_copies where account_id = current_account_id() and message_id = ${messageId}`
  await setSentCopyError(tx, mailboxId, reason)
}

const setSentCopyError = (tx: Sql, mailboxId: string, reason: string | null) => tx`
  update mailbox_syncs
     set sent_copy_error = ${reason},
         sent_copy_error_since = case when ${reason}::text is not null then coalesce(sent_copy_error_since, now()) end,
         updated_at = now()
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and sent_copy_error is distinct from ${reason}`

/** Deletes the queued copies of a mailbox whose setting `savesSentCopies` was turned off. */
export async function dropSentCopies(tx: Sql, mailboxId: string): Promise<void> {
  await tx`delete from sent_copies where account_id = current_account_id() and mailbox_id = ${mailboxId}`
  await setSentCopyError(tx, mailboxId, null)
}

/** Deletes copies that are still queued after `RETENTION_MS`. Requires the engine's role. */
export const deleteOldCopies = (engine: Sql, now: Date) => engine`
  delete from sent_copies
   where (account_id, message_id) in (
           select account_id, message_id from sent_copies
            where created_at < ${new Date(now.getTime() - RETENTION_MS)}
            order by created_at
            limit ${DELETE_BATCH})`
