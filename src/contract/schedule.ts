import { z } from 'zod'
import { dayInput, text } from './page.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time of day; give one such as 09:00')
  .describe('Time of day, as in `09:00`')

const isOnce = (values: readonly string[]) => new Set(values).size === values.length

export const window = z
  .strictObject({
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .max(7)
      .refine(isOnce, 'names a day twice')
      .describe('Days of the week'),
    from: timeOfDay,
    to: z
      .union([timeOfDay, z.literal('24:00')], 'is no time of day; give one such as 17:00, or 24:00')
      .describe('Time of day, as in `17:00`; the first minute that is no longer in it, at most `24:00`'),
  })
  .refine(({ from, to }) => from < to, {
    path: ['to'],
    message: 'comes before `from`; use two windows to pass midnight',
  })

/** When a campaign may send, by the clock on the prospect's wall. */
export const schedule = z
  .strictObject({
    windows: z
      .array(window)
      .min(1)
      .max(50)
      .describe('Times of the week at which mail may leave; a time that lies in any of them is good'),
    timezone: text(64)
      .optional()
      .describe("IANA time zone for prospects whose own is unknown; when absent the account's"),
    holidays: z
      .array(dayInput)
      .max(400)
      .optional()
      .describe('Dates on which nothing leaves, as in `2026-12-25`'),
    earliest: dayInput.optional().describe('First date on which mail may leave'),
    latest: dayInput.optional().describe('Last date on which mail may leave'),
  })
  .refine(({ earliest, latest }) => !earliest || !latest || earliest <= latest, {
    path: ['latest'],
    message: 'comes before `earliest`',
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
