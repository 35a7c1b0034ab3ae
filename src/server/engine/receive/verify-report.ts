import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import type { BounceClass, ReportedRecipient } from '../../protocols/mail-reading/classify.ts'

/** One of our emails that was, or may have been, sent, with its recipients. */
export type ReportedMail = { id: string; emails: string[] }

/** A report that matches a sent email, with the recipients it concerns. */
export type VerifiedReport = {
  sent: ReportedMail
  recipients: { email: string; class: BounceClass; status?: string | undefined }[]
}

/** Finds our sent emails with these Message-IDs, in their order. */
export const findReportedMails = (tx: Sql, ids: readonly string[]): PromiseLike<ReportedMail[]> => tx<
  ReportedMail[]
>`
  select m.id, e.recipient_emails as emails
    from unnest(${[...ids]}::text[]) with ordinality named(id, position)
   cross join lateral (
          (select id from email_messages
            where account_id = current_account_id() and message_id = named.id and type <> 'received' limit 5)
           union all
          (select email_message_id from email_message_aliases
            where account_id = current_account_id() and message_id = named.id)) m
    join email_sends e on e.account_id = current_account_id() and e.message_id = m.id
   -- A message that is queued again may have been sent before.
   where e.state in ('dot_pending', 'sent', 'unconfirmed') or e.is_repeat
   order by named.position`

/**
 * Verifies a report against the emails it names. Anyone can forge a report, but only recipients of an email know its
 * Message-ID, so a report is valid only for that email and its recipients. A report without an address applies to an
 * email's only recipient. Returns undefined when nothing matches.
 */
export function verifyReport(
  reported: readonly ReportedRecipient[],
  sentEmails: readonly ReportedMail[],
): VerifiedReport | undefined {
  const named = reported.flatMap(({ address, ...report }) => {
    const email = canonicalEmail(address)
    return email ? [{ email, ...report }] : []
  })
  for (const sent of sentEmails) {
    const recipients = named.filter(({ email }) => sent.emails.includes(email))
    if (recipients.length > 0) return { sent, recipients }
  }
  const [sent] = sentEmails
  if (!sent || named.length > 0 || sent.emails.length !== 1) return undefined
  const { class: bounceClass = 'unknown' as const, status } = reported[0] ?? {}
  return { sent, recipients: [{ email: sent.emails[0]!, class: bounceClass, status }] }
}
