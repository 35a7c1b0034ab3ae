import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import type { BounceClass, ReportedRecipient } from '../../protocols/mail-reading/classify.ts'

/** A mail of ours that left, or may have, and the addresses that it went to. */
export type SentMail = { id: string; emails: string[] }

/** What a report says of addresses that the mail it names went to. */
export type Believed = {
  sent: SentMail
  recipients: { email: string; class: BounceClass; status?: string | undefined }[]
}

/** Mails of ours under these ids, in their order. */
export const findReported = (tx: Sql, ids: readonly string[]): PromiseLike<SentMail[]> => tx<SentMail[]>`
  select m.id, e.recipient_emails as emails
    from unnest(${[...ids]}::text[]) with ordinality named(id, place)
   cross join lateral (
          (select id from email_messages
            where account_id = current_account_id() and message_id = named.id and type <> 'received' limit 5)
           union all
          (select email_message_id from email_message_aliases
            where account_id = current_account_id() and message_id = named.id)) m
    join email_sends e on e.account_id = current_account_id() and e.message_id = m.id
   -- One that waits to be sent again may have left before.
   where e.state in ('dot_pending', 'sent', 'unconfirmed') or e.is_repeat
   order by named.place`

/**
 * Anybody can write a report, but only who got a mail of ours knows its id. So it is believed about that mail alone,
 * and about an address only when that mail went there. One that names nobody means whom the mail went to, if that
 * was one.
 */
export function believe(
  reported: readonly ReportedRecipient[],
  mails: readonly SentMail[],
): Believed | undefined {
  const named = reported.flatMap(({ address, ...what }) => {
    const email = canonicalEmail(address)
    return email ? [{ email, ...what }] : []
  })
  for (const sent of mails) {
    const recipients = named.filter(({ email }) => sent.emails.includes(email))
    if (recipients.length > 0) return { sent, recipients }
  }
  const [sent] = mails
  if (!sent || named.length > 0 || sent.emails.length !== 1) return undefined
  const { class: given = 'unknown' as const, status } = reported[0] ?? {}
  return { sent, recipients: [{ email: sent.emails[0]!, class: given, status }] }
}
