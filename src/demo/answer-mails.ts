import { createHash, randomUUIDv7 } from 'node:crypto'
import { awayTexts, replyTextsFrom, unsubscribeTexts } from './answer-texts.ts'

/** A campaign's mail as it came to its recipient: some of its headers as they stand, and all of it. */
export type ReceivedMail = {
  to: string
  from: string
  subject: string
  messageId: string
  references: string
  /** The link of the mail program's own button. */
  unsubscribeUrl: string
  header: string
  raw: string
}

type Fields = Record<string, string>

const DAY_MS = 24 * 3_600_000

export function composeReply(mail: ReceivedMail, nth: number, now: Date, country?: string): string {
  const texts = replyTextsFrom(country)
  return answer(mail, now, texts[nth % texts.length]![1])
}

export const composeUnsubscribeWords = (mail: ReceivedMail, nth: number, now: Date): string =>
  answer(mail, now, unsubscribeTexts[nth % unsubscribeTexts.length]!)

/** RFC 3834, as a mail server writes it for somebody who is away. */
export function composeAbsence(mail: ReceivedMail, nth: number, now: Date): string {
  const returnsAt = new Date(now.getTime() + (3 + (nth % 5)) * DAY_MS)
  const date = returnsAt.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return answer(mail, now, awayTexts[nth % awayTexts.length]!.replace('{date}', date), {
    Subject: `Automatic reply: ${mail.subject}`,
    'Auto-Submitted': 'auto-replied',
  })
}

/** RFC 3464: the mail server of somebody who is no longer there. */
export const composeBounce = (mail: ReceivedMail, now: Date): string => {
  const host = `mx.${domainOf(mail.to)}`
  return report(mail, now, {
    fields: {
      From: `Mail Delivery System <MAILER-DAEMON@${host}>`,
      Subject: 'Undelivered Mail Returned to Sender',
      'Auto-Submitted': 'auto-replied',
      'Return-Path': '<>',
    },
    type: 'delivery-status',
    text: `I'm sorry to have to inform you that your message could not be delivered.\r\n\r\n<${mail.to}>: no such user here`,
    status: [
      `Reporting-MTA: dns; ${host}`,
      '',
      `Final-Recipient: rfc822; ${mail.to}`,
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; 550 5.1.1 <${mail.to}>: no such user here`,
    ],
    original: ['text/rfc822-headers', mail.header],
  })
}

/** RFC 5965: the provider of somebody who pressed "this is spam". */
export const composeComplaint = (mail: ReceivedMail, now: Date): string =>
  report(mail, now, {
    fields: { From: `<feedback@${domainOf(mail.to)}>`, Subject: `FW: ${mail.subject}` },
    type: 'feedback-report',
    text: 'This is an abuse report for an email message that one of our users got.',
    status: [
      'Feedback-Type: abuse',
      'User-Agent: Overture-Demo/1',
      'Version: 1',
      `Original-Rcpt-To: <${mail.to}>`,
      `Arrival-Date: ${mailDate(now)}`,
    ],
    original: ['message/rfc822', mail.raw],
  })

function answer(mail: ReceivedMail, now: Date, text: string, fields: Fields = {}): string {
  const headers = {
    From: `<${mail.to}>`,
    To: mail.from,
    Subject: /^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`,
    'In-Reply-To': mail.messageId,
    References: [mail.references, mail.messageId].filter(Boolean).join(' '),
    ...fields,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  }
  return [...headerLines(mail, now, headers), '', ...text.split('\n'), ''].join('\r\n')
}

type Report = {
  fields: Fields
  type: string
  text: string
  status: string[]
  original: [type: string, text: string]
}

function report(mail: ReceivedMail, now: Date, { fields, type, text, status, original }: Report): string {
  const boundary = `=_${randomUUIDv7()}`
  const part = (contentType: string, lines: string[]) => [
    `--${boundary}`,
    `Content-Type: ${contentType}`,
    '',
    ...lines,
  ]
  return [
    ...headerLines(mail, now, {
      To: mail.from,
      ...fields,
      'Content-Type': `multipart/report; report-type=${type}; boundary="${boundary}"`,
    }),
    '',
    ...part('text/plain; charset=us-ascii', [text]),
    ...part(`message/${type}`, [...status, '']),
    ...part(original[0], [original[1]]),
    `--${boundary}--`,
    '',
  ].join('\r\n')
}

/** The same answer to the same mail has the same id, whichever process composes it: it comes in once. */
const headerLines = ({ to, messageId }: ReceivedMail, now: Date, fields: Fields): string[] =>
  Object.entries({
    ...fields,
    Date: mailDate(now),
    'Message-ID': `<${createHash('sha256').update(`${messageId} ${to}`).digest('hex')}@${domainOf(to)}>`,
    'MIME-Version': '1.0',
  }).map(([name, value]) => `${name}: ${value}`)

const mailDate = (at: Date): string => at.toUTCString().replace('GMT', '+0000')

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1)
