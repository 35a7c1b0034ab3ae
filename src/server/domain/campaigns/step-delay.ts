import type { delayUnits } from '../../../contract/campaigns.ts'
import { addBusinessDays } from './schedule.ts'

/** How long a step waits after the one before. */
export type Delay = { amount: number; unit: (typeof delayUnits)[number] }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** When a delay that begins at `from` is over. Days are those of the zone: the time of day stays, whatever the clocks do. */
export function addDelay(
  from: Date,
  { amount, unit }: Delay,
  zone: string,
  holidays: readonly string[] = [],
): Date {
  if (unit === 'minutes') return new Date(from.getTime() + amount * MINUTE_MS)
  if (unit === 'hours') return new Date(from.getTime() + amount * HOUR_MS)
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime())
  const end =
    unit === 'days'
      ? start.toZonedDateTimeISO(zone).add({ days: amount })
      : addBusinessDays(start, amount, zone, holidays)
  return new Date(end.epochMilliseconds)
}
