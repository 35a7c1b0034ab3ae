import { randomUUIDv7 } from 'node:crypto'
import type { SentMail } from './sent-mail.ts'

/** Header fields; undefined omits a field. */
export type Fields = Record<string, string | undefined>

/** Returns an email in wire format. */
export function rawMail(fields: Fields, text: string): Buffer {
  const header = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  )
  return Buffer.from(`${[...header, '', text].join('\r\n')}\r\n`)
}

/** Returns a person's reply to one of our emails, as a mail client writes it (RFC 5322 section 3.6.4). */
export function makeReply(
  { to, mail }: SentMail,
  text = 'Yes, let us talk on Monday.',
  fields: Fields = {},
): Buffer {
  const references = [mail.references, mail.messageId].filter(Boolean).join(' ')
  return rawMail(
    {
      From: `<${to}>`,
      To: mail.from!.address!,
      Subject: `Re: ${mail.subject?.replace(/^Re: /, '')}`,
      'Message-ID': `<${randomUUIDv7()}@elsewhere.example>`,
      'In-Reply-To': mail.messageId,
      References: references,
      ...fields,
    },
    text,
  )
}

type Failure = { address?: string; action?: string; status?: string; diagnostic?: string }

/** Returns a bounce of one of our emails (RFC 3464). */
export function makeBounce(
  { to, mail }: SentMail,
  { address = to, action = 'failed', status, diagnostic }: Failure = {},
): Buffer {
  const part = (type: string, ...lines: string[]) => ['--b1', `Content-Type: ${type}`, '', ...lines]
  return rawMail(
    {
      'Return-Path': '<>',
      From: 'MAILER-DAEMON@mx.elsewhere.example',
      To: mail.from!.address!,
      Subject: 'Undelivered Mail Returned to Sender',
      'Message-ID': `<${randomUUIDv7()}@mx.elsewhere.example>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary=b1',
    },
    [
      ...part('text/plain', 'The mail system could not deliver your message.'),
      ...part(
        'message/delivery-status',
        'Reporting-MTA: dns; mx.elsewhere.example',
        '',
        `Final-Recipient: rfc822; ${address}`,
        `Action: ${action}`,
        `Status: ${status ?? '5.1.1'}`,
        `Diagnostic-Code: smtp; ${diagnostic ?? '550 5.1.1 no such user'}`,
      ),
      ...part('text/rfc822-headers', ...returnedHeader(mail)),
      '--b1--',
    ].join('\r\n'),
  )
}

/** Returns a spam complaint about one of our emails (RFC 5965). */
export function makeComplaint({ to, mail }: SentMail, address: string | undefined = to): Buffer {
  const part = (type: string, ...lines: string[]) => ['--b1', `Content-Type: ${type}`, '', ...lines]
  return rawMail(
    {
      From: 'fbl@provider.example',
      To: mail.from!.address!,
      Subject: 'Abuse report',
      'Message-ID': `<${randomUUIDv7()}@provider.example>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/report; report-type=feedback-report; boundary=b1',
    },
    [
      ...part('text/plain', 'This is an abuse report.'),
      ...part(
        'message/feedback-report',
        'Feedback-Type: abuse',
        'User-Agent: Provider/1.0',
        'Version: 1',
        ...(address ? [`Original-Rcpt-To: ${address}`] : []),
      ),
      ...part('message/rfc822', ...returnedHeader(mail), '', 'Hi'),
      '--b1--',
    ].join('\r\n'),
  )
}

const returnedHeader = (mail: SentMail['mail']): string[] => [
  `From: ${mail.from!.address}`,
  `To: ${mail.to!.map(({ address }) => address).join(', ')}`,
  `Subject: ${mail.subject}`,
  `Message-ID: ${mail.messageId}`,
  ...mail.headers
    .filter(({ key }) => key === 'x-sent-message-id')
    .map(({ value }) => `X-Sent-Message-ID: ${value}`),
]
