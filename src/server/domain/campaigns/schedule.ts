import { type Schedule, weekdays } from '../../../contract/schedule.ts'

/**
 * When a campaign may send, by the clock on the prospect's wall: at an instant at which the wall shows an allowed date
 * and a time within one of the day's windows. Everything about clocks that change follows from that:
 *
 * - An hour that is left out in spring is in no window; one that begins in it begins when the clock has moved on, and
 *   one that lies in it altogether is not open on that day.
 * - An hour that comes twice in autumn is open both times, when it is open at all; the next opening is the first.
 */
export type Hours = Pick<Schedule, 'windows' | 'holidays' | 'earliest' | 'latest'>

const MS_A_DAY = 86_400_000
/** No clock was ever set back by more than a day. */
const LONGEST_STEP_BACK_MS = 26 * 3_600_000

export function isAllowed(instant: Temporal.Instant, hours: Hours, zone: string): boolean {
  const local = localMs(instant.toZonedDateTimeISO(zone))
  return nextLocal(local, hours) === local
}

/** The first instant from this one on at which it is allowed to send, in whole milliseconds; undefined when none comes. */
export function nextAllowed(
  instant: Temporal.Instant,
  hours: Hours,
  zone: string,
): Temporal.Instant | undefined {
  let at = notLongBefore(instant, hours.earliest).toZonedDateTimeISO(zone)
  // Between two changes of the clock the wall runs as fast as time does.
  for (;;) {
    const change = at.getTimeZoneTransition('next')
    const untilChange = change ? change.epochMilliseconds - at.epochMilliseconds : Number.POSITIVE_INFINITY
    const local = localMs(at)
    const open = nextLocal(local, hours)
    if (open !== undefined && open - local < untilChange) {
      return at.add({ milliseconds: open - local }).toInstant()
    }
    // Behind the last opening a clock that is set back may show it once more, but only soon.
    if (!change || (open === undefined && untilChange > LONGEST_STEP_BACK_MS)) return undefined
    at = change
  }
}

/** Nothing is open before the first date; a wall is never further ahead than that. */
function notLongBefore(instant: Temporal.Instant, earliest: string | undefined): Temporal.Instant {
  const first = earliest === undefined ? Number.NEGATIVE_INFINITY : startOf(earliest) - LONGEST_STEP_BACK_MS
  return first > instant.epochMilliseconds ? Temporal.Instant.fromEpochMilliseconds(first) : instant
}

/** The wall's date and time as milliseconds, as if the wall hung in UTC. */
const localMs = (at: Temporal.ZonedDateTime): number => at.epochMilliseconds + at.offsetNanoseconds / 1e6

/** The same for the first allowed one from there on, on a wall whose clock nobody changes. */
function nextLocal(local: number, { windows, holidays = [], earliest, latest }: Hours): number | undefined {
  const closed = new Set(holidays.map(startOf))
  const from = earliest === undefined ? local : Math.max(local, startOf(earliest))
  const end = latest === undefined ? Number.POSITIVE_INFINITY : startOf(latest) + MS_A_DAY
  // Every week has an open day unless all of them are holidays, of which there are so many.
  const lastDay = from + 7 * (closed.size + 1) * MS_A_DAY
  for (let day = Math.floor(from / MS_A_DAY) * MS_A_DAY; day < end && day <= lastDay; day += MS_A_DAY) {
    if (closed.has(day)) continue
    const name = weekdayOf(day)
    const starts = windows
      .filter(window => window.days.includes(name) && day + minutes(window.to) > from)
      .map(window => Math.max(from, day + minutes(window.from)))
    if (starts.length > 0) return Math.min(...starts)
  }
  return undefined
}

const startOf = (date: string): number => Date.parse(`${date}T00:00Z`)

/** The first of January 1970 was a Thursday. */
const weekdayOf = (day: number) => weekdays[(((day / MS_A_DAY + 3) % 7) + 7) % 7]!

const minutes = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000

/**
 * The same time of day so many business days later: Monday to Friday but for the holidays. A time that the clock
 * leaves out that day is the one after the gap, one that comes twice the first.
 */
export function addBusinessDays(
  instant: Temporal.Instant,
  days: number,
  zone: string,
  holidays: readonly string[],
): Temporal.Instant {
  const start = instant.toZonedDateTimeISO(zone)
  let date = start.toPlainDate()
  for (let left = days; left > 0; ) {
    date = date.add({ days: 1 })
    if (date.dayOfWeek <= 5 && !holidays.includes(date.toString())) left -= 1
  }
  return date.toZonedDateTime({ timeZone: zone, plainTime: start.toPlainTime() }).toInstant()
}
