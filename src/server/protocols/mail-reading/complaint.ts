import type { ParsedEmail } from '../mime/parse.ts'
import { type Fields, parseFieldBlocks } from './bounce/field-blocks.ts'
import { findAddresses } from './bounce/find-addresses.ts'
import { hasReturnedMessage, parseReturnedMessage } from './bounce/returned-message.ts'

export type Complaint = { addresses: string[]; reason: string }

/** Feedback types (RFC 5965 and its registry) other than complaints. */
const otherFeedback = /^(?:not-spam|auth-failure|dmarc)/i

/** Addresses from which mailbox providers forward complaints without a report part. */
const complaintForwarders = new Set([
  'staff@hotmail.com',
  'complaints@email-abuse.amazonses.com',
  'scomp@aol.net',
])
const forwardedSubject = /^(?:complaint about message from [\da-f.:]{7,45}$|client tos notification)/i
const reportOpening = /^this is an? (?:[\w .!@-]{0,60} )?abuse (?:report|complaint)\b/
const failureOpening = /authentication[- ]failure report/

/** Parses a spam complaint in ARF (RFC 5965) or in a provider's own format; returns undefined for other emails. */
export function parseComplaint(mail: ParsedEmail): Complaint | undefined {
  const parts = mail.reports.filter(({ type }) => type === 'message/feedback-report').map(({ text }) => text)
  const opening = mail.bodyText.slice(0, 500).trim().replace(/\s+/g, ' ').toLowerCase()
  if (parts.length > 0 || isFeedbackReport(mail) || startsLikeReport(mail, opening)) {
    const fields = parseFeedbackFields(mail, parts)
    const kind =
      listValues(fields, 'feedback-type')[0] ?? (failureOpening.test(opening) ? 'auth-failure' : 'abuse')
    if (otherFeedback.test(kind)) return undefined
    const named = ['original-rcpt-to', 'removal-recipient'].flatMap(name => listValues(fields, name))
    return toComplaint(mail, named, `a feedback report (RFC 5965): ${kind.slice(0, 40)}`)
  }
  return isForwarded(mail) ? toComplaint(mail, [], 'a complaint forwarded by a provider') : undefined
}

const isFeedbackReport = ({ headers }: ParsedEmail): boolean =>
  /^multipart\/report\b.{0,200}feedback-report/is.test(headers.get('content-type')?.[0] ?? '')

/** Recognizes reports sent as plain `multipart/mixed`, which begin with the words of a report and return the email. */
const startsLikeReport = (mail: ParsedEmail, opening: string): boolean =>
  reportOpening.test(opening) && !isInThread(mail) && hasReturnedMessage(mail)

const isForwarded = (mail: ParsedEmail): boolean =>
  (complaintForwarders.has(mail.from?.address.toLowerCase() ?? '') || forwardedSubject.test(mail.subject)) &&
  !isInThread(mail) &&
  hasReturnedMessage(mail)

const isInThread = ({ inReplyTo, references }: ParsedEmail): boolean =>
  inReplyTo !== undefined || references.length > 0

/** Parses the fields from the report part, else from the text of a malformed report. */
function parseFeedbackFields(mail: ParsedEmail, parts: readonly string[]): Fields[] {
  if (parts.length > 0) return parts.flatMap(parseFieldBlocks)
  const texts = mail.reports.filter(({ type }) => type === 'text/plain').map(({ text }) => text)
  return [mail.bodyText, ...texts].flatMap(parseFieldBlocks).filter(block => block.has('feedback-type'))
}

const listValues = (blocks: readonly Fields[], name: string): string[] =>
  blocks.flatMap(block => block.get(name) ?? [])

/** Builds a complaint. Falls back to the returned email's recipients, because providers hide who complained. */
function toComplaint(mail: ParsedEmail, named: readonly string[], reason: string): Complaint {
  const recipients = findAddresses(named.join('\n'))
  const addresses = recipients.length > 0 ? recipients : parseReturnedMessage(mail).to
  return { addresses: [...new Set(addresses)], reason }
}
