import { z } from 'zod'
import { optionalText, rejectControlCharacters, text, timeInput } from './page.ts'

export const tlsModes = ['implicit', 'starttls', 'none'] as const

export const port = z.int().min(1).max(65535)

const perDay = z.int().min(1).max(100_000)

export const paceInput = {
  dailyCap: perDay
    .nullish()
    .describe(
      'Maximum number of emails in any 24 hours. Rejected emails and replies count, but replies are never delayed. Start with 50: providers close mailboxes whose volume jumps. Null: no limit. Defaults to the limit of the provider, if that is known',
    ),
  minGapSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'Minimum time between two emails, plus a random extra of up to half of it; replies are never delayed. 90 looks human. Defaults to 0, or to 2 for Microsoft, which accepts 30 emails a minute',
    ),
  rampUp: z
    .strictObject({
      start: perDay.describe('Limit on the first day'),
      increase: perDay.describe('Increase after each day with emails, up to `dailyCap`'),
    })
    .nullish()
    .describe(
      'Warm-up of a new mailbox: a lower limit that grows each day from today, and steps back two days when emails bounce',
    ),
}

export const passwordRequired = 'A different host or port, or weaker TLS, requires the password'
const password = rejectControlCharacters(z.string().min(1).max(1024))

export const smtpInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 465, `starttls` for 587'),
  user: optionalText(320),
  password: password.optional().describe('Stored encrypted and never returned'),
}

export const imapInput = {
  host: text(253),
  port,
  tls: z.enum(tlsModes).describe('`implicit` for port 993, `starttls` for 143'),
  user: text(320),
  password: password.describe('Stored encrypted and never returned'),
  syncFrom: timeInput
    .optional()
    .describe(
      'Earliest mail to process. Defaults to the first email sent from this address within the last 60 days, or to today',
    ),
}
