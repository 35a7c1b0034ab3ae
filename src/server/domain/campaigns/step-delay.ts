import type { delayUnits } from '../../../contract/campaigns.ts'
import { addBusinessDays } from './schedule.ts'

/** Time between a step and the one before it. */
export type Delay = { amount: number; unit: (typeof delayUnits)[number] }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Returns the end of a delay that starts at `from`. Days are calendar days in the zone: the local time of day is kept.
 */
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
