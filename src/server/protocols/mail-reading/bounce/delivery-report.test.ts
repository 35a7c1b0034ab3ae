import { expect, test } from 'vitest'
import { bounceMails, returnedId } from '../../../../../test/support/mail/bounce-mails.ts'
import { bounceNotices } from '../../../../../test/support/mail/bounce-notices.ts'
import { serverNotices } from '../../../../../test/support/mail/server-notices.ts'
import { defaultLimits } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import { classifyEmail } from '../classify.ts'
import { parseDeliveryReport } from './delivery-report.ts'

const classify = async (raw: Buffer) => classifyEmail(await readEmail(raw, defaultLimits))

test.each(bounceMails)('a report from $name is a bounce', async ({ to, raw, class: expected }) => {
  const classified = await classify(raw)
  expect(classified).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: to, class: expected }],
    originalMessageIds: [returnedId],
    envelopeTokens: ['k3y'],
  })
  expect(classified.recipients).toHaveLength(1)
})

test.each(bounceNotices)('a notice from $name is a bounce', async ({ to, raw, class: expected }) => {
  const { kind, recipients } = await classify(raw)
  expect([kind, ...recipients.map(one => `${one.address} ${one.class}`)]).toEqual([
    'bounce',
    `${to} ${expected}`,
  ])
})

test.each(serverNotices)(
  'reads the recipient and the class in the notice from $name',
  async ({ to, raw, class: expected }) => {
    const { kind, recipients } = await classify(raw)
    expect([kind, ...recipients.map(one => `${one.address} ${one.class}`)]).toEqual([
      'bounce',
      `${to} ${expected}`,
    ])
  },
)

const read = async (head: string[], ...text: string[]) =>
  parseDeliveryReport(
    await readEmail(
      Buffer.from(['To: ada@acme.example', ...head, '', ...text, ''].join('\r\n')),
      defaultLimits,
    ),
  )
const daemon = 'From: MAILER-DAEMON@mx.acme.example'
const failure = 'Subject: Delivery failed'

/** Builds an RFC 3464 report: the notice, the fields of each recipient, then the returned email. */
const report = (notice: string[], ...recipients: string[][]) =>
  read(
    ['From: mx@acme.example', 'Content-Type: Multipart/Report; report-type=Delivery-Status; boundary=b'],
    ...['--b', '', ...notice, '--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx'],
    ...recipients.flatMap(fields => ['', ...fields]),
    ...['--b', 'Content-Type: text/rfc822-headers', '', 'To: carl@bone.example', '--b--'],
  )
const toFields = (address: string, action: string, status: string, diagnostic = '550 no') => [
  `Final-Recipient: rfc822; ${address}`,
  `Action: ${action}`,
  `Status: ${status}`,
  `Diagnostic-Code: smtp; ${diagnostic}`,
]

test.each([
  ['delivered', '2.0.0'],
  ['relayed', ''],
  ['expanded', ''],
  ['', '2.1.5'],
])('a report with the action %j and the status %j is not a bounce', async (action, status) => {
  expect(await report([], toFields('bob@bone.example', action, status))).toEqual({
    kind: 'report',
    recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
    reason: 'a report of successful delivery',
  })
})

test('a report lists each failed recipient with its own fields and text', async () => {
  const notice = ['<bob@bone.example>: mailbox full', '<dan@bone.example>: refused for its spam']
  const result = await report(
    notice,
    toFields('bob@bone.example', 'failed', '5.0.0'),
    toFields('dan@bone.example', 'failed', '5.0.0'),
    toFields('eve@bone.example', 'failed', '5.1.1'),
    toFields('ann@bone.example', 'delivered', '2.0.0'),
  )
  expect(result).toEqual({
    kind: 'bounce',
    recipients: [
      { address: 'bob@bone.example', class: 'soft', status: '5.0.0' },
      { address: 'dan@bone.example', class: 'policy', status: '5.0.0' },
      { address: 'eve@bone.example', class: 'hard', status: '5.1.1' },
    ],
    reason: 'a delivery report (RFC 3464)',
  })
})

test('the notice completes fields that lack details', async () => {
  const [local] = (await report(['<bob@bone.example>: mailbox full'], toFields('bob', 'failed', '')))!
    .recipients
  expect(local).toEqual({ address: 'bob@bone.example', class: 'soft' })
  const [unnamed] = (await report(['The mailbox is full'], toFields('bob', 'failed', '')))!.recipients
  expect(unnamed).toEqual({ address: 'carl@bone.example', class: 'soft' })
  const two = await report(
    ['<bob@bone.example>: no'],
    toFields('bob', 'failed', ''),
    toFields('dan', 'failed', ''),
  )
  expect(two!.recipients.map(({ address }) => address)).toEqual(['', ''])
})

