import { z } from 'zod'
import { dayInput, text } from './page.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, such as 09:00')
  .describe('Time of day, such as `09:00`')

const areUnique = (values: readonly string[]) => new Set(values).size === values.length

export const window = z
  .strictObject({
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .max(7)
      .refine(areUnique, 'must not repeat a day')
      .describe('Days of the week'),
    from: timeOfDay,
    to: z
      .union([timeOfDay, z.literal('24:00')], 'must be a time of day, such as 17:00, or 24:00')
      .describe('End, exclusive, such as `17:00`; at most `24:00`'),
  })
  .refine(({ from, to }) => from < to, {
    path: ['to'],
    message: 'must be after `from`; use two windows to cross midnight',
  })

/** When a campaign may send, in the prospect's time zone. */
export const schedule = z
  .strictObject({
    windows: z.array(window).min(1).max(50).describe('Weekly windows in which steps may be done'),
    timezone: text(64)
      .optional()
      .describe("IANA time zone for prospects without one. Defaults to the account's"),
    holidays: z.array(dayInput).max(400).optional().describe('Dates without any steps, such as `2026-12-25`'),
    earliest: dayInput.optional().describe('First date'),
    latest: dayInput.optional().describe('Last date'),
  })
  .refine(({ earliest, latest }) => !earliest || !latest || earliest <= latest, {
    path: ['latest'],
    message: 'must not be before `earliest`',
  })
  .meta({
    id: 'Schedule',
    examples: [
      {
        windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
        timezone: 'Europe/London',
        holidays: ['2026-12-25', '2026-12-28'],
      },
    ],
  })

export type Schedule = z.output<typeof schedule>
