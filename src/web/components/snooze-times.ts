export const MORNING_HOUR = 8
const LATER_HOURS = 3
/** Monday as returned by `Date.getDay`, where Sunday is 0. */
const MONDAY = 1

export type SnoozeTime = { label: string; at: Date }

/** Returns the times until which a conversation can be snoozed, in the reader's time zone. */
export function getSnoozeTimes(now: Date): SnoozeTime[] {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const later = at(0, now.getHours() + LATER_HOURS)
  const daysToMonday = (MONDAY - now.getDay() + 7) % 7 || 7
  return [
    ...(later.getDate() === now.getDate() ? [{ label: 'Later today', at: later }] : []),
    { label: 'Tomorrow', at: at(1, MORNING_HOUR) },
    ...(daysToMonday > 1 ? [{ label: 'Monday', at: at(daysToMonday, MORNING_HOUR) }] : []),
  ]
}

const weekdayAndTime = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** Formats a time, as in `Mon 30 Nov, 08:00`. */
export const formatSnoozeTime = (at: Date): string => weekdayAndTime.format(at)
