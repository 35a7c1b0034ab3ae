import { expect, test } from 'vitest'
import { defaultLimits } from '../../mime/parse.ts'
import { readEmail } from '../../mime/read-email.ts'
import { parseReturnedMessage, splitNotice } from './returned-message.ts'

const ours = ['Return-Path: <ada+k3y@acme.example>', 'From: Ada <ada@acme.example>', 'To: bob@bone.example']
const ids = ['Message-ID: <relay@mx.example>', 'X-Sent-Message-ID: <ours@acme.example>', '', 'Hi']

const read = async (...lines: string[]) =>
  parseReturnedMessage(await readEmail(Buffer.from(`${lines.join('\r\n')}\r\n`), defaultLimits))
const withPart = (type: string, ...lines: string[]): string[] => [
  'Content-Type: multipart/mixed; boundary=b',
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
const all = {
  messageIds: ['<ours@acme.example>', '<relay@mx.example>'],
  to: ['bob@bone.example'],
  from: ['ada@acme.example'],
  returnPath: ['ada+k3y@acme.example'],
}

test.each([
  'message/rfc822',
  'message/global',
  'message/partial',
  'message/global-headers',
  'text/rfc822-headers',
  'text/rfc822-header',
])('parses a returned email of the type %s', async type => {
  expect(await read(...withPart(type, ...ours, ...ids))).toEqual(all)
})

test.each([
  '------ This is a copy of the message, including all the headers. ------',
  '--- Below this line is a copy of the message.',
  '    Below is a copy of the original message:',
  'Message headers follow.',
  '--- The header of the original message is following. ---',
  '   ----- Original message follows -----',
  '   ----- Unsent message follows -----',
  'Message text follows:',
  '----- Original Message -----',
  'Enclosed is the original message',
  'Copy of your message:',
])('parses a returned email below "%s"', async line => {
  expect(await read('Subject: Failed', '', 'It failed.', '', line, '', ...ours, ...ids)).toMatchObject({
    from: all.from,
    to: all.to,
    messageIds: all.messageIds,
  })
})

test('parses a returned email without a line that announces it', async () => {
  expect(await read('Subject: Failed', '', 'It failed.', '', ...ours, ...ids)).toEqual(all)
})

test('parses a returned email in a separate text part', async () => {
  const lines = withPart('text/plain; name=message.txt\r\nContent-Disposition: attachment', ...ours, ...ids)
  expect(await read(...lines)).toEqual(all)
})

test('returns empty lists without a returned email', async () => {
  expect(await read('Subject: Failed', '', 'It failed.')).toEqual({
    messageIds: [],
    to: [],
    from: [],
    returnPath: [],
  })
})

test('includes Sender and Cc', async () => {
  const lines = [
    'Sender: eve@acme.example',
    'Cc: ann@acme.example',
    ...ours.slice(1),
    'To: <bob@bone.example>',
  ]
  expect(await read(...withPart('message/rfc822', ...lines, ''))).toMatchObject({
    to: ['bob@bone.example', 'bob@bone.example', 'ann@acme.example'],
    from: ['ada@acme.example', 'eve@acme.example'],
  })
})

test('reads only the header, including fields that a relay added above', async () => {
  const blocks = Array.from({ length: 5 }, (_, n) => [`Message-ID: <${n}@x>`, '']).flat()
  const { messageIds } = await read(...withPart('message/rfc822', ...blocks, 'Message-ID: <5@x>', ''))
  expect(messageIds).toEqual(['<0@x>', '<1@x>', '<2@x>', '<3@x>', '<4@x>'])
})

test.each([
  ['its end when it returns nothing', 'It failed.\nSorry.', ''],
  [
    'a line that announces the original',
    'It failed.\n',
    '--- Original message follows ---\nTo: bob@bone.example',
  ],
  ['a header', 'It failed.\n', 'Received: from a by b\n--- Original message follows ---'],
  ['a quoted header', 'It failed.\n', '> Message-ID: <a@x>'],
  [
    'the earlier of two such lines',
    'It failed.\n',
    '--- Original message follows ---\nReceived: from a by b',
  ],
])('splits a report at %s', (_what, notice, returned) => {
  expect(splitNotice(notice + returned)).toEqual({ notice, returned })
})

test('does not split a report that begins with a header', () => {
  const text = 'Received: from a by b'
  expect(splitNotice(text)).toEqual({ notice: text, returned: '' })
})
