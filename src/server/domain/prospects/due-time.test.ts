import { describe, expect, it } from 'vitest'
import type { Schedule } from '../../../contract/schedule.ts'
import { type Clock, getDelayEnd, getDueTime, getProspectZone, nextOpening } from './due-time.ts'

const monday = new Date('2026-11-23T12:00:00.000Z')
const at = (instant: string) => new Date(instant)
const officeHours: Schedule = {
  windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }],
}
const alwaysOpen: Clock = {
  timezone: null,
  phone: null,
  country: null,
  accountTimezone: 'Europe/London',
  schedule: null,
  awayUntil: null,
}
const makeClock = (more: Partial<Clock> = {}): Clock => ({ ...alwaysOpen, schedule: officeHours, ...more })

describe('the time zone of a prospect', () => {
  it.each([
    [
      "is the person's own",
      { country: 'JP', schedule: { ...officeHours, timezone: 'Asia/Dubai' } },
      'Asia/Tokyo',
    ],
    [
      "is that of the campaign's schedule if the person's is unknown",
      { schedule: { ...officeHours, timezone: 'Asia/Dubai' } },
      'Asia/Dubai',
    ],
    ["is the account's if the schedule has none", {}, 'Europe/London'],
    ["is the account's without a schedule", { schedule: null }, 'Europe/London'],
  ])('%s', (_what, more, zone) => {
    expect(getProspectZone(makeClock(more))).toBe(zone)
  })
})

describe('the next opening', () => {
  it('is now without a schedule, or while a window is open', () => {
    expect(nextOpening(monday, alwaysOpen)).toEqual(monday)
    expect(nextOpening(monday, makeClock())).toEqual(monday)
  })

  it("is the start of the next window in the prospect's time zone", () => {
    expect(nextOpening(monday, makeClock({ country: 'JP' }))).toEqual(at('2026-11-24T00:00:00.000Z'))
  })

  it('never comes after the last day of the schedule', () => {
    expect(
      nextOpening(monday, makeClock({ schedule: { ...officeHours, latest: '2026-11-20' } })),
    ).toBeUndefined()
  })
})

describe('the end of a delay', () => {
  it('is its start if the delay is zero, even in an hour that occurs twice', () => {
    const secondTime = at('2026-10-25T01:30:00.000Z')
    expect(getDelayEnd(secondTime, { amount: 0, unit: 'business_days' }, alwaysOpen)).toEqual(secondTime)
  })

  it("counts days in the prospect's time zone, except the campaign's holidays", () => {
    const day = { amount: 1, unit: 'business_days' as const }
    expect(getDelayEnd(monday, day, alwaysOpen)).toEqual(at('2026-11-24T12:00:00.000Z'))
    const schedule = { ...officeHours, holidays: ['2026-11-24'] }
    expect(getDelayEnd(monday, day, makeClock({ schedule }))).toEqual(at('2026-11-25T12:00:00.000Z'))
    // Friday evening in London is Saturday in Tokyo.
    const evening = at('2026-11-27T20:00:00.000Z')
    expect(getDelayEnd(evening, day, alwaysOpen)).toEqual(at('2026-11-30T20:00:00.000Z'))
    expect(getDelayEnd(evening, day, { ...alwaysOpen, country: 'JP' })).toEqual(
      at('2026-11-29T20:00:00.000Z'),
    )
  })
})

describe('the due time of a step', () => {
  const hour = { amount: 1, unit: 'hours' as const }

  it('is after its delay, when a window is open', () => {
    expect(getDueTime(monday, hour, alwaysOpen)).toEqual(at('2026-11-23T13:00:00.000Z'))
    expect(getDueTime(monday, { ...hour, amount: 6 }, makeClock())).toEqual(at('2026-11-24T09:00:00.000Z'))
  })

  it('is not before the prospect is back, and an absence never makes it earlier', () => {
    const wednesday = at('2026-11-25T10:00:00.000Z')
    expect(getDueTime(monday, hour, makeClock({ awayUntil: wednesday }))).toEqual(wednesday)
    expect(getDueTime(monday, hour, makeClock({ awayUntil: monday }))).toEqual(at('2026-11-23T13:00:00.000Z'))
  })

  it('is the end of its delay if no window opens again', () => {
    const schedule = { ...officeHours, latest: '2026-11-20' }
    expect(getDueTime(monday, hour, makeClock({ schedule }))).toEqual(at('2026-11-23T13:00:00.000Z'))
  })
})
