import { isKnownTimezone } from './known-timezone.ts'

/**
 * Returns the date in a time zone at this time, as in `2026-11-26`. Uses the reader's own zone if this browser doesn't
 * know the given one.
 */
export const getDateIn = (at: Date, timezone: string): string =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: isKnownTimezone(timezone) ? timezone : undefined,
    dateStyle: 'short',
  }).format(at)

/** Returns the day that is this many days later. */
export function shiftDay(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
