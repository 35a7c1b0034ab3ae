import type { BounceClass } from '../../../src/server/protocols/mail-reading/bounce/diagnosis.ts'

/** A server's refusal, the SMTP command it replies to, and its bounce class. */
type Refusal = {
  class: BounceClass
  command: 'MAIL FROM' | 'RCPT TO' | 'end of DATA'
  code: string
  status: string
  text: string
}

const refusal = (
  kind: BounceClass,
  command: Refusal['command'],
  code: string,
  status: string,
  text: string,
): Refusal => ({ class: kind, command, code, status, text })

const refusals: Refusal[] = [
  refusal('hard', 'RCPT TO', '550', '5.1.1', 'No such user here'),
  refusal('hard', 'RCPT TO', '550', '5.1.10', 'RESOLVER.ADR.RecipientNotFound; Recipient not found'),
  refusal('hard', 'RCPT TO', '550', '5.1.1', "The email account that you tried to reach doesn't exist"),
  refusal('hard', 'RCPT TO', '553', '5.1.2', 'Bad destination host: domain does not exist'),
  refusal('soft', 'RCPT TO', '552', '5.2.2', 'The mailbox of this user is over quota'),
  refusal('soft', 'RCPT TO', '452', '4.2.2', 'Mailbox full, try again later'),
  refusal('soft', 'end of DATA', '552', '5.3.4', 'Message size exceeds fixed limit'),
  refusal('soft', 'MAIL FROM', '421', '4.3.2', 'Too many connections, slow down'),
  refusal('policy', 'end of DATA', '554', '5.7.1', 'This message looks like spam to us'),
  refusal('policy', 'MAIL FROM', '550', '5.7.26', 'Unauthenticated mail is refused by the DMARC policy'),
  refusal('policy', 'RCPT TO', '554', '5.7.1', 'Service unavailable; client host blocked using a blocklist'),
  refusal('policy', 'RCPT TO', '554', '5.7.1', 'Relay access denied'),
  refusal('unknown', 'RCPT TO', '550', '5.2.1', 'This account is disabled'),
  refusal('unknown', 'end of DATA', '550', '5.6.0', 'Attached archive holds a virus'),
]

export type BounceMail = { name: string; to: string; class: BounceClass; raw: Buffer }

const sender = 'ada+k3y@acme.example'
export const returnedId = '<0f3.step@acme.example>'

const returned = (to: string): string[] => [
  'Received: from app.acme.example by mx.acme.example; Mon, 5 May 2025 10:00:00 +0000',
  `From: Ada Byron <${sender}>`,
  `To: ${to}`,
  `Message-ID: ${returnedId}`,
  'Subject: A demo for you',
  '',
  'Would Thursday suit you? Nobody is unknown to us, and no quota is full.',
]

const header = (from: string, subject: string, type: string): string[] => [
  'Return-Path: <>',
  `From: ${from}`,
  `To: ${sender}`,
  `Subject: ${subject}`,
  'Date: Mon, 5 May 2025 10:00:09 +0000',
  'Message-ID: <report@mx.acme.example>',
  'MIME-Version: 1.0',
  `Content-Type: ${type}`,
  '',
]

/** Returns a report as in RFC 3464: the notice, the status fields and the returned email. */
function report(from: string, subject: string, notice: string[], fields: string[], to: string): string[] {
  const part = (type: string, lines: string[]) => ['--b0und', `Content-Type: ${type}`, '', ...lines, '']
  return [
    ...header(from, subject, 'multipart/report; report-type=delivery-status; boundary="b0und"'),
    ...part('text/plain; charset=us-ascii', notice),
    ...part('message/delivery-status', ['Reporting-MTA: dns; mx.acme.example', '', ...fields]),
    ...part('message/rfc822', returned(to)),
    '--b0und--',
  ]
}

const plain = (from: string, subject: string, lines: string[]): string[] => [
  ...header(from, subject, 'text/plain; charset=utf-8'),
  ...lines,
]

type Shape = (refused: Refusal, to: string) => string[]

const createStatusFields = ({ code, status, text }: Refusal, to: string, reported = status): string[] => [
  `Final-Recipient: rfc822; ${to}`,
  'Action: failed',
  `Status: ${reported}`,
  `Diagnostic-Code: smtp; ${code} ${status} ${text}`,
]

