import { isKnownTimezone } from '../../ui/known-timezone.ts'

/** Formats a time in these time zones, as in `Mon 14:05`, or as a range from the earliest to the latest local time. */
export function formatLocalTime(timezones: string[], at: Date): string {
  const clocks = timezones
    .filter(isKnownTimezone)
    .map(zone => getClock(zone, at))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
  const [first, last] = [clocks[0]?.shown ?? 'unknown', clocks.at(-1)?.shown ?? 'unknown']
  return first === last ? first : `${first} to ${last}`
}

function getClock(timeZone: string, at: Date): { order: string; shown: string } {
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const
  return {
    order: at.toLocaleString('sv', { ...clock, year: 'numeric', month: '2-digit', day: '2-digit' }),
    shown: at.toLocaleString('en-GB', { ...clock, weekday: 'short' }),
  }
}
