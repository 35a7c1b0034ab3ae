import type { ParsedEmail } from '../mime/parse.ts'
import { detectAutoReply } from './auto-reply.ts'
import { parseDeliveryReport, type ReportedRecipient } from './bounce/delivery-report.ts'
import { parseOtherReport } from './bounce/other-report.ts'
import { parseReturnedMessage } from './bounce/returned-message.ts'
import { parseSesNotice } from './bounce/ses-notice.ts'
import { isReplyOrForward } from './bounce/signs.ts'
import { parseComplaint } from './complaint.ts'
import { findOptOutRequest } from './opt-out-request.ts'
import { findReturnDate } from './return-date.ts'

export type { ReportedRecipient } from './bounce/delivery-report.ts'
export type { BounceClass } from './bounce/diagnosis.ts'

export type EmailKind = 'reply' | 'auto_reply' | 'bounce' | 'complaint' | 'unsubscribe' | 'report' | 'other'

export type Classified = {
  kind: EmailKind
  /** The recipients that a bounce, a complaint or a report is about. */
  recipients: ReportedRecipient[]
  /** An explanation for people. */
  reason: string
  isOutOfOffice?: boolean
  returnsAt?: Date
  /** Message IDs of the email that a report returns. They can prove that the report is about one of our emails. */
  originalMessageIds: string[]
  /** The plus tags of the addresses that the email was delivered to. */
  envelopeTokens: string[]
}

/**
 * Classifies an email as a person's reply or a kind of automatic email. The content is untrusted: verify before acting.
 */
export function classifyEmail(mail: ParsedEmail, arrivedAt = new Date()): Classified {
  const common = { recipients: [], originalMessageIds: [], envelopeTokens: listEnvelopeTokens(mail) }
  const ses = parseSesNotice(mail)
  if (ses) {
    const { messageIds, ...notice } = ses
    return { ...common, ...notice, originalMessageIds: messageIds }
  }
  const complaint = parseComplaint(mail)
  if (complaint) {
    const recipients = complaint.addresses.map(address => ({ address, class: 'unknown' as const }))
    return {
      ...common,
      kind: 'complaint',
      recipients,
      reason: complaint.reason,
      originalMessageIds: listOriginalIds(mail),
    }
  }
  const report = parseDeliveryReport(mail)
  if (report) return { ...common, ...report, originalMessageIds: listOriginalIds(mail) }
  const otherReport = parseOtherReport(mail)
  if (otherReport) return { ...common, ...otherReport, originalMessageIds: listOriginalIds(mail) }
  const autoReply = detectAutoReply(mail)
  if (autoReply) {
    const returnsAt = autoReply.isOutOfOffice ? findReturnDate(mail, arrivedAt) : undefined
    return { ...common, kind: 'auto_reply', ...autoReply, ...(returnsAt && { returnsAt }) }
  }
  if (isFromList(mail)) return { ...common, kind: 'other', reason: 'a newsletter or a mailing list' }
  const request = findOptOutRequest(mail.newText || (isReplyOrForward(mail) ? '' : mail.subject))
  if (request) return { ...common, kind: 'unsubscribe', reason: `its text is: ${request}` }
  return { ...common, kind: 'reply', reason: 'no sign of an automatic email' }
}

/**
 * Lists the IDs of the returned email. Includes In-Reply-To and References, where some servers name the failed email.
 */
const listOriginalIds = (mail: ParsedEmail): string[] => [
  ...new Set([
    ...parseReturnedMessage(mail).messageIds,
    ...(mail.inReplyTo ? [mail.inReplyTo] : []),
    ...mail.references,
  ]),
]

const isFromList = (mail: ParsedEmail): boolean =>
  (mail.headers.has('list-unsubscribe') || mail.headers.has('list-id')) &&
  !mail.inReplyTo &&
  mail.references.length === 0 &&
  !isReplyOrForward(mail)

function listEnvelopeTokens({ to, headers }: ParsedEmail): string[] {
  const deliveredTo = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'].flatMap(
    name => headers.get(name) ?? [],
  )
  return [...new Set([...to.map(({ address }) => address), ...deliveredTo].flatMap(parsePlusTag))]
}

const parsePlusTag = (address: string): string[] => {
  const token = /^<?[^@+\s]{1,64}\+([\w.=-]{1,200})@/.exec(address.trim())?.[1]
  return token ? [token] : []
}
