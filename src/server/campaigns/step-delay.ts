import type { delayUnits } from '../../contract/campaigns.ts'

/** How long a step waits after the one before. */
export type Delay = { amount: number; unit: (typeof delayUnits)[number] }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** When a delay that begins at `from` is over. Days are those of the zone: the time of day stays, whatever the clocks do. */
export function addDelay(from: Date, { amount, unit }: Delay, timezone: string): Date {
  if (unit === 'minutes') return new Date(from.getTime() + amount * MINUTE_MS)
  if (unit === 'hours') return new Date(from.getTime() + amount * HOUR_MS)
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(timezone)
  const end = unit === 'days' ? start.add({ days: amount }) : addBusinessDays(start, amount)
  return new Date(end.epochMilliseconds)
}

function addBusinessDays(start: Temporal.ZonedDateTime, amount: number): Temporal.ZonedDateTime {
  let day = start.toPlainDate()
  for (let left = amount; left > 0; ) {
    day = day.add({ days: 1 })
    if (isBusinessDay(day)) left -= 1
  }
  return start.with({ year: day.year, month: day.month, day: day.day })
}

/** Monday to Friday. */
const isBusinessDay = (day: Temporal.PlainDate): boolean => day.dayOfWeek <= 5
