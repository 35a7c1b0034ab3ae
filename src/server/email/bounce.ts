import { addressesInText } from './bounce-address.ts'
import { type BounceClass, diagnose, nothingKnown } from './bounce-classes.ts'
import { type NoticeRecipient, noticeRecipients } from './bounce-notice.ts'
import {
  hasNullReturnPath,
  isAnswer,
  isFromMailSystem,
  isMailerDaemon,
  saysFailure,
  saysFailureInSubject,
} from './bounce-signs.ts'
import { type RecipientStatus, recipientStatuses } from './delivery-status.ts'
import type { ParsedEmail } from './parse.ts'
import { quoteTrimmedText } from './reply-text.ts'
import { returnedMessage, splitNotice } from './returned-message.ts'

export type ReportedRecipient = { address: string; class: BounceClass; status?: string }

export type DeliveryReport = {
  kind: 'bounce' | 'report'
  recipients: ReportedRecipient[]
  why: string
}

const successActions = new Set(['delivered', 'relayed', 'expanded'])

/** What a mail server reports of a mail that did not arrive, or did; nothing when the mail is no such report. */
export function readDeliveryReport(mail: ParsedEmail): DeliveryReport | undefined {
  const statuses = recipientStatuses(mail)
  const { notice } = splitNotice(mail.bodyText)
  const speaksSmtp = /^[ \t]*rcpt to:/im.test(notice)
  const isProgram = hasNullReturnPath(mail) || isMailerDaemon(mail) || mail.headers.has('x-failed-recipients')
  // people write from postmaster@ too, and then they answer or forward
  const isSystem = isProgram || (isFromMailSystem(mail) && (speaksSmtp || !isAnswer(mail)))
  const isReport = /^multipart\/report\b.*delivery-status/i.test(contentType(mail))
  if (!isSystem && !isReport) return undefined
  if (statuses.length > 0) return fromStatuses(mail, statuses)
  if (saysFailureInSubject(mail) || mail.headers.has('x-failed-recipients')) return fromNotice(mail)
  // or they name a problem, but hardly anybody's address with it
  const namesSomebody = addressesInText(quoteTrimmedText({ bodyText: notice })).length > 0
  const saysWhy = isMailerDaemon(mail) && diagnose([notice]).reason !== nothingKnown
  return (saysFailure(notice) || saysWhy) && (isProgram || namesSomebody || speaksSmtp)
    ? fromNotice(mail)
    : undefined
}

const contentType = (mail: ParsedEmail): string => mail.headers.get('content-type')?.[0] ?? ''

function fromStatuses(mail: ParsedEmail, statuses: RecipientStatus[]): DeliveryReport {
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
  const told = tell(mail)
  const { notice } = splitNotice(mail.bodyText)
  const only = told.length === 1 && failed.length === 1 ? told[0] : undefined
  return {
    kind: 'bounce',
    why: 'a delivery report (RFC 3464)',
    recipients: failed.map(({ address, status, diagnostic, action }) => {
      const words = told.find(one => one.address === address) ?? only
      const about = failed.length === 1 ? notice : (words?.text ?? '')
      const diagnosis = diagnose([diagnostic, about], status, notice)
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

function fromNotice(mail: ParsedEmail): DeliveryReport {
  const told = tell(mail)
  const { notice } = splitNotice(mail.bodyText)
  return {
    kind: 'bounce',
    why: isFromMailSystem(mail)
      ? 'a mail server says that it could not deliver'
      : 'an automatic mail says that it could not deliver',
    recipients: told.map(({ address, text }) =>
      toRecipient(address, diagnose([told.length === 1 ? notice : text], '', notice), ''),
    ),
  }
}

/** The recipients by header, by the words of the report, else by the mail that came back. */
function tell(mail: ParsedEmail): NoticeRecipient[] {
  const returned = returnedMessage(mail)
  const { notice } = splitNotice(mail.bodyText)
  const named = addressesInText(mail.headers.get('x-failed-recipients')?.join('\n') ?? '')
  const own = [...mail.to, ...(mail.from ? [mail.from] : [])].map(({ address }) => address.toLowerCase())
  const ignored = new Set(
    [...own, ...returned.from, ...returned.returnPath].filter(address => !named.includes(address)),
  )
  const told = noticeRecipients(notice, { ignored, returnedTo: returned.to })
  if (named.length > 0) {
    return named.map(address => ({
      address,
      text: told.find(one => one.address === address)?.text ?? notice,
    }))
  }
  if (told.length > 0) return told
  // who wrote to themselves is both
  const toSelf = noticeRecipients(notice, { ignored: new Set(), returnedTo: own }).filter(({ address }) =>
    own.includes(address),
  )
  if (toSelf.length > 0) return toSelf
  return returned.to.slice(0, 1).map(address => ({ address, text: notice }))
}
