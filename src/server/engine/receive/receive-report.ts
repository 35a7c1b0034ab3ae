import { randomUUIDv7 } from 'node:crypto'
import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { recordOptOutRequest } from '../../domain/dnc/record-opt-out-request.ts'
import { markMailboxFailing } from '../../domain/mailboxes/circuit-breaker.ts'
import { findBounceClasses, findRefusingDomains, ingestMail } from '../../domain/messages/received-mails.ts'
import { setDelivery } from '../../domain/messages/write-email-messages.ts'
import { recordReport } from '../../domain/outbox/pause-on-bounces.ts'
import { confirmSend } from '../../domain/outbox/sends.ts'
import { selectPersonIds } from '../../domain/people/persons/person-aliases.ts'
import { selectEmailPersonId } from '../../domain/people/persons/person-emails.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { BounceClass } from '../../protocols/mail-reading/classify.ts'
import { duplicateResult, type IncomingMail, ignoredResult, type ReceiveResult } from './incoming-mail.ts'
import { toMessageIds } from './match-mail.ts'
import { findReportedMails, type ReportedMail, type VerifiedReport, verifyReport } from './verify-report.ts'

const DAY_MS = 86_400_000
/** One server may refuse a sender for its own reasons; several within a day indicate a problem with the mailbox. */
const MAX_REFUSING_DOMAINS = 3
const classesBySeverity: BounceClass[] = ['hard', 'policy', 'unknown', 'soft']

/** Receives a bounce or spam complaint. Acts only on a verified report; the report itself is not stored. */
export async function receiveReport(
  tx: Sql,
  incoming: IncomingMail,
  kind: 'bounce' | 'complaint',
): Promise<ReceiveResult> {
  const { mail, mailbox, classified, fingerprint } = incoming
  const ids = [...classified.originalMessageIds, ...toMessageIds(classified.envelopeTokens, mailbox)].slice(
    0,
    60,
  )
  const recipients = classified.recipients.filter(({ isDelayed }) => !isDelayed)
  if (recipients.length === 0 && classified.recipients.length > 0)
    return ignoredResult(kind, 'the email is delayed and will be retried')
  const sentEmails = await findReportedMails(tx, ids)
  const report =
    verifyReport(recipients, sentEmails) ?? (kind === 'complaint' ? verifyReport([], sentEmails) : undefined)
  if (!report)
    return ignoredResult(kind, 'it does not reference any email that we sent to the recipient it reports')
  const ingested = {
    id: randomUUIDv7(),
    fingerprint,
    mailboxId: mailbox.id,
    kind,
    receivedAt: mail.receivedAt,
  }
  const bounceClass = kind === 'bounce' ? findWorst(report) : undefined
  if (!(await ingestMail(tx, { ...ingested, repliesToId: report.sent.id, bounceClass }))) {
    return duplicateResult(tx, incoming)
  }
  await confirmSend(tx, { messageId: report.sent.id, response: `A ${kind} was received` })
  if (kind === 'bounce') await actOnBounce(tx, incoming, report)
  else await actOnComplaint(tx, incoming, report)
  return { outcome: 'stored', kind, reason: classified.reason }
}

const findWorst = ({ recipients }: VerifiedReport): BounceClass =>
  classesBySeverity.find(bounceClass => recipients.some(recipient => recipient.class === bounceClass))!

/** Records a bounce. Only an address that does not exist is opted out: a full or slow mailbox may work tomorrow. */
async function actOnBounce(
  tx: Sql,
  incoming: IncomingMail,
  { sent, recipients }: VerifiedReport,
): Promise<void> {
  const emailMessageId = sent.id
  const select = (...classes: BounceClass[]) =>
    recipients.filter(recipient => classes.includes(recipient.class))
  const [failed] = classesBySeverity.flatMap(bounceClass => select(bounceClass))
  if (failed && (await isWorst(tx, emailMessageId, failed.class))) {
    const { email, class: bounceClass, status } = failed
    await setDelivery(
      tx,
      emailMessageId,
      'bounced',
      `${email} could not be reached: ${bounceClass}${status ? ` (${status})` : ''}`,
    )
  }
  const invalid = select('hard').map(({ email }) => email)
  const context = { app: incoming.app, sql: tx, accountId: incoming.mail.accountId, actor: 'bounce' }
  if (invalid.length > 0) await recordBouncedAddresses(context, { emails: invalid, emailMessageId })
  if (select('policy').length > 0) await stopRefusedMailbox(tx, incoming)
}

/** Returns whether no other report about the email was worse. */
async function isWorst(tx: Sql, emailMessageId: string, bounceClass: BounceClass): Promise<boolean> {
  const classes = await findBounceClasses(tx, emailMessageId)
  return classes.every(other => classesBySeverity.indexOf(bounceClass) <= classesBySeverity.indexOf(other))
}

/** Stops a mailbox that several domains refuse, because more sending would further harm its reputation. */
async function stopRefusedMailbox(tx: Sql, { mailbox, now }: IncomingMail): Promise<void> {
  const domains = await findRefusingDomains(tx, mailbox.id, new Date(now.getTime() - DAY_MS))
  if (domains.length < MAX_REFUSING_DOMAINS) return
  const some = domains.slice(0, MAX_REFUSING_DOMAINS).join(', ')
  await markMailboxFailing(
    tx,
    mailbox.id,
    `The servers of ${some} rejected its mail for policy reasons within a day. Check the reputation of the domain and its SPF, DKIM and DMARC records, then verify the mailbox again.`,
    new Date(now.getTime() + DAY_MS),
  )
}

async function actOnComplaint(
  tx: Sql,
  { app, mail }: IncomingMail,
  { sent, recipients }: VerifiedReport,
): Promise<void> {
  const context = { app, sql: tx, accountId: mail.accountId, actor: 'complaint' }
  const emails = recipients.map(({ email }) => email)
  const personId = await findComplainantId(tx, sent, emails)
  await recordOptOutRequest(context, { source: 'complaint', personId, emails, emailMessageId: sent.id })
  await recordReport(tx, sent.id, 'complaint')
}

/**
 * Returns the ID of the person the email was sent to, even if their address has changed since. An email outside a
 * sequence may have other recipients; its person is returned only if it had a single recipient and nobody has the
 * reported address. Returns null otherwise.
 */
async function findComplainantId(
  tx: Sql,
  sent: ReportedMail,
  emails: readonly string[],
): Promise<string | null> {
  const [message] = await tx<{ personId: string | null }[]>`
    select ${selectEmailPersonId(tx)} as "personId"
      from email_messages m
     where m.account_id = current_account_id() and m.id = ${sent.id}
       and (m.type = 'campaign'
            or ${sent.emails.length === 1}
               and not exists (${selectPersonIds(tx, 'email', tx`${[...emails]}::text[]`)}))`
  return message?.personId ?? null
}
