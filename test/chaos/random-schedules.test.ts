import { expect, it } from 'vitest'
import type { Hours } from '../../src/server/domain/campaigns/schedule.ts'
import { randomFrom } from '../support/random.ts'
import { checkRandomSchedules, findScheduleError, QUARTER_HOUR_MS, zones } from './random-schedules.ts'

const HOUR_MS = 3_600_000
const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** Returns every clock change of a zone from 2020 to 2037 according to luxon. */
function findClockChanges(zone: (typeof zones)[number]): number[] {
  const changes: number[] = []
  const stepMs = 14 * 24 * HOUR_MS
  for (let ms = Date.UTC(2020); ms < Date.UTC(2038); ms += stepMs) {
    if (zone.offset(ms) === zone.offset(ms + stepMs)) continue
    let [before, after] = [ms, ms + stepMs]
    while (after - before > QUARTER_HOUR_MS) {
      const middle = before + Math.round((after - before) / 2 / QUARTER_HOUR_MS) * QUARTER_HOUR_MS
      if (zone.offset(middle) === zone.offset(before)) before = middle
      else after = middle
    }
    changes.push(after)
  }
  return changes
}

/** Returns windows around the local times that are skipped or repeated. */
function createWindowsAround(zone: (typeof zones)[number], change: number): Hours[] {
  const wall = (ms: number, offset: number) => new Date(ms + offset * 60_000).toISOString().slice(11, 16)
  const [before, after] = [zone.offset(change - 1), zone.offset(change)]
  const [first, second] = [wall(change, Math.min(before, after)), wall(change, Math.max(before, after))]
  const quarter = (time: string, n: number) =>
    wall(Date.parse(`1970-01-01T${time}Z`) + n * QUARTER_HOUR_MS, 0)
  return [
    [first, second],
    [quarter(first, -1), quarter(first, 1)],
    [quarter(second, -1), quarter(second, 2)],
    [quarter(first, -2), quarter(second, 2)],
  ].flatMap(([from, end]): Hours[] => {
    const to = end === '00:00' ? '24:00' : end!
    return from! < to ? [{ windows: [{ days: [...everyDay], from: from!, to }] }] : []
  })
}

it('sending hours agree with luxon around every clock change of every zone from 2020 to 2037', () => {
  const errors: string[] = []
  let cases = 0
  for (const zone of zones) {
    for (const change of findClockChanges(zone)) {
      for (const hours of createWindowsAround(zone, change)) {
        for (const ms of [change - 5 * QUARTER_HOUR_MS, change]) {
          const first = Math.ceil(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS
          // Each of these windows opens within 26 hours.
          const error = findScheduleError(ms, hours, zone, quarters(first, first + 26 * HOUR_MS))
          if (error) errors.push(error)
          cases++
        }
      }
    }
  }
  console.log(`schedules around clock changes: ${cases} cases in ${zones.length} zones`)
  expect(errors.slice(0, 20)).toEqual([])
  expect(cases).toBeGreaterThan(25_000)
})

function* quarters(from: number, to: number): Generator<number> {
  for (let ms = from; ms <= to; ms += QUARTER_HOUR_MS) yield ms
}

it('sending hours agree with luxon for random schedules at random times', () => {
  expect([...checkRandomSchedules(2_000, randomFrom('SCHEDULES_SEED'))].slice(0, 20)).toEqual([])
})
