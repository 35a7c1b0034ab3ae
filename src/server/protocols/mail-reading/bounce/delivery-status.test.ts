import { expect, test } from 'vitest'
import { defaultLimits } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import { parseRecipientStatuses } from './delivery-status.ts'

const report = (type: string, ...lines: string[]): string[] => [
  'Content-Type: multipart/report; boundary=b',
  '',
  '--b',
  '',
  'It failed.',
  '--b',
  `Content-Type: ${type}`,
  '',
  ...lines,
  '--b--',
]

const parseStatuses = async (...lines: string[]) =>
  parseRecipientStatuses(await readEmail(Buffer.from(`${lines.join('\r\n')}\r\n`), defaultLimits))

const fields = [
  'Reporting-MTA: dns; mx.acme.example',
  '',
  'Final-Recipient: rfc822; Bob@bone.example',
  'Action: Failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 no such user',
]
const bob = {
  address: 'bob@bone.example',
  action: 'failed',
  status: '5.1.1',
  diagnostic: 'smtp; 550 5.1.1 no such user',
}

test.each(['message/delivery-status', 'message/global-delivery-status'])(
  'parses a part of the type %s',
  async type => {
    expect(await parseStatuses(...report(type, ...fields))).toEqual([bob])
  },
)

test('parses fields in the text of a malformed report', async () => {
  expect(await parseStatuses('Subject: Failed', '', 'Sorry.', '', ...fields)).toEqual([bob])
  expect(await parseStatuses('Subject: Failed', '', 'The final-recipient: of it', 'Action: failed')).toEqual(
    [],
  )
  expect(await parseStatuses('', '', 'Original-Recipient : rfc822; bob@bone.example')).toMatchObject([
    { address: 'bob@bone.example' },
  ])
})

test('prefers the report part to the text', async () => {
  const [type, blank, first, empty, text, ...rest] = report('message/delivery-status', ...fields)
  const body = [`${text}`, '', 'Final-Recipient: rfc822; ann@acme.example']
  expect(await parseStatuses(type!, blank!, first!, empty!, ...body, ...rest)).toEqual([bob])
})

test('parses a report nested in another one', async () => {
  const inner = [
    'Subject: Failed',
    '',
    '--c',
    'Content-Type: message/delivery-status',
    '',
    ...fields,
    '--c--',
  ]
  expect(await parseStatuses(...report('message/rfc822', ...inner))).toEqual([bob])
  const quoted = ['Subject: Hello', '', ...fields]
  expect(await parseStatuses(...report('message/rfc822', ...quoted))).toEqual([])
  const empty = ['Subject: Failed', '', '--c', 'Content-Type: message/delivery-status', '', '--c--']
  expect(await parseStatuses(...report('message/rfc822', ...empty))).toEqual([])
})

test('parses one block per recipient and ignores the block about the message', async () => {
  const ann = [
    '',
    'Original-Recipient: rfc822; ann@acme.example',
    'Action: delayed (for 4 hours)',
    'Status: 4.4.1',
  ]
  expect(await parseStatuses(...report('message/delivery-status', ...fields, ...ann))).toEqual([
    bob,
    { address: 'ann@acme.example', action: 'delayed', status: '4.4.1', diagnostic: '4.4.1' },
  ])
})

test('prefers the original recipient to the final one', async () => {
  const passedOn = [
    'Original-Recipient: rfc822; ann@acme.example',
    'Final-Recipient: rfc822; bob@bone.example',
  ]
  expect(await parseStatuses(...report('message/delivery-status', ...passedOn))).toMatchObject([
    { address: 'ann@acme.example' },
  ])
  const local = ['Final-Recipient: rfc822; bob', 'X-Actual-Recipient: rfc822; bob@bone.example']
  expect(await parseStatuses(...report('message/delivery-status', ...local))).toMatchObject([
    { address: 'bob@bone.example' },
  ])
  expect(await parseStatuses(...report('message/delivery-status', 'Final-Recipient: rfc822; bob'))).toEqual([
    { address: '', action: '', status: '', diagnostic: '' },
  ])
})

test.each([
  ['5.7.26 (refused)', '5.7.26'],
  ['smtp;550 5.1.1', '5.1.1'],
  ['2.0.0', '2.0.0'],
  ['5.123.456', '5.123.456'],
  ['5.1234.1', ''],
  ['5.1.1234', ''],
  ['15.1.1', ''],
  ['3.1.1', ''],
  ['failed', ''],
])('parses the status %j as %j', async (written, status) => {
  const block = ['Final-Recipient: rfc822; bob@bone.example', `Status: ${written}`]
  expect(await parseStatuses(...report('message/delivery-status', ...block))).toMatchObject([{ status }])
})

test('keeps all diagnostic text, even if it only follows the status', async () => {
  const parseDiagnostic = async (...lines: string[]) =>
    (await parseStatuses(...report('message/delivery-status', 'Final-Recipient: rfc822; b@x', ...lines)))[0]
      ?.diagnostic
  expect(
    await parseDiagnostic('Diagnostic-Code: one', 'Diagnostic-Code: two', 'X-PowerMTA-BounceCategory: bad'),
  ).toBe('one\ntwo\nbad')
  expect(await parseDiagnostic('X-PowerMTA-BounceCategory: bad-mailbox', 'Status: 5.0.0')).toBe('bad-mailbox')
  expect(await parseDiagnostic('Status: 5.0.0 (unknown user)')).toBe('5.0.0 (unknown user)')
})

test('parses at most a hundred recipients', async () => {
  const blocks = Array.from({ length: 120 }, (_, n) => [`Final-Recipient: rfc822; n${n}@bone.example`, ''])
  const statuses = await parseStatuses(...report('message/delivery-status', ...blocks.flat()))
  expect(statuses.map(({ address }) => address)).toEqual(
    Array.from({ length: 100 }, (_, n) => `n${n}@bone.example`),
  )
})
