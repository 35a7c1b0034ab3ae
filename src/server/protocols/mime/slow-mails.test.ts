import { expect, test } from 'vitest'
import { slowMails } from '../../../../test/support/mail/slow-mails.ts'
import { EmailParser } from './parse.ts'

test('parses every email with 200,000 characters of hostile text quickly', async () => {
  await using parser = new EmailParser()
  const hanging: string[] = []
  for (const { name, raw } of slowMails) {
    // The slowest email takes half a second, or many times that on a busy machine. In quadratic time, it would take
    // twice this limit.
    const { email } = await parser.classify(raw, { timeMs: 20_000 })
    if (email.cuts.includes('time')) hanging.push(name)
  }
  expect(hanging).toEqual([])
})
