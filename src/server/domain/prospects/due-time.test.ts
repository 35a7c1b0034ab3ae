import { describe, expect, it } from 'vitest'
import type { Schedule } from '../../../contract/schedule.ts'
import { type Clock, dueAfter, endOfDelay, getProspectZone, nextOpening } from './due-time.ts'

const monday = new Date('2026-11-23T12:00:00.000Z')
const at = (instant: string) => new Date(instant)
const officeHours: Schedule = {
  windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
}
const somebody: Clock = {
  timezone: null,
  phone: null,
  country: null,
  accountTimezone: 'Europe/London',
  schedule: null,
  awayUntil: null,
}
const aClock = (more: Partial<Clock> = {}): Clock => ({ ...somebody, schedule: officeHours, ...more })

describe('the clock that a prospect is written to by', () => {
  it.each([
    [
      "is the prospect's own",
      { country: 'JP', schedule: { ...officeHours, timezone: 'Asia/Dubai' } },
      'Asia/Tokyo',
    ],
    [
      "else that of the campaign's schedule",
      { schedule: { ...officeHours, timezone: 'Asia/Dubai' } },
      'Asia/Dubai',
    ],
    ["else the account's", {}, 'Europe/London'],
    ["the account's without a schedule too", { schedule: null }, 'Europe/London'],
  ])('%s', (_whose, more, zone) => {
    expect(getProspectZone(aClock(more))).toBe(zone)
  })
})

describe('the next opening', () => {
  it('is at once where no schedule says otherwise, or while a window is open', () => {
    expect(nextOpening(monday, somebody)).toEqual(monday)
    expect(nextOpening(monday, aClock())).toEqual(monday)
  })

  it("is the next window's beginning by the prospect's clock", () => {
    expect(nextOpening(monday, aClock({ country: 'JP' }))).toEqual(at('2026-11-24T00:00:00.000Z'))
  })

  it('never comes behind the last day of the schedule', () => {
    expect(
      nextOpening(monday, aClock({ schedule: { ...officeHours, latest: '2026-11-20' } })),
    ).toBeUndefined()
  })
})

describe('the end of a delay', () => {
  it('is its beginning when there is none, also in an hour that the clock shows twice', () => {
    const secondTime = at('2026-10-25T01:30:00.000Z')
    expect(endOfDelay(secondTime, { amount: 0, unit: 'business_days' }, somebody)).toEqual(secondTime)
  })

  it("counts the days of the prospect's clock, without the holidays of the campaign", () => {
    const day = { amount: 1, unit: 'business_days' as const }
    expect(endOfDelay(monday, day, somebody)).toEqual(at('2026-11-24T12:00:00.000Z'))
    const schedule = { ...officeHours, holidays: ['2026-11-24'] }
    expect(endOfDelay(monday, day, aClock({ schedule }))).toEqual(at('2026-11-25T12:00:00.000Z'))
    // Friday evening in London is Saturday in Tokyo.
    const evening = at('2026-11-27T20:00:00.000Z')
    expect(endOfDelay(evening, day, somebody)).toEqual(at('2026-11-30T20:00:00.000Z'))
    expect(endOfDelay(evening, day, { ...somebody, country: 'JP' })).toEqual(at('2026-11-29T20:00:00.000Z'))
  })
})

describe('a step is due', () => {
  const hour = { amount: 1, unit: 'hours' as const }

  it('when its delay is over and a window is open', () => {
    expect(dueAfter(monday, hour, somebody)).toEqual(at('2026-11-23T13:00:00.000Z'))
    expect(dueAfter(monday, { ...hour, amount: 6 }, aClock())).toEqual(at('2026-11-24T09:00:00.000Z'))
  })

  it('not before they are back, nor sooner for having been away', () => {
    const wednesday = at('2026-11-25T10:00:00.000Z')
    expect(dueAfter(monday, hour, aClock({ awayUntil: wednesday }))).toEqual(wednesday)
    expect(dueAfter(monday, hour, aClock({ awayUntil: monday }))).toEqual(at('2026-11-23T13:00:00.000Z'))
  })

  it('at the mere end of its delay when no window opens again', () => {
    const schedule = { ...officeHours, latest: '2026-11-20' }
    expect(dueAfter(monday, hour, aClock({ schedule }))).toEqual(at('2026-11-23T13:00:00.000Z'))
  })
})
