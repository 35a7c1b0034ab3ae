import { type Schedule, weekdays } from '../../../contract/schedule.ts'

/**
 * Hours at which a campaign may send, in the prospect's local time: an instant is allowed when its local date is
 * allowed and its local time is within one of the day's windows. Daylight saving time follows from that:
 *
 * - A window that starts in the hour skipped in spring opens when the clock has moved on; one that lies entirely within
 *   that hour does not open on that day.
 * - A window in the hour repeated in autumn is open both times.
 */
export type Hours = Pick<Schedule, 'windows' | 'holidays' | 'earliest' | 'latest'>

const DAY_MS = 86_400_000
/** Upper bound on how far a clock is set back: no zone has ever moved back by more than a day. */
const MAX_SETBACK_MS = 26 * 3_600_000

export function isAllowed(instant: Temporal.Instant, hours: Hours, zone: string): boolean {
  const local = toLocalMs(instant.toZonedDateTimeISO(zone))
  return findNextLocalMs(local, hours) === local
}

/** Returns the first instant, not before the given one, at which sending is allowed; undefined if there is none. */
export function nextAllowed(
  instant: Temporal.Instant,
  hours: Hours,
  zone: string,
): Temporal.Instant | undefined {
  let at = skipToEarliest(instant, hours.earliest).toZonedDateTimeISO(zone)
  // Between two clock changes, local time advances as fast as elapsed time.
  for (;;) {
    const local = toLocalMs(at)
    const open = findNextLocalMs(local, hours)
    // Returns early in the most frequent case, because looking up clock changes takes far longer.
    if (open === local) return at.toInstant()
    const change = at.getTimeZoneTransition('next')
    const untilChange = change ? change.epochMilliseconds - at.epochMilliseconds : Number.POSITIVE_INFINITY
    if (open !== undefined && open - local < untilChange) {
      return at.add({ milliseconds: open - local }).toInstant()
    }
    // If the clock is set back soon after the last window, that window may open again.
    if (!change || (open === undefined && untilChange > MAX_SETBACK_MS)) return undefined
    at = change
  }
}

/** Skips to shortly before the earliest date in any time zone. */
function skipToEarliest(instant: Temporal.Instant, earliest: string | undefined): Temporal.Instant {
  const first = earliest === undefined ? Number.NEGATIVE_INFINITY : toStartMs(earliest) - MAX_SETBACK_MS
  return first > instant.epochMilliseconds ? Temporal.Instant.fromEpochMilliseconds(first) : instant
}

/** Returns the local date and time in milliseconds, read as UTC. */
const toLocalMs = (at: Temporal.ZonedDateTime): number => at.epochMilliseconds + at.offsetNanoseconds / 1e6

/** Returns the first allowed local time at or after `local`, ignoring clock changes; undefined if there is none. */
function findNextLocalMs(
  local: number,
  { windows, holidays = [], earliest, latest }: Hours,
): number | undefined {
  const closed = new Set(holidays.map(toStartMs))
  const from = earliest === undefined ? local : Math.max(local, toStartMs(earliest))
  const end = latest === undefined ? Number.POSITIVE_INFINITY : toStartMs(latest) + DAY_MS
  // Only holidays close a week entirely, so one week more than there are holidays is enough.
  const lastDay = from + 7 * (closed.size + 1) * DAY_MS
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < end && day <= lastDay; day += DAY_MS) {
    if (closed.has(day)) continue
    const name = weekdays[getWeekdayIndex(day)]!
    const starts = windows
      .filter(window => window.days.includes(name) && day + toMs(window.to) > from)
      .map(window => Math.max(from, day + toMs(window.from)))
    if (starts.length > 0) return Math.min(...starts)
  }
  return undefined
}

const toStartMs = (date: string): number => Date.parse(`${date}T00:00Z`)

/** Returns the weekday of a day in milliseconds, 0 for Monday; day 0, January 1, 1970, was a Thursday. */
const getWeekdayIndex = (day: number): number => (((day / DAY_MS + 3) % 7) + 7) % 7

const toMs = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000

/**
 * Adds business days (Monday to Friday, except holidays) and keeps the local time of day. A time skipped by a clock
 * change moves to after the gap; a repeated one resolves to its first occurrence.
 */
export function addBusinessDays(
  instant: Temporal.Instant,
  days: number,
  zone: string,
  holidays: readonly string[],
): Temporal.Instant {
  const start = instant.toZonedDateTimeISO(zone)
  const date = start.toPlainDate()
  const from = toStartMs(date.toString())
  let end = addWeekdays(from, days)
  // Calculates instead of walking from day to day: a delay may be 40 years long, and thousands are computed at once.
  const skipped = new Set(holidays.map(toStartMs).filter(day => day > from && getWeekdayIndex(day) < 5))
  for (const holiday of [...skipped].sort((a, b) => a - b)) {
    if (holiday > end) break
    end = addWeekdays(end, 1)
  }
  return date
    .add({ days: (end - from) / DAY_MS })
    .toZonedDateTime({ timeZone: zone, plainTime: start.toPlainTime() })
    .toInstant()
}

/** Adds days from Monday to Friday to a day in milliseconds. */
function addWeekdays(day: number, count: number): number {
  if (count === 0) return day
  const weekday = getWeekdayIndex(day)
  // Counting from a weekend is the same as counting from the Friday before it.
  const first = Math.min(weekday, 4)
  const rest = count % 5
  const weekend = first + rest > 4 ? 2 : 0
  return day + (first - weekday + 7 * Math.floor(count / 5) + rest + weekend) * DAY_MS
}
