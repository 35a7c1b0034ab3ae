import { expect, test } from 'vitest'
import { EmailParser, parseAndClassify, parseEmail } from './parse.ts'

const nested = (depth: number): string =>
  Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  ).join('')

test.each([
  ['too large', `Subject: a\r\n\r\n${'x'.repeat(5_000)}`, { bytes: 1_000 }, 'size'],
  ['nested too deep', `Subject: a\r\n${nested(200)}`, {}, 'structure'],
  [
    'of too many parts',
    `Subject: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(50)}`,
    { parts: 10 },
    'parts',
  ],
  ['of too many headers', `Subject: a\r\n${'X-A: b\r\n'.repeat(600)}\r\nx`, {}, 'headers'],
  ['of too long headers', `Subject: a\r\nX-A: ${'b'.repeat(600_000)}\r\n\r\nx`, {}, 'structure'],
])('a mail %s is cut, and says so', async (_what, raw, limits, cut) => {
  const mail = await parseEmail(Buffer.from(raw), limits)
  expect(mail).toMatchObject({ subject: 'a', isTruncated: true })
  expect(mail.cuts).toContain(cut)
})

test('after a mail that took too long the next one is read as ever', async () => {
  await using parser = new EmailParser()
  // Given up at once, or read in the very moment.
  await parser.classify(Buffer.from('Subject: a\r\n\r\nb'), { timeMs: 0 }).catch(() => undefined)
  expect((await parser.classify(Buffer.from('Subject: c\r\n\r\nd'))).email).toMatchObject({
    subject: 'c',
    bodyText: 'd\n',
    cuts: [],
  })
})

test('a mail counts by its words, whatever lists its HTML holds', async () => {
  const list = '<ol type="I" start="10000"><li>Yes, gladly</li></ol>'
  const raw = `From: a@b.example\r\nIn-Reply-To: <1@c.example>\r\nContent-Type: text/html\r\n\r\n${list}`
  const { email, classified } = await parseAndClassify(Buffer.from(raw))
  expect(email.bodyText).toContain('Yes, gladly')
  expect([classified.kind, email.cuts]).toEqual(['reply', []])
})

test('what a database cannot hold is taken out', async () => {
  const { bodyText, headers } = await parseEmail(Buffer.from('X-A: b\0c\r\n\r\nd\0e'))
  expect(bodyText).toBe('de\n')
  expect(headers.get('x-a')).toEqual(['bc'])
})
