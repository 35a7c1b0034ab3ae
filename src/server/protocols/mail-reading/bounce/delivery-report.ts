import type { ParsedEmail } from '../../mime/parse.ts'
import { stripQuotes } from '../strip-quotes.ts'
import { parseRecipientStatuses, type RecipientStatus } from './delivery-status.ts'
import { type BounceClass, diagnose, diagnoseByFamily, unknownReason } from './diagnosis.ts'
import { findAddresses } from './find-addresses.ts'
import { type NoticeRecipient, parseNoticeRecipients } from './notice.ts'
import { hasReturnedMessage, parseReturnedMessage, splitNotice } from './returned-message.ts'
import { findServerFamily, type ServerFamily } from './server-families.ts'
import {
  hasNullReturnPath,
  isFromMailSystem,
  isMailerDaemon,
  isReplyOrForward,
  mentionsFailure,
  mentionsFailureInSubject,
  startsLikeProgram,
} from './signs.ts'

export type ReportedRecipient = {
  address: string
  class: BounceClass
  status?: string
  /** True when the server has not given up: it will try again and report the result. */
  isDelayed?: boolean
}

export type MailReport = {
  kind: 'bounce' | 'report'
  recipients: ReportedRecipient[]
  reason: string
}

const successActions = new Set(['delivered', 'relayed', 'expanded'])
/** The subject of a notice without fields, such as Exim's "Warning: message 1abc delayed 24 hours". */
const delayedSubject = /\bdelay(?:ed)?\b|still being retried/i

/** Parses a bounce or a report of successful delivery; undefined when the email is neither. */
export function parseDeliveryReport(mail: ParsedEmail): MailReport | undefined {
  const { notice } = splitNotice(mail.bodyText)
  const family = findServerFamily(mail, notice)
  const statuses = parseRecipientStatuses(mail)
  const isReport = /^multipart\/report\b.*delivery-status/i.test(getContentType(mail))
  if (isReport || isFromProgram(mail, notice, family)) {
    if (statuses.length > 0) return toStatusReport(mail, statuses, family)
    return reportsFailure(mail, notice, family) ? toNoticeReport(mail, family) : undefined
  }
  if (!isNoticeFromUnknownSender(mail, notice)) return undefined
  const { recipients, ...report } = toNoticeReport(mail)
  // A person might have written the email, so it does not prove that an address does not exist.
  return { ...report, recipients: recipients.map(downgradeHard) }
}

/** Returns true for an empty reverse path, a mail system's name, or a known notice format. */
function isFromProgram(mail: ParsedEmail, notice: string, family: ServerFamily | undefined): boolean {
  if (hasNullReturnPath(mail) || isMailerDaemon(mail) || mail.headers.has('x-failed-recipients')) return true
  // People also write from addresses such as postmaster@, but usually in replies and forwards.
  return (
    (family !== undefined && !isReplyOrForward(mail)) ||
    (isFromMailSystem(mail) && (quotesSmtp(notice) || !isReplyOrForward(mail)))
  )
}

function reportsFailure(mail: ParsedEmail, notice: string, family: ServerFamily | undefined): boolean {
  if (mentionsFailureInSubject(mail) || mail.headers.has('x-failed-recipients')) return true
  const isCertain = hasNullReturnPath(mail) || isMailerDaemon(mail)
  if (isCertain && isFromMailSystem(mail) && hasReturnedMessage(mail)) return true
  if (family)
    return (
      mentionsFailure(notice) ||
      diagnoseByFamily([getExplanation(mail, notice, family)], family) !== undefined
    )
  // People may also describe a failed delivery, but they rarely include an address.
  const namesAddress = findAddresses(stripQuotes({ bodyText: notice })).length > 0
  const hasReason = isMailerDaemon(mail) && diagnose([notice]).reason !== unknownReason
  return (mentionsFailure(notice) || hasReason) && (isCertain || namesAddress || quotesSmtp(notice))
}

/**
 * Returns true for a notice from an unknown sender that opens like a program's and names a recipient or returns the
 * email.
 */
function isNoticeFromUnknownSender(mail: ParsedEmail, notice: string): boolean {
  const isInThread = isReplyOrForward(mail) || mail.inReplyTo !== undefined || mail.references.length > 0
  if (isInThread || !mentionsFailureInSubject(mail) || !startsLikeProgram(notice) || !mentionsFailure(notice))
    return false
  return hasReturnedMessage(mail) || findAddresses(notice).length > 0
}

