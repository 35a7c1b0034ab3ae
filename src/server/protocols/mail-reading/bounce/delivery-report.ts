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
  opensLikeProgram,
  saysFailure,
  saysFailureInSubject,
} from './signs.ts'

export type ReportedRecipient = { address: string; class: BounceClass; status?: string }

export type DeliveryReport = {
  kind: 'bounce' | 'report'
  recipients: ReportedRecipient[]
  why: string
}

const successActions = new Set(['delivered', 'relayed', 'expanded'])

/** What a mail server reports of a mail that did not arrive, or did; nothing when the mail is no such report. */
export function parseDeliveryReport(mail: ParsedEmail): DeliveryReport | undefined {
  const { notice } = splitNotice(mail.bodyText)
  const family = findServerFamily(mail, notice)
  const statuses = parseRecipientStatuses(mail)
  const isReport = /^multipart\/report\b.*delivery-status/i.test(contentType(mail))
  if (isReport || isFromProgram(mail, notice, family)) {
    if (statuses.length > 0) return fromStatuses(mail, statuses, family)
    return reportsFailure(mail, notice, family) ? fromNotice(mail, family) : undefined
  }
  if (!isUnsignedNotice(mail, notice)) return undefined
  const { recipients, ...report } = fromNotice(mail)
  // it could be a person's after all
  return { ...report, recipients: recipients.map(withoutProof) }
}

/** True for an empty reverse path, a mail system's name, or a notice format that is known. */
function isFromProgram(mail: ParsedEmail, notice: string, family: ServerFamily | undefined): boolean {
  if (hasNullReturnPath(mail) || isMailerDaemon(mail) || mail.headers.has('x-failed-recipients')) return true
  // people write from postmaster@ too, and then they answer or forward
  return (
    (family !== undefined && !isReplyOrForward(mail)) ||
    (isFromMailSystem(mail) && (speaksSmtp(notice) || !isReplyOrForward(mail)))
  )
}

function reportsFailure(mail: ParsedEmail, notice: string, family: ServerFamily | undefined): boolean {
  if (saysFailureInSubject(mail) || mail.headers.has('x-failed-recipients')) return true
  const isCertain = hasNullReturnPath(mail) || isMailerDaemon(mail)
  if (isCertain && isFromMailSystem(mail) && hasReturnedMessage(mail)) return true
  if (family)
    return saysFailure(notice) || diagnoseByFamily([explained(mail, notice, family)], family) !== undefined
  // or they name a problem, but hardly anybody's address with it
  const namesSomebody = findAddresses(stripQuotes({ bodyText: notice })).length > 0
  const saysWhy = isMailerDaemon(mail) && diagnose([notice]).reason !== unknownReason
  return (saysFailure(notice) || saysWhy) && (isCertain || namesSomebody || speaksSmtp(notice))
}

/** A notice of a sender whose name says nothing: it opens as only programs do, and names a recipient or returns the mail. */
function isUnsignedNotice(mail: ParsedEmail, notice: string): boolean {
  const isInThread = isReplyOrForward(mail) || mail.inReplyTo !== undefined || mail.references.length > 0
  if (isInThread || !saysFailureInSubject(mail) || !opensLikeProgram(notice) || !saysFailure(notice))
    return false
  return hasReturnedMessage(mail) || findAddresses(notice).length > 0
}

const withoutProof = (recipient: ReportedRecipient): ReportedRecipient =>
  recipient.class === 'hard' ? { ...recipient, class: 'unknown' } : recipient

const speaksSmtp = (notice: string): boolean => /^[ \t]*rcpt to:/im.test(notice)

/** What a notice says outside of the lines about one recipient. */
const explained = (mail: ParsedEmail, notice: string, family: ServerFamily | undefined): string =>
  family?.explainsInSubject ? `${mail.subject}\n${notice}` : notice

const contentType = (mail: ParsedEmail): string => mail.headers.get('content-type')?.[0] ?? ''

function fromStatuses(
  mail: ParsedEmail,
  statuses: RecipientStatus[],
  family: ServerFamily | undefined,
): DeliveryReport {
  const failed = statuses.filter(
    ({ action, status }) => !successActions.has(action) && !status.startsWith('2.'),
  )
  if (failed.length === 0) {
    return {
      kind: 'report',
      recipients: statuses.map(({ address }) => ({ address, class: 'unknown' })),
      why: 'a delivery report that says delivered',
    }
  }
  const told = tell(mail, family)
  const { notice } = splitNotice(mail.bodyText)
  const only = told.length === 1 && failed.length === 1 ? told[0] : undefined
  return {
    kind: 'bounce',
    why: 'a delivery report (RFC 3464)',
    recipients: failed.map(({ address, status, diagnostic, action }) => {
      const words = told.find(one => one.address === address) ?? only
      const about = failed.length === 1 ? notice : (words?.text ?? '')
      const diagnosis = diagnose([diagnostic, about], status, notice, family)
      return toRecipient(address || words?.address || '', diagnosis, action)
    }),
  }
}

function toRecipient(
  address: string,
  { class: given, status }: { class: BounceClass; status?: string },
  action: string,
): ReportedRecipient {
  // what is still being tried has not failed for good
  return {
    address,
    class: action === 'delayed' && given === 'hard' ? 'soft' : given,
    ...(status && { status }),
  }
}

function fromNotice(mail: ParsedEmail, family?: ServerFamily): DeliveryReport {
  const told = tell(mail, family)
  const { notice } = splitNotice(mail.bodyText)
  return {
    kind: 'bounce',
    why: isFromMailSystem(mail)
      ? 'a mail server says that it could not deliver'
      : 'an automatic mail says that it could not deliver',
    recipients: told.map(({ address, text }) =>
      toRecipient(
        address,
        diagnose([told.length === 1 ? notice : text], '', explained(mail, notice, family), family),
        '',
      ),
    ),
  }
}

/** The recipients by header, by the words of the report, else by the mail that came back. */
function tell(mail: ParsedEmail, family: ServerFamily | undefined): NoticeRecipient[] {
  const returned = parseReturnedMessage(mail)
  const { notice } = splitNotice(mail.bodyText)
  const named = findAddresses(mail.headers.get('x-failed-recipients')?.join('\n') ?? '')
  const own = [...mail.to, ...(mail.from ? [mail.from] : [])].map(({ address }) => address.toLowerCase())
  const ignored = new Set(
    [...own, ...returned.from, ...returned.returnPath].filter(address => !named.includes(address)),
  )
  const listBegins = Math.max(0, family?.recipientsBelow ? notice.search(family.recipientsBelow) : 0)
  const told = parseNoticeRecipients(notice.slice(listBegins), { ignored, returnedTo: returned.to })
  if (named.length > 0) {
    return named.map(address => ({
      address,
      text: told.find(one => one.address === address)?.text ?? notice,
    }))
  }
  if (told.length > 0) return told
  // who wrote to themselves is both
  const toSelf = parseNoticeRecipients(notice, { ignored: new Set(), returnedTo: own }).filter(
    ({ address }) => own.includes(address),
  )
  if (toSelf.length > 0) return toSelf
  return returned.to.slice(0, 1).map(address => ({ address, text: notice }))
}
