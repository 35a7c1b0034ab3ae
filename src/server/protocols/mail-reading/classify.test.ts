import { expect, test } from 'vitest'
import { humanMails } from '../../../../test/support/mail/human-mails.ts'
import { humanReplies } from '../../../../test/support/mail/human-replies.ts'
import { defaultLimits } from '../mime/parse.ts'
import { readEmail } from '../mime/read-email.ts'
import { type Classified, classifyEmail } from './classify.ts'

const read = (raw: Buffer) => readEmail(raw, defaultLimits)

const classified = async (lines: string[]): Promise<Classified> =>
  classifyEmail(await read(Buffer.from(lines.join('\r\n'))))

test('classifies replies from people as replies', async () => {
  const mistaken: string[] = []
  for (const { raw } of [...humanReplies, ...humanMails]) {
    const { kind, reason } = classifyEmail(await read(raw))
    if (kind !== 'reply') mistaken.push(`${kind}: ${reason}\n${raw}`)
  }
  expect(humanReplies.length).toBeGreaterThanOrEqual(300)
  expect(mistaken).toEqual([])
})

const text = 'Content-Type: text/plain; charset=utf-8'
const forwarded = [
  'Look what came back:',
  '',
  '---------- Forwarded message ---------',
  'From: Mail Delivery System <MAILER-DAEMON@mx.acme.example>',
  '',
  'Final-Recipient: rfc822; carl@bone.example',
  'Action: failed',
  'Status: 5.1.1',
]
const gone = 'Your mail to Carl could not be delivered: carl@bone.example has left. Write to me.'

test.each([
  [
    'who is a system administrator',
    ['From: Bob (System Administrator) <bob@bone.example>', 'Subject: Re: Demo', text, '', gone],
  ],
  [
    'who replies from the address of a program',
    ['From: Postmaster <postmaster@bone.example>', 'Subject: AW: Demo', text, '', gone],
  ],
  [
    'who forwards a bounce',
    ['From: Bob <bob@bone.example>', 'Subject: Fwd: Undelivered Mail', text, '', ...forwarded],
  ],
  [
    'who forwards a bounce from the address of a program',
    ['From: IT <postmaster@bone.example>', 'Subject: Fwd: Undelivered Mail', text, '', ...forwarded],
  ],
  [
    'on a mailing list that dropped the thread headers',
    ['From: bob@bone.example', 'Subject: Re: [team] Demo', 'List-Id: <team.bone.example>', text, '', 'Yes.'],
  ],
  [
    'forwarded by a rule of our own mailbox',
    [
      'From: bob@bone.example',
      'Subject: Re: Demo',
      'X-MS-Exchange-Inbox-Rules-Loop: ada@acme.example',
      text,
      '',
      'Yes.',
    ],
  ],
  [
    'in a thread about unsubscribing',
    ['From: bob@bone.example', 'Subject: Re: unsubscribe', text, '', '> stop'],
  ],
])('classifies a reply from a person %s as a reply', async (_who, lines) => {
  expect(await classified(lines)).toMatchObject({ kind: 'reply' })
})

test('does not classify a newsletter as a reply', async () => {
  for (const header of ['List-Id: <news.bone.example>', 'List-Unsubscribe: <mailto:leave@bone.example>']) {
    const mail = ['From: bob@bone.example', 'Subject: News', header, text, '', 'Buy now.']
    expect((await classified(mail)).kind).toBe('other')
  }
})

test('finds an opt-out request in the subject of an email without text', async () => {
  expect((await classified(['From: bob@bone.example', 'Subject: Unsubscribe', text, '', ''])).kind).toBe(
    'unsubscribe',
  )
})

test('finds no absence in the quoted original of an automatic reply', async () => {
  const receipt = await classified([
    'From: bob@bone.example',
    'Subject: Re: Demo',
    'Date: Mon, 20 Apr 2026 08:00:00 +0000',
    'Auto-Submitted: auto-replied',
    '',
    'Your request has been received.',
    '> I am out of the office until 4 May 2026.',
  ])
  expect(receipt).toMatchObject({ kind: 'auto_reply', isOutOfOffice: false })
  const absence = await classified([
    'From: bob@bone.example',
    'Subject: Out of office',
    'Date: Mon, 20 Apr 2026 08:00:00 +0000',
    '',
    'I will answer soon.',
    '> Our offer is valid until 4 May 2026.',
  ])
  expect(absence.returnsAt).toBeUndefined()
})

test('keeps the text that a person wrote, without the quoted original', async () => {
  for (const { answer, raw } of humanReplies) {
    expect((await read(raw)).newText).toBe(answer)
  }
})