const shapes: Record<string, Shape> = {
  postfix: (refused, to) =>
    report(
      'MAILER-DAEMON@mx.acme.example (Mail Delivery System)',
      'Undelivered Mail Returned to Sender',
      [
        'This is the mail system at host mx.acme.example.',
        '',
        "I'm sorry to have to inform you that your message could not be delivered to one or more recipients.",
        '',
        `<${to}>: host mx.bone.example[192.0.2.7] said: ${refused.code} ${refused.status}`,
        `    ${refused.text} (in reply to ${refused.command} command)`,
      ],
      createStatusFields(refused, to),
      to,
    ),
  exim: ({ command, code, status, text }, to) =>
    plain(
      'Mail Delivery System <Mailer-Daemon@mx.acme.example>',
      'Mail delivery failed: returning message to sender',
      [
        'This message was created automatically by mail delivery software.',
        '',
        'A message that you sent could not be delivered to one or more of its',
        'recipients. This is a permanent error. The following address(es) failed:',
        '',
        `  ${to}`,
        `    SMTP error from remote mail server after ${command === 'end of DATA' ? 'end of data' : `${command}:<${to}>`}:`,
        `    host mx.bone.example [192.0.2.7]: ${code} ${status} ${text}`,
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        ...returned(to),
      ],
    ),
  qmail: ({ command, code, status, text }, to) =>
    plain('MAILER-DAEMON@mx.acme.example', 'failure notice', [
      'Hi. This is the qmail-send program at mx.acme.example.',
      "I'm afraid I wasn't able to deliver your message to the following addresses.",
      "This is a permanent error; I've given up. Sorry it didn't work out.",
      '',
      `<${to}>:`,
      {
        'MAIL FROM': 'Connected to 192.0.2.7 but sender was rejected.',
        'RCPT TO': '192.0.2.7 does not like recipient.',
        'end of DATA': '192.0.2.7 failed after I sent the message.',
      }[command],
      `Remote host said: ${code} ${status} ${text}`,
      '',
      '--- Below this line is a copy of the message.',
      '',
      ...returned(to),
    ]),
  sendmail: (refused, to) =>
    report(
      'Mail Delivery Subsystem <MAILER-DAEMON@mx.acme.example>',
      'Returned mail: see transcript for details',
      [
        'The original message was received at Mon, 5 May 2025 10:00:00 GMT',
        '',
        '   ----- The following addresses had permanent fatal errors -----',
        `<${to}>`,
        `    (reason: ${refused.code} ${refused.status} ${refused.text})`,
        '',
        '   ----- Transcript of session follows -----',
        '... while talking to mx.bone.example.:',
        `>>> ${refused.command === 'end of DATA' ? 'DATA' : `${refused.command}:<${to}>`}`,
        `<<< ${refused.code} ${refused.status} ${refused.text}`,
        '554 5.0.0 Service unavailable',
      ],
      createStatusFields(refused, to, '5.0.0'),
      to,
    ),
  exchange: (refused, to) =>
    report(
      'Microsoft Outlook <postmaster@acme.example>',
      'Undeliverable: A demo for you',
      [
        'Delivery has failed to these recipients or groups:',
        '',
        `${to}<mailto:${to}>`,
        'Your message was not delivered. Contact the recipient by other means.',
        '',
        'Diagnostic information for administrators:',
        'Generating server: mx.bone.example',
        to,
        `Remote Server returned '${refused.code} ${refused.status} ${refused.text}'`,
      ],
      createStatusFields(refused, to),
      to,
    ),
  google: (refused, to) =>
    report(
      'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      'Delivery Status Notification (Failure)',
      [
        '** Message not delivered **',
        '',
        `Your message wasn't delivered to ${to}. See the technical details below.`,
        '',
        'The response from the remote server was:',
        `${refused.code} ${refused.status} ${refused.text}`,
      ],
      createStatusFields(refused, to),
      to,
    ),
  yahoo: ({ code, status, text }, to) =>
    plain('MAILER-DAEMON@yahoo.example', 'Failure Notice', [
      'Sorry, we were unable to deliver your message to the following address.',
      '',
      `<${to}>:`,
      `${code}: ${status} ${text}`,
      '',
      '--- Below this line is a copy of the message.',
      '',
      ...returned(to),
    ]),
  opensmtpd: ({ code, status, text }, to) =>
    plain('Mailer Daemon <MAILER-DAEMON@mx.acme.example>', 'Delivery status notification: error', [
      '    Hi!',
      '',
      '    This is the MAILER-DAEMON, please DO NOT REPLY to this email.',
      '',
      '    An error has occurred while attempting to deliver a message for',
      '    the following list of recipients:',
      '',
      `${to}: ${code} ${status} ${text}`,
      '',
      '    Below is a copy of the original message:',
      '',
      ...returned(to),
    ]),
  courier: (refused, to) =>
    report(
      'Mail Delivery System <postmaster@mx.acme.example>',
      'NOTICE: mail delivery status.',
      ['This is a delivery status notification from mx.acme.example, running the Courier mail server.'],
      createStatusFields(refused, to, '5.0.0'),
      to,
    ),
  dragonfly: ({ command, code, status, text }, to) =>
    plain('MAILER-DAEMON <>', 'Mail delivery failed', [
      'This is the DragonFly Mail Agent v0.13 at mx.acme.example.',
      '',
      `There was an error delivering your mail to <${to}>.`,
      '',
      `mx.bone.example [192.0.2.7] did not like our ${command === 'end of DATA' ? 'DATA' : command}:`,
      `${code} ${status} ${text}`,
      '',
      'Message headers follow.',
      '',
      ...returned(to),
    ]),
  'german gmx': ({ command, code, status, text }, to) =>
    plain(
      '"GMX Mailer Daemon" <mailer-daemon@gmx.example>',
      'Mail delivery failed: returning message to sender',
      [
        'This message was created automatically by mail delivery software.',
        '',
        'A message that you sent could not be delivered to one or more of its recipients.',
        'The following address failed:',
        '',
        `"${to}":`,
        `SMTP error from remote server after ${command === 'end of DATA' ? 'DATA' : command.split(' ')[0]} command:`,
        'host: mx.bone.example',
        `${code} ${status} ${text}`,
        '',
        '--- The header of the original message is following. ---',
        '',
        ...returned(to),
      ],
    ),
}

/** Invented bounces in the formats of these servers: every shape with every refusal, each to its own recipient. */
export const bounceMails: BounceMail[] = Object.entries(shapes).flatMap(([name, shape], row) =>
  refusals.map((refused, column) => {
    const to = `bob.${row}-${column}@bone.example`
    return {
      name: `${name}: ${refused.code} ${refused.status} ${refused.text}`,
      to,
      class: refused.class,
      raw: Buffer.from(`${shape(refused, to).join('\r\n')}\r\n`),
    }
  }),
)
