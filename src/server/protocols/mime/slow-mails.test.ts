import { expect, test } from 'vitest'
import { slowMails } from '../../../../test/support/mail/slow-mails.ts'
import { EmailParser } from './parse.ts'

test('parses every mail with 500,000 characters of hostile text quickly', async () => {
  await using parser = new EmailParser()
  const hanging: string[] = []
  for (const { name, raw } of slowMails) {
    // Only guards against hanging, because the machine may be busy.
    const { email } = await parser.classify(raw, { timeMs: 30_000 })
    if (email.cuts.includes('time')) hanging.push(name)
  }
  expect(hanging).toEqual([])
}, 300_000)
