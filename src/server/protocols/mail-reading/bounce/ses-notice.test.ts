import { expect, test } from 'vitest'
import { defaultLimits, type ParsedEmail } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import { parseSesNotice } from './ses-notice.ts'

const toMail = (text: string, header = 'x-amz-sns-message-id: 1af9f4b7'): Promise<ParsedEmail> =>
  readEmail(
    Buffer.from(`From: no-reply@sns.amazonaws.example\r\n${header}\r\n\r\n${text}\r\n`),
    defaultLimits,
  )

const read = async (notice: object) => parseSesNotice(await toMail(JSON.stringify(notice)))

const bounced = (bounceType: unknown, bounceSubType: unknown, bouncedRecipients: unknown) => ({
  notificationType: 'Bounce',
  bounce: { bounceType, bounceSubType, bouncedRecipients },
})

test('a bounce includes everything that Amazon SES reports', async () => {
  const headers = [
    { name: 'Subject', value: '<subject@acme.example>' },
    { name: 'message-id', value: '<ours@acme.example>' },
  ]
  const commonHeaders = { messageId: '<common@acme.example>' }
  const recipients = [{ emailAddress: 'Bob@bone.example', status: '5.1.1' }, { emailAddress: 'a@b.example' }]
  const notice = { ...bounced('Permanent', 'General', recipients), mail: { headers, commonHeaders } }
  expect(await read(notice)).toEqual({
    kind: 'bounce',
    reason: 'Amazon SES notification: Bounce Permanent General',
    recipients: [
      { address: 'bob@bone.example', class: 'hard', status: '5.1.1' },
      { address: 'a@b.example', class: 'hard' },
    ],
    messageIds: ['<ours@acme.example>', '<common@acme.example>'],
  })
})

test.each([
  ['Permanent', 'General', 'hard'],
  ['Permanent', 'NoEmail', 'hard'],
  ['Permanent', 'NoEmailEver', 'unknown'],
  ['Permanent', 'InGeneral', 'unknown'],
  ['Permanent', 'Suppressed', 'unknown'],
  ['Transient', 'General', 'soft'],
  ['Transient', 'ContentRejected', 'unknown'],
  ['Transient', 'AttachmentRejected', 'unknown'],
  ['Undetermined', 'General', 'unknown'],
  [undefined, undefined, 'unknown'],
])('a bounce of type %s, %s is %s', async (type, subType, expected) => {
  const notice = await read(bounced(type, subType, [{ emailAddress: 'bob@bone.example' }]))
  expect(notice?.recipients).toEqual([{ address: 'bob@bone.example', class: expected }])
})

test('complaints and deliveries are parsed from notifications and events', async () => {
  const complaint = { complainedRecipients: [{ emailAddress: 'bob@bone.example' }] }
  expect(await read({ eventType: 'Complaint', complaint })).toEqual({
    kind: 'complaint',
    reason: 'Amazon SES notification: Complaint',
    recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
    messageIds: [],
  })
  const delivery = { recipients: ['Bob@bone.example', 7, null, ['a@b.example']] }
  expect(await read({ notificationType: 'Delivery', delivery })).toEqual({
    kind: 'report',
    reason: 'Amazon SES notification: Delivery',
    recipients: [{ address: 'bob@bone.example', class: 'unknown' }],
    messageIds: [],
  })
})

test.each([
  ['of another kind', { notificationType: 'Open' }],
  ['of no kind', {}],
  ['that is a list', [{ notificationType: 'Bounce' }]],
])('a notice %s is ignored', async (_what, notice) => {
  expect(await read(notice)).toBeUndefined()
})

test.each(['null', '"Bounce"', 'Hello', '', '{"notificationType":'])('%j is not a notice', async text => {
  expect(parseSesNotice(await toMail(text))).toBeUndefined()
})

test('an email without the SNS header is not a notice', async () => {
  const text = JSON.stringify(bounced('Permanent', 'General', []))
  expect(parseSesNotice(await toMail(text, 'Subject: Notice'))).toBeUndefined()
})

test('wrapped lines are joined and the footer is ignored', async () => {
  const text = JSON.stringify(bounced('Transient', 'MailboxFull', [{ emailAddress: 'bob@bone.example' }]))
  for (const [piece, footer] of [
    ['!\r\n ', '\r\n\r\n-- \r\nTo stop, click -- '],
    ['\r\n', '\r\n--\r\n{}'],
  ]) {
    const mail = await toMail(text.replace(/.{40}/g, `$&${piece}`) + footer)
    expect(parseSesNotice(mail)?.recipients).toEqual([{ address: 'bob@bone.example', class: 'soft' }])
  }
})

test('malformed and excess recipients are ignored', async () => {
  const many = Array.from({ length: 101 }, (_, n) => ({ emailAddress: `${n}@bone.example` }))
  expect((await read(bounced('Permanent', 'General', many)))?.recipients).toHaveLength(100)
  const long = await read(bounced('Permanent', 'General', [{ emailAddress: 'x'.repeat(1_001), status: 5 }]))
  expect(long?.recipients).toEqual([{ address: 'x'.repeat(1_000), class: 'hard' }])
  expect((await read(bounced('Permanent', 'General', 'bob@bone.example')))?.recipients).toEqual([])
  const odd = { ...bounced('Permanent', 'General', []), mail: { headers: {}, commonHeaders: [] } }
  expect((await read(odd))?.messageIds).toEqual([])
})
