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
  /** Of a bounce, a complaint or a report: whom it is about. */
  recipients: ReportedRecipient[]
  /** For a person to read. */
  why: string
  isOutOfOffice?: boolean
  returnsAt?: Date
  /** Ids of the mail that a report gives back: what can prove that it is about a mail of ours. */
  originalMessageIds: string[]
  /** What stands behind the plus of the addresses that it came to. */
  envelopeTokens: string[]
}

/** What came: a person's words, or one of the things that programs send. Believes nothing; whoever acts on it checks. */
export function classifyEmail(mail: ParsedEmail, arrivedAt = new Date()): Classified {
  const common = { recipients: [], originalMessageIds: [], envelopeTokens: envelopeTokens(mail) }
  const ses = parseSesNotice(mail)
  if (ses) {
    const { messageIds, ...told } = ses
    return { ...common, ...told, originalMessageIds: messageIds }
  }
  const complaint = parseComplaint(mail)
  if (complaint) {
    const recipients = complaint.addresses.map(address => ({ address, class: 'unknown' as const }))
    return {
      ...common,
      kind: 'complaint',
      recipients,
      why: complaint.why,
      originalMessageIds: originalIds(mail),
    }
  }
  const report = parseDeliveryReport(mail)
  if (report) return { ...common, ...report, originalMessageIds: originalIds(mail) }
  const otherReport = parseOtherReport(mail)
  if (otherReport) return { ...common, ...otherReport, originalMessageIds: originalIds(mail) }
  const autoReply = detectAutoReply(mail)
  if (autoReply) {
    const returnsAt = autoReply.isOutOfOffice ? findReturnDate(mail, arrivedAt) : undefined
    return { ...common, kind: 'auto_reply', ...autoReply, ...(returnsAt && { returnsAt }) }
  }
  if (isFromList(mail)) return { ...common, kind: 'other', why: 'it is a newsletter or a mailing list' }
  const words = findOptOutRequest(mail.newText || (isReplyOrForward(mail) ? '' : mail.subject))
  if (words) return { ...common, kind: 'unsubscribe', why: `its words are: ${words}` }
  return { ...common, kind: 'reply', why: 'nothing says that a program sent it' }
}

/** Also what the report answers: some servers name the failed mail in In-Reply-To or References. */
const originalIds = (mail: ParsedEmail): string[] => [
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

function envelopeTokens({ to, headers }: ParsedEmail): string[] {
  const reached = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'].flatMap(
    name => headers.get(name) ?? [],
  )
  return [...new Set([...to.map(({ address }) => address), ...reached].flatMap(tokenOf))]
}

const tokenOf = (address: string): string[] => {
  const token = /^<?[^@+\s]{1,64}\+([\w.=-]{1,200})@/.exec(address.trim())?.[1]
  return token ? [token] : []
}