test('the whole notice is about the failed recipient if there is only one', async () => {
  const notice = ['Refused in reply to end of DATA.', '', '<bob@bone.example>', 'no more is known']
  const fields = toFields('bob@bone.example', 'failed', '5.0.0', 'User unknown in our directory')
  expect((await report(notice, fields))!.recipients).toMatchObject([{ class: 'unknown' }])
  expect((await report(notice.slice(1), fields))!.recipients).toMatchObject([{ class: 'hard' }])
  const two = ['<bob@bone.example>: mailbox full', '<dan@bone.example>: mailbox full']
  expect((await report(two, toFields('bob', 'failed', '')))!.recipients).toMatchObject([{ address: '' }])
})

test('a header with the failed recipients suffices in any language', async () => {
  const head = ['From: x@y.example', 'Subject: Hi', 'X-Failed-Recipients: bob@bone.example']
  expect((await read(head, 'Því miður'))?.recipients).toEqual([
    { address: 'bob@bone.example', class: 'unknown' },
  ])
})

test('an email that the server still tries to deliver is delayed', async () => {
  const isDelayed = async (action: string) =>
    (await report([], toFields('bob@bone.example', action, '4.4.1', '')))!.recipients[0]!.isDelayed
  expect(await isDelayed('delayed')).toBe(true)
  expect(await isDelayed('failed')).toBeUndefined()
  const warning = await read(
    [daemon, 'Subject: Warning: message 1uBxyz-0001 delayed 24 hours'],
    'A message has not yet been delivered to:\n\n  bob@bone.example',
  )
  expect(warning?.recipients).toMatchObject([{ address: 'bob@bone.example', isDelayed: true }])
})

test('a report without fields is parsed from its notice', async () => {
  expect(await report(['Your mail could not be delivered to <bob@bone.example>'])).toEqual({
    kind: 'bounce',
    recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
    reason: 'an automatic email reports a failed delivery',
  })
  expect(await report(['<bob@bone.example> says hello'])).toBeUndefined()
  expect(await report(['Your mail could not be delivered'])).toBeUndefined()
})

test.each([
  ['the sender name of a mail system', [daemon, failure], 'a mail server reports a failed delivery'],
  ['an empty reverse path', ['Return-Path: <>', failure], 'an automatic email reports a failed delivery'],
  [
    'a header that lists failed recipients',
    ['From: x@y.example', 'Subject: Hi', 'X-Failed-Recipients: bob@bone.example'],
    'an automatic email reports a failed delivery',
  ],
])('an email with %s is a report', async (_what, head, reason) => {
  expect(await read(head, '<bob@bone.example>: mailbox full')).toEqual({
    kind: 'bounce',
    recipients: [{ address: 'bob@bone.example', class: 'soft' }],
    reason,
  })
})

test.each([
  ['from a mail system that reports no failure', [daemon, 'Subject: Hi'], ['Hello bob@bone.example']],
  [
    'with an empty reverse path and a greeting',
    ['Return-Path: <>', 'Subject: Hi'],
    ['<bob@bone.example>: 550 gone'],
  ],
  ['from a person', ['From: bob@bone.example', failure], ['<bob@bone.example>: mailbox full']],
  [
    'from a person who quotes fields',
    ['From: bob@bone.example'],
    toFields('bob@bone.example', 'failed', '5.1.1'),
  ],
  [
    'from a postmaster who names nobody',
    ['From: postmaster@bone.example', 'Subject: Hi'],
    ['It could not be delivered.'],
  ],
  [
    'from a postmaster who replies',
    ['From: postmaster@bone.example', 'Subject: Re: Hi'],
    ['It could not be delivered to bob@bone.example.'],
  ],
  [
    'from a postmaster who names somebody in a quote',
    ['From: postmaster@bone.example', 'Subject: Hi'],
    ['It could not be delivered.', '> bob@bone.example'],
  ],
])('an email %s is not a report', async (_what, head, text) => {
  expect(await read(head, ...text)).toBeUndefined()
})

test('an email from a postmaster that names an address or a command is a report', async () => {
  const from = 'From: postmaster@bone.example'
  const named = await read([from, 'Subject: Hi'], 'It could not be delivered to bob@bone.example.')
  expect(named?.recipients).toMatchObject([{ address: 'bob@bone.example' }])
  const withCommand = await read(
    [from, 'Subject: Re: Hi'],
    'Not accepted, unknown user.',
    '  RCPT TO: bob@bone.example',
  )
  expect(withCommand?.recipients).toMatchObject([{ address: 'bob@bone.example' }])
  expect(
    await read([from, 'Subject: Re: Hi'], 'Unknown user.', 'No RCPT TO: bob@bone.example'),
  ).toBeUndefined()
})

