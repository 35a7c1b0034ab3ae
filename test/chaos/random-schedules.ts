import { IANAZone } from 'luxon'
import { type Schedule, weekdays } from '../../src/contract/schedule.ts'
import { type Hours, isAllowed, nextAllowed } from '../../src/server/domain/campaigns/schedule.ts'

/**
 * Implements `isAllowed` independently: luxon provides the zone's offset, and the rest is arithmetic on local date and
 * time. All clock changes, and all times of these schedules, are on quarter hours.
 */
export function isAllowedByLuxon(ms: number, hours: Hours, zone: IANAZone): boolean {
  const wall = new Date(ms + zone.offset(ms) * 60_000)
  const date = wall.toISOString().slice(0, 10)
  if (hours.holidays?.includes(date)) return false
  if ((hours.earliest ?? date) > date || (hours.latest ?? date) < date) return false
  const time = wall.toISOString().slice(11, 23)
  const day = weekdays[(wall.getUTCDay() + 6) % 7]!
  return hours.windows.some(window => window.days.includes(day) && window.from <= time && time < window.to)
}

export const QUARTER_HOUR_MS = 15 * 60_000
export const zones: readonly IANAZone[] = Intl.supportedValuesOf('timeZone').map(name =>
  IANAZone.create(name),
)

/** Returns an error if `isAllowed` or `nextAllowed` is wrong for this schedule and time; otherwise undefined. */
export function findScheduleError(
  ms: number,
  hours: Hours,
  zone: IANAZone,
  times: Iterable<number>,
): string | undefined {
  const instant = Temporal.Instant.fromEpochMilliseconds(ms)
  const next = nextAllowed(instant, hours, zone.name)?.epochMilliseconds
  const describeCase = (error: string) =>
    `${error}: ${instant} in ${zone.name}, next ${next && new Date(next).toISOString()}, ${JSON.stringify(hours)}`
  if (isAllowed(instant, hours, zone.name) !== isAllowedByLuxon(ms, hours, zone))
    return describeCase('different')
  if (next !== undefined && !isAllowedByLuxon(next, hours, zone)) return describeCase('outside')
  if (next !== undefined && next > ms && isAllowedByLuxon(next - 1, hours, zone)) return describeCase('late')
  for (const time of times) {
    if (time >= ms && time < (next ?? Number.POSITIVE_INFINITY) && isAllowedByLuxon(time, hours, zone)) {
      return describeCase(next === undefined ? 'never sent' : 'late')
    }
  }
  return undefined
}

const FIRST = Date.UTC(2020)
const LAST = Date.UTC(2038)

/** Checks this many random schedules, each at a random time, and yields every error. */
export function* checkRandomSchedules(count: number, random: () => number): Generator<string> {
  const below = (n: number) => Math.floor(random() * n)
  for (let done = 0; done < count; done++) {
    const ms = FIRST + below(LAST - FIRST)
    const hours = makeSchedule(ms, below)
    // Random later quarter hours, most of them close to `ms`.
    const times = Array.from({ length: 12 }, (_, n) => {
      const quarter = Math.ceil(ms / QUARTER_HOUR_MS) + below(4 ** (n / 2) * 2)
      return quarter * QUARTER_HOUR_MS
    })
    const error = findScheduleError(ms, hours, zones[below(zones.length)]!, times)
    if (error) yield error
  }
}

function makeSchedule(
  ms: number,
  below: (n: number) => number,
): Pick<Schedule, 'windows' | 'holidays' | 'earliest' | 'latest'> {
  const time = (quarter: number) =>
    `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`
  const date = () => new Date(ms + (below(40) - 10) * 86_400_000).toISOString().slice(0, 10)
  const windows = Array.from({ length: 1 + below(3) }, () => {
    const from = below(96)
    return {
      days: weekdays.filter((_, n) => n === from % 7 || below(2) === 0),
      from: time(from),
      to: time(from + 1 + below(Math.min(96 - from, 1 + below(96)))),
    }
  })
  const [earliest, latest] = [date(), date()].sort()
  return {
    windows,
    ...(below(2) && { holidays: Array.from({ length: below(12) }, date) }),
    ...(below(4) === 0 && { earliest }),
    ...(below(4) === 0 && { latest }),
  }
}
