import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { humanReplies } from '../../../test/support/human-replies.ts'
import { type Classified, classifyEmail } from './classify.ts'
import { parseEmail } from './parse.ts'
import { quoteTrimmedText } from './reply-text.ts'

const classified = async (lines: string[]): Promise<Classified> =>
  classifyEmail(await parseEmail(Buffer.from(lines.join('\r\n'))))

test('no answer of a person is taken for anything else', async () => {
  const mistaken: string[] = []
  for (const { answer, raw } of humanReplies) {
    const { kind, why } = classifyEmail(await parseEmail(raw))
    if (kind !== 'reply') mistaken.push(`${kind}: ${why}\n${raw}\n(${answer})`)
  }
  expect(humanReplies.length).toBeGreaterThanOrEqual(300)
  expect(mistaken).toEqual([])
})

test('what a person wrote is kept, and what they answered is not', async () => {
  for (const { answer, raw } of humanReplies) {
    expect(quoteTrimmedText(await parseEmail(raw))).toBe(answer)
  }
})

test.each([
  'stop',
  'Please remove me from your list.\n\nBob',
  'Unsubscribe',
  'Please do not contact me again. Thanks',
  'Bitte nehmen Sie mich aus dem Verteiler.',
  'Merci de me désinscrire.',
  'Отпишите меня',
])('asks to be left alone: %s', async text => {
  const { kind } = await classified(['From: bob@bone.example', 'Subject: Re: Demo', '', text])
  expect(kind).toBe('unsubscribe')
})

test('a bounce names its recipient, its class and the mail that came back', async () => {
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

const folder = join(import.meta.dirname, '../../../../shared/corpus/bounces')
const isThere = existsSync(folder)

test.skipIf(!isThere)('vacations of the corpus are automatic replies, all of them', async () => {
  const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as Record<
    string,
    { reason: string }[]
  >
  const vacations = readdirSync(folder).filter(file => labels[file]?.[0]?.reason === 'vacation')
  expect(vacations.length).toBeGreaterThan(0)
  for (const file of vacations) {
    expect(classifyEmail(await parseEmail(readFileSync(join(folder, file)))).kind).toBe('auto_reply')
  }
})
