import { expect, test } from 'vitest'
import { parseEmail } from '../../../../test/support/mail/parse-email.ts'
import { EmailParser, parseAndClassify } from './parse.ts'
import { ParserThreads } from './parser-threads.ts'
import type { ParserJob, ParserResult } from './parser-worker.ts'

const nested = (depth: number): string =>
  Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  ).join('')

test.each([
  ['that is too large', `Subject: a\r\n\r\n${'x'.repeat(5_000)}`, { bytes: 1_000 }, 'size'],
  ['nested too deeply', `Subject: a\r\n${nested(200)}`, {}, 'structure'],
  [
    'with too many parts',
    `Subject: a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(50)}`,
    { parts: 10 },
    'parts',
  ],
  ['with too many headers', `Subject: a\r\n${'X-A: b\r\n'.repeat(600)}\r\nx`, {}, 'headers'],
  ['with headers that are too long', `Subject: a\r\nX-A: ${'b'.repeat(600_000)}\r\n\r\nx`, {}, 'structure'],
])('truncates an email %s and names the limit', async (_what, raw, limits, cut) => {
  const mail = await parseEmail(Buffer.from(raw), limits)
  expect(mail).toMatchObject({ subject: 'a', isTruncated: true })
  expect(mail.cuts).toContain(cut)
})

test('parses the next email after one that timed out', async () => {
  await using parser = new EmailParser()
  // Times out, unless parsing ends within the same millisecond.
  await parser.classify(Buffer.from('Subject: a\r\n\r\nb'), { timeMs: 0 }).catch(() => undefined)
  expect((await parser.classify(Buffer.from('Subject: c\r\n\r\nd'))).email).toMatchObject({
    subject: 'c',
    bodyText: 'd\n',
    cuts: [],
  })
})

/** Threads in which the first job times out. */
class SlowThreads extends ParserThreads {
  #isFirst = true

  override async run<Job extends ParserJob>(
    ...job: Parameters<typeof ParserThreads.prototype.run<Job>>
  ): Promise<ParserResult<Job> | undefined> {
    if (!this.#isFirst) return await super.run(...job)
    this.#isFirst = false
    return undefined
  }
}

test.each([
  ['drops the file that was cut off', 100_000, [null]],
  ['keeps the file that was read completely', 1_000, [{ type: 'application/pdf' }]],
])('%s when an email that consists of a file times out', async (_what, size, files) => {
  await using parser = new EmailParser(new SlowThreads())
  const raw = `Subject: a\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\r\n${'x'.repeat(size)}`
  const parsed = await parser.classify(Buffer.from(raw))
  expect(parsed.email.cuts).toEqual(['time'])
  expect(parsed).toMatchObject({ files })
})

test('converts HTML with lists that the library rejects', async () => {
  const list = '<ol type="I" start="10000"><li>Yes, gladly</li></ol>'
  const raw = `From: a@b.example\r\nIn-Reply-To: <1@c.example>\r\nContent-Type: text/html\r\n\r\n${list}`
  const { email, classified } = await parseAndClassify(Buffer.from(raw))
  expect(email.bodyText).toContain('Yes, gladly')
  expect([classified.kind, email.cuts]).toEqual(['reply', []])
})

test('removes characters that PostgreSQL cannot store', async () => {
  const { bodyText, headers } = await parseEmail(Buffer.from('X-A: b\0c\r\n\r\nd\0e'))
  expect(bodyText).toBe('de\n')
  expect(headers.get('x-a')).toEqual(['bc'])
  const { calendar } = await parseEmail(Buffer.from('Content-Type: text/calendar\r\n\r\nUID:1\0@x.example'))
  expect(calendar).toContain('UID:1@x.example')
})

test("does not let one account's flood of emails delay another account's email", async () => {
  await using parser = new EmailParser(new ParserThreads(2))
  const raw = Buffer.from(
    `From: a@b.example\r\nContent-Type: text/html\r\n\r\n${'<p>Hello</p>'.repeat(5_000)}`,
  )
  const ended: string[] = []
  const read = async (accountId: string) => {
    await parser.classify(raw, {}, new Date(), accountId)
    ended.push(accountId)
  }
  const flood = Array.from({ length: 30 }, () => read('flooding'))
  await Promise.all([...flood, read('other')])
  expect(ended.indexOf('other')).toBeLessThan(15)
})

test('bounds the queue of an account and rejects with ParserError', async () => {
  await using parser = new EmailParser(new ParserThreads(2))
  const raw = Buffer.from('From: a@b.example\r\n\r\nHello')
  const parsing = Array.from({ length: 1_500 }, () => parser.classify(raw, {}, new Date(), 'flooding'))
  const outcomes = await Promise.allSettled([...parsing, parser.classify(raw, {}, new Date(), 'other')])
  const refused = outcomes.filter(outcome => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(400)
  expect(refused.every(({ reason }) => reason.name === 'ParserError')).toBe(true)
  expect(outcomes.at(-1)).toMatchObject({ status: 'fulfilled' })
})

test.each([
  ['nested without end', '<b><i><p>'.repeat(100_000)],
  ['with very many tags', '<p>a</p>'.repeat(100_000)],
])('converts HTML %s long before the deadline', async (_what, html) => {
  const raw = `From: a@b.example\r\nContent-Type: text/html\r\n\r\nYes, gladly${html}`
  const { email } = await parseAndClassify(Buffer.from(raw), { timeMs: 4_000 })
  expect(email.bodyText).toContain('Yes, gladly')
  expect(email.cuts).not.toContain('time')
})

test('keeps the order of words in deeply nested HTML', async () => {
  const html = `${'<div>'.repeat(300)}Yes &amp; gladly<br>Anna${'</div>'.repeat(300)}`
  const { bodyText } = await parseEmail(Buffer.from(`Content-Type: text/html\r\n\r\n${html}`))
  expect(bodyText).toBe('Yes & gladly\nAnna')
})

test('does not copy a queued email before its turn', async () => {
  await using threads = new ParserThreads(1)
  const made: number[] = []
  const convert = (n: number) =>
    threads.run(
      '',
      () => {
        made.push(n)
        return { html: `<p>${n}</p>` }
      },
      30_000,
    )
  const first = convert(1)
  const second = convert(2)
  expect(made).toEqual([])
  expect((await first)?.trim()).toBe('1')
  expect((await second)?.trim()).toBe('2')
  expect(made).toEqual([1, 2])
})