test('every recipient in X-Failed-Recipients failed, even the sender, and each has its own text', async () => {
  const head = [daemon, failure, 'X-Failed-Recipients: ada@acme.example, bob@bone.example, dan@bone.example']
  const lines = [
    '<bob@bone.example>: mailbox full',
    '<dan@bone.example>: spam refused',
    '<eve@bone.example>: no',
  ]
  expect((await read(head, ...lines))?.recipients).toEqual([
    { address: 'ada@acme.example', class: 'soft' },
    { address: 'bob@bone.example', class: 'soft' },
    { address: 'dan@bone.example', class: 'policy' },
  ])
})

test('the sender of the returned email is not a failed recipient, except in an email to oneself', async () => {
  const back = [
    '',
    '--- Original message follows ---',
    'Return-Path: <eve@acme.example>',
    'From: ann@acme.example',
  ]
  const listRecipients = async (...text: string[]) =>
    (
      await read([daemon, failure], ...text, ...back, 'To: carl@bone.example, dan@bone.example')
    )?.recipients.map(({ address }) => address)
  const ours = '<Ada@acme.example> <ann@acme.example> <eve@acme.example> <MAILER-DAEMON@mx.acme.example>'
  expect(await listRecipients(`${ours} <bob@bone.example>: failed`)).toEqual(['bob@bone.example'])
  expect(await listRecipients('<ada@acme.example>: failed')).toEqual(['ada@acme.example'])
  expect(await listRecipients('<ann@acme.example>: failed')).toEqual(['carl@bone.example'])
  expect(await listRecipients('Your mail for dan@bone.example or zoe@bone.example failed')).toEqual([
    'dan@bone.example',
  ])
})

test('each of several recipients gets the text below its address', async () => {
  const result = await read(
    [daemon, failure],
    '<bob@bone.example>:',
    'mailbox full',
    '<dan@bone.example>:',
    'spam refused',
  )
  expect(result?.recipients).toEqual([
    { address: 'bob@bone.example', class: 'soft' },
    { address: 'dan@bone.example', class: 'policy' },
  ])
})

const unsigned = (subject: string, ...text: string[]) =>
  read(['From: noreply@bone.example', `Subject: ${subject}`], ...text)
const opening = 'This message was created automatically. It could not be delivered to bob@bone.example.'

test('a notice from an unknown sender is never a hard bounce', async () => {
  const report = await unsigned(
    'Delivery failed',
    opening,
    '550 5.1.1 user unknown (in reply to RCPT TO command)',
  )
  expect(report?.recipients).toEqual([{ address: 'bob@bone.example', class: 'unknown', status: '5.1.1' }])
  expect((await unsigned('Delivery failed', opening, 'mailbox full'))?.recipients).toMatchObject([
    { class: 'soft' },
  ])
})

test.each([
  ['begins with a greeting', 'Delivery failed', ['Hi Ada,', opening]],
  ['begins with text by a person', 'Delivery failed', ['Look at this, Bob has left:', '', `> ${opening}`]],
  ['has an unrelated subject', 'Your offer', [opening]],
  ['has the subject of a reply', 'Re: Delivery failed', [opening]],
  ['is a forward', 'Fwd: Undelivered Mail Returned to Sender', [opening]],
  ['names nobody and returns nothing', 'Delivery failed', ['Delivery of the mail failed automatically.']],
])('an email that opens like a notice but %s is not a report', async (_what, subject, text) => {
  expect(await unsigned(subject, ...text)).toBeUndefined()
})

test('an email in a thread is not a notice, regardless of its opening', async () => {
  for (const field of ['In-Reply-To: <0f3.step@acme.example>', 'References: <0f3.step@acme.example>']) {
    expect(await read(['From: bob@bone.example', 'Subject: Delivery failed', field], opening)).toBeUndefined()
  }
})

test('a reply above the notice of a known program is not a report', async () => {
  const domino = [
    'Your message',
    '',
    '  Subject: Demo',
    '',
    'was not delivered to:',
    '',
    '  bob@bone.example',
    '',
    'because:',
  ]
  const reason = '  User bob (bob@bone.example) not listed in Domino Directory'
  const from = 'From: carl@bone.example'
  expect(await read([from, 'Subject: Re: Demo'], ...domino, reason)).toBeUndefined()
  expect(await read([from, 'Subject: Demo'], 'Bob has left, see:', '', ...domino, reason)).toBeUndefined()
})
