import { createHash, randomUUIDv7 } from 'node:crypto'
import { getReplyTexts, outOfOfficeTexts, unsubscribeTexts } from './reply-texts.ts'

/** A campaign email as its recipient gets it, with some raw headers. */
export type ReceivedEmail = {
  to: string
  from: string
  subject: string
  messageId: string
  references: string
  /** URL of the List-Unsubscribe header. */
  unsubscribeUrl: string
  header: string
  raw: string
}

type Fields = Record<string, string>

const DAY_MS = 24 * 3_600_000

export function composeReply(email: ReceivedEmail, number: number, now: Date, country?: string): string {
  const texts = getReplyTexts(country)
  return composeTextReply(email, now, texts[number % texts.length]![1])
}

export const composeUnsubscribeReply = (email: ReceivedEmail, number: number, now: Date): string =>
  composeTextReply(email, now, unsubscribeTexts[number % unsubscribeTexts.length]!)

/** Composes an automatic reply as in RFC 3834. */
export function composeOutOfOffice(email: ReceivedEmail, number: number, now: Date): string {
  const returnsAt = new Date(now.getTime() + (3 + (number % 5)) * DAY_MS)
  const date = returnsAt.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return composeTextReply(
    email,
    now,
    outOfOfficeTexts[number % outOfOfficeTexts.length]!.replace('{date}', date),
    {
      Subject: `Automatic reply: ${email.subject}`,
      'Auto-Submitted': 'auto-replied',
    },
  )
}

/** Composes a bounce as in RFC 3464, for a mailbox that does not exist. */
export const composeBounce = (email: ReceivedEmail, now: Date): string => {
  const host = `mx.${getDomain(email.to)}`
  return composeReport(email, now, {
    fields: {
      From: `Mail Delivery System <MAILER-DAEMON@${host}>`,
      Subject: 'Undelivered Mail Returned to Sender',
      'Auto-Submitted': 'auto-replied',
      'Return-Path': '<>',
    },
    type: 'delivery-status',
    text: `I'm sorry to have to inform you that your message could not be delivered.\r\n\r\n<${email.to}>: no such user here`,
    status: [
      `Reporting-MTA: dns; ${host}`,
      '',
      `Final-Recipient: rfc822; ${email.to}`,
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; 550 5.1.1 <${email.to}>: no such user here`,
    ],
    original: ['text/rfc822-headers', email.header],
  })
}

/** Composes a spam complaint as in RFC 5965. */
export const composeComplaint = (email: ReceivedEmail, now: Date): string =>
  composeReport(email, now, {
    fields: { From: `<feedback@${getDomain(email.to)}>`, Subject: `FW: ${email.subject}` },
    type: 'feedback-report',
    text: 'This is an abuse report for an email message received by one of our users.',
    status: [
      'Feedback-Type: abuse',
      'User-Agent: Overture-Demo/1',
      'Version: 1',
      `Original-Rcpt-To: <${email.to}>`,
      `Arrival-Date: ${formatDate(now)}`,
    ],
    original: ['message/rfc822', email.raw],
  })

function composeTextReply(email: ReceivedEmail, now: Date, text: string, fields: Fields = {}): string {
  const headers = {
    From: `<${email.to}>`,
    To: email.from,
    Subject: /^re:/i.test(email.subject) ? email.subject : `Re: ${email.subject}`,
    'In-Reply-To': email.messageId,
    References: [email.references, email.messageId].filter(Boolean).join(' '),
    ...fields,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  }
  return [...formatHeaders(email, now, headers), '', ...text.split('\n'), ''].join('\r\n')
}

type Report = {
  fields: Fields
  type: string
  text: string
  status: string[]
  original: [type: string, text: string]
}

function composeReport(
  email: ReceivedEmail,
  now: Date,
  { fields, type, text, status, original }: Report,
): string {
  const boundary = `=_${randomUUIDv7()}`
  const part = (contentType: string, lines: string[]) => [
    `--${boundary}`,
    `Content-Type: ${contentType}`,
    '',
    ...lines,
  ]
  return [
    ...formatHeaders(email, now, {
      To: email.from,
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

/**
 * Formats the headers. Derives the Message-ID from the email that the response belongs to, so that a response composed
 * twice is received once.
 */
const formatHeaders = ({ to, messageId }: ReceivedEmail, now: Date, fields: Fields): string[] =>
  Object.entries({
    ...fields,
    Date: formatDate(now),
    'Message-ID': `<${createHash('sha256').update(`${messageId} ${to}`).digest('hex')}@${getDomain(to)}>`,
    'MIME-Version': '1.0',
  }).map(([name, value]) => `${name}: ${value}`)

const formatDate = (at: Date): string => at.toUTCString().replace('GMT', '+0000')

const getDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1)
