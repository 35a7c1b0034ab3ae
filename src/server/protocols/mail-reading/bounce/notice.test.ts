import { expect, test } from 'vitest'
import { parseNoticeRecipients } from './notice.ts'

const parseRecipients = (notice: string, { ignored = [] as string[], returnedTo = [] as string[] } = {}) =>
  parseNoticeRecipients(notice, { ignored: new Set(ignored), returnedTo })
const parseAddresses = (notice: string, more = {}) =>
  parseRecipients(notice, more).map(({ address }) => address)

test('a line that begins with an address and the lines below it are about that address', () => {
  const notice = [
    'It failed for ada@acme.example.',
    'a@bone.example: no such user',
    '   550 5.1.1 gone',
    'b@bone.example: mailbox full',
  ].join('\n')
  expect(parseRecipients(notice)).toEqual([
    { address: 'a@bone.example', text: 'a@bone.example: no such user\n   550 5.1.1 gone' },
    { address: 'b@bone.example', text: 'b@bone.example: mailbox full' },
  ])
})

test('text about one recipient in two places is joined', () => {
  expect(parseRecipients('a@bone.example: one\nb@bone.example: two\n<a@bone.example>: three')).toEqual([
    { address: 'a@bone.example', text: 'a@bone.example: one\n<a@bone.example>: three' },
    { address: 'b@bone.example', text: 'b@bone.example: two' },
  ])
})

test.each([
  'a@bone.example',
  '  <a@bone.example>',
  '* a@bone.example',
  '> • |"a@bone.example"',
  'To: a@bone.example',
  'User: <a@bone.example>',
  'Address = a@bone.example',
  'Addressee: a@bone.example',
  'Mailbox: a@bone.example',
  'E-Mail: a@bone.example',
  'Final-Recipient: rfc822;a@bone.example',
  'Failed recipients:   a@bone.example',
  'Original addresses: a@bone.example',
  'intended recipient: a@bone.example',
  'RCPT TO: a@bone.example',
  '宛先: a@bone.example',
  '>>> RCPT TO:<a@bone.example>',
  '<<< 550 5.1.1 <a@bone.example>',
  '550 5.1.1 <a@bone.example>',
  '<<< a@bone.example',
  '[smtp:a@bone.example',
  'mailto:a@bone.example',
  'Recipient: [SMTP:a@bone.example]',
])('"%s" is about that address only', line => {
  expect(parseAddresses(`${line}\nand not about b@bone.example`)).toEqual(['a@bone.example'])
})

test.each([
  'They say so of a@bone.example',
  'Recipient a@bone.example',
  'Unwanted recipient: a@bone.example',
  '650 a@bone.example',
])('"%s" only mentions the address', line => {
  expect(parseAddresses(`${line}\nand b@bone.example`)).toEqual(['a@bone.example', 'b@bone.example'])
})

test('recipients of the returned email are preferred to other mentioned addresses', () => {
  const notice = 'Your mail to a@bone.example was not for b@bone.example'
  expect(parseAddresses(notice, { returnedTo: ['b@bone.example'] })).toEqual(['b@bone.example'])
  expect(parseAddresses(notice, { returnedTo: ['c@bone.example'] })).toEqual([
    'a@bone.example',
    'b@bone.example',
  ])
})

test.each([
  'From: a@bone.example',
  'Sender <a@bone.example>',
  'sent by a@bone.example',
  'Please contact a@bone.example',
  'ask a@bone.example',
  'at a@bone.example',
  'Reply-To: a@bone.example',
  'Return-Path: <a@bone.example>',
  'the administrator a@bone.example',
  '>>> MAIL From:<a@bone.example>',
])('"%s" names someone other than a recipient', line => {
  expect(parseAddresses(line)).toEqual([])
})

test('a word that only ends in "at" does not exclude the address after it', () => {
  expect(parseAddresses('We could not reach that: a@bone.example')).toEqual(['a@bone.example'])
})

test('the sender of the email is not a recipient', () => {
  expect(
    parseAddresses('A@acme.example: failed\nb@bone.example: failed', { ignored: ['a@acme.example'] }),
  ).toEqual(['b@bone.example'])
})

test('a verdict by Sendmail ends the transcript that led to it', () => {
  const notice = [
    'Sorry.',
    '   ----- Transcript of session follows -----',
    '>>> DATA',
    '<<< 550 5.1.1 gone',
    '550 5.1.1 <a@bone.example>... User unknown',
    '<<< 552 5.2.2 full',
    '> 552 <b@bone.example>... Over quota',
    'Goodbye.',
  ].join('\n')
  const [a, b] = parseRecipients(notice)
  expect(a!.text.split('\n')).toEqual([
    'Sorry.',
    '   ----- Transcript of session follows -----',
    '>>> DATA',
    '<<< 550 5.1.1 gone',
    '550 5.1.1 <a@bone.example>... User unknown',
  ])
  expect(b!.text.split('\n')).toEqual(['<<< 552 5.2.2 full', '> 552 <b@bone.example>... Over quota'])
})

test('a transcript does not belong to the recipient above it', () => {
  const notice = [
    '<a@bone.example>',
    '    (reason: 550 gone)',
    '   ----- Transcript of session follows -----',
    '... while talking to mx.bone.example',
  ].join('\n')
  expect(parseRecipients(notice)).toEqual([
    { address: 'a@bone.example', text: '<a@bone.example>\n    (reason: 550 gone)' },
  ])
})

test('only a bounded number of lines is parsed', () => {
  const line = `${' '.repeat(980)}a@bone.example`
  expect(parseAddresses(line)).toEqual(['a@bone.example'])
  expect(parseAddresses(`${' '.repeat(1_000)}a@bone.example`)).toEqual([])
  expect(parseAddresses(`${'\n'.repeat(1_999)}a@bone.example`)).toEqual(['a@bone.example'])
  expect(parseAddresses(`${'\n'.repeat(2_000)}a@bone.example`)).toEqual([])
  const many = Array.from({ length: 101 }, (_, n) => `<${n}@bone.example>`)
  expect(parseAddresses(many.join('\n'))).toHaveLength(100)
})