test('classifies a bare opt-out request as unsubscribe', async () => {
  const { kind, reason } = await classified([
    'From: bob@bone.example',
    'Subject: Re: Demo',
    '',
    'Please stop.',
  ])
  expect({ kind, reason }).toEqual({ kind: 'unsubscribe', reason: 'its text is: please stop' })
})

test('finds an opt-out request in the HTML of an email whose text part is blank', async () => {
  const { kind } = await classified([
    'From: bob@bone.example',
    'Subject: Re: Demo',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    ' ',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>Please stop.</p>',
    '--b--',
  ])
  expect(kind).toBe('unsubscribe')
})

test('reports the recipient, class and original email of a bounce', async () => {
  const found = await classified([
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.acme.example (Mail Delivery System)',
    'To: ada+k3y@acme.example',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    '',
    'I am sorry, your message could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.acme.example',
    '',
    'Final-Recipient: rfc822; bob@bone.example',
    'Action: failed',
    'Status: 5.0.0',
    'Diagnostic-Code: smtp; 552 mailbox is full',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    'Message-ID: <ours@acme.example>',
    'To: bob@bone.example',
    '--b--',
  ])
  expect(found).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: 'bob@bone.example', class: 'soft' }],
    originalMessageIds: ['<ours@acme.example>'],
    envelopeTokens: ['k3y'],
  })
})

test('does not classify a read receipt as a reply', async () => {
  const { kind, recipients } = await classified([
    'From: bob@bone.example',
    'Subject: Read: Demo',
    'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
    '',
    '--b',
    '',
    'Your message was displayed on Monday.',
    '--b',
    'Content-Type: message/disposition-notification',
    '',
    'Final-Recipient: rfc822; bob@bone.example',
    'Disposition: manual-action/MDN-sent-manually; displayed',
    '--b--',
  ])
  expect({ kind, recipients }).toEqual({
    kind: 'report',
    recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
  })
})

test.each([
  ['abuse', 'complaint'],
  ['fraud', 'complaint'],
  ['opt-out', 'complaint'],
  ['not-spam', 'report'],
  ['auth-failure', 'report'],
])('classifies feedback of the type %s as %s', async (type, kind) => {
  const found = await classified([
    'From: feedback@provider.example',
    'Subject: complaint about message from 192.0.2.7',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    '',
    'This is a report about a mail of yours.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Message-ID: <ours@acme.example>',
    'To: bob@bone.example',
    '--b--',
  ])
  expect(found).toMatchObject({ kind, originalMessageIds: ['<ours@acme.example>'] })
  if (kind === 'complaint') expect(found.recipients).toMatchObject([{ address: 'bob@bone.example' }])
})

/** Builds a notice as SNS forwards it, with wrapped lines and a footer. */
const sesNotice = (notice: object): Promise<Classified> =>
  classified([
    'From: AWS Notifications <no-reply@sns.amazonaws.example>',
    'Subject: AWS Notification Message',
    'x-amz-sns-message-id: 1af9f4b7',
    '',
    JSON.stringify({
      ...notice,
      mail: { headers: [{ name: 'Message-ID', value: '<ours@acme.example>' }] },
    }).replace(/.{60}/g, '$&!\r\n '),
    '',
    '--',
    'If you wish to stop receiving notifications from this topic, please click the link below to unsubscribe:',
  ])
const bouncedRecipients = [{ emailAddress: 'Bob@bone.example', status: '5.1.1' }]

test.each([
  ['Permanent', 'General', 'hard'],
  ['Permanent', 'OnAccountSuppressionList', 'unknown'],
  ['Transient', 'MailboxFull', 'soft'],
  ['Transient', 'AttachmentRejected', 'unknown'],
  ['Undetermined', 'Undetermined', 'unknown'],
])('classifies an Amazon SES bounce %s, %s as %s', async (bounceType, bounceSubType, expected) => {
  const notice = { notificationType: 'Bounce', bounce: { bounceType, bounceSubType, bouncedRecipients } }
  expect(await sesNotice(notice)).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: 'bob@bone.example', class: expected, status: '5.1.1' }],
    originalMessageIds: ['<ours@acme.example>'],
  })
})

test('classifies complaints and deliveries from Amazon SES', async () => {
  const complainedRecipients = [{ emailAddress: 'bob@bone.example' }]
  const complaint = await sesNotice({ notificationType: 'Complaint', complaint: { complainedRecipients } })
  expect(complaint).toMatchObject({ kind: 'complaint', recipients: [{ address: 'bob@bone.example' }] })
  const delivery = await sesNotice({
    notificationType: 'Delivery',
    delivery: { recipients: ['bob@bone.example'] },
  })
  expect(delivery).toMatchObject({ kind: 'report', recipients: [{ address: 'bob@bone.example' }] })
})