const downgradeHard = (recipient: ReportedRecipient): ReportedRecipient =>
  recipient.class === 'hard' ? { ...recipient, class: 'unknown' } : recipient

const quotesSmtp = (notice: string): boolean => /^[ \t]*rcpt to:/im.test(notice)

/** Returns the text of a notice, preceded by the subject if the program explains the failure in the subject. */
const getExplanation = (mail: ParsedEmail, notice: string, family: ServerFamily | undefined): string =>
  family?.explainsInSubject ? `${mail.subject}\n${notice}` : notice

const getContentType = (mail: ParsedEmail): string => mail.headers.get('content-type')?.[0] ?? ''

function toStatusReport(
  mail: ParsedEmail,
  statuses: RecipientStatus[],
  family: ServerFamily | undefined,
): MailReport {
  const failed = statuses.filter(
    ({ action, status }) => !successActions.has(action) && !status.startsWith('2.'),
  )
  if (failed.length === 0) {
    return {
      kind: 'report',
      recipients: statuses.map(({ address }) => ({ address, class: 'unknown' })),
      reason: 'a report of successful delivery',
    }
  }
  const found = findRecipients(mail, family)
  const { notice } = splitNotice(mail.bodyText)
  const only = found.length === 1 && failed.length === 1 ? found[0] : undefined
  return {
    kind: 'bounce',
    reason: 'a delivery report (RFC 3464)',
    recipients: failed.map(({ address, status, diagnostic, action }) => {
      const noticeRecipient = found.find(entry => entry.address === address) ?? only
      const recipientText = failed.length === 1 ? notice : (noticeRecipient?.text ?? '')
      const diagnosis = diagnose([diagnostic, recipientText], status, notice, family)
      return toRecipient(address || noticeRecipient?.address || '', diagnosis, action)
    }),
  }
}

function toRecipient(
  address: string,
  { class: bounceClass, status }: { class: BounceClass; status?: string },
  action: string,
): ReportedRecipient {
  return {
    address,
    class: bounceClass,
    ...(status && { status }),
    ...(action === 'delayed' && { isDelayed: true }),
  }
}

function toNoticeReport(mail: ParsedEmail, family?: ServerFamily): MailReport {
  const found = findRecipients(mail, family)
  const { notice } = splitNotice(mail.bodyText)
  return {
    kind: 'bounce',
    reason: isFromMailSystem(mail)
      ? 'a mail server reports a failed delivery'
      : 'an automatic email reports a failed delivery',
    recipients: found.map(({ address, text }) =>
      toRecipient(
        address,
        diagnose([found.length === 1 ? notice : text], '', getExplanation(mail, notice, family), family),
        delayedSubject.test(mail.subject) ? 'delayed' : '',
      ),
    ),
  }
}

/** Finds the failed recipients in a header, else in the text of the notice, else in the returned email. */
function findRecipients(mail: ParsedEmail, family: ServerFamily | undefined): NoticeRecipient[] {
  const returned = parseReturnedMessage(mail)
  const { notice } = splitNotice(mail.bodyText)
  const named = findAddresses(mail.headers.get('x-failed-recipients')?.join('\n') ?? '')
  const own = [...mail.to, ...(mail.from ? [mail.from] : [])].map(({ address }) => address.toLowerCase())
  const ignored = new Set(
    [...own, ...returned.from, ...returned.returnPath].filter(address => !named.includes(address)),
  )
  const listStart = Math.max(0, family?.recipientsBelow ? notice.search(family.recipientsBelow) : 0)
  const found = parseNoticeRecipients(notice.slice(listStart), { ignored, returnedTo: returned.to })
  if (named.length > 0) {
    return named.map(address => ({
      address,
      text: found.find(entry => entry.address === address)?.text ?? notice,
    }))
  }
  if (found.length > 0) return found
  // The sender may have written to their own address.
  const toSelf = parseNoticeRecipients(notice, { ignored: new Set(), returnedTo: own }).filter(
    ({ address }) => own.includes(address),
  )
  if (toSelf.length > 0) return toSelf
  return returned.to.slice(0, 1).map(address => ({ address, text: notice }))
}
