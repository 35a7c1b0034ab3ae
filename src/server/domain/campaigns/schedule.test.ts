import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { addBusinessDays, type Hours, isAllowed, nextAllowed } from './schedule.ts'

const workdays = ['mon', 'tue', 'wed', 'thu', 'fri'] as const
const allDays = [...workdays, 'sat', 'sun'] as const
const makeHours = (from: string, to: string, days: readonly (typeof allDays)[number][] = allDays): Hours => ({
  windows: [{ days: [...days], from, to }],
})
const officeHours = makeHours('09:00', '17:00', workdays)

const findNext = (instant: string, hours: Hours, zone: string) =>
  nextAllowed(Temporal.Instant.from(instant), hours, zone)?.toString()

describe('the next moment at which a campaign may send', () => {
  it.each([
    ['is now within the sending hours', '2026-11-23T12:00:30.5Z', officeHours, '2026-11-23T12:00:30.5Z'],
    [
      'is now in the first minute of the sending hours',
      '2026-11-23T09:00:00Z',
      officeHours,
      '2026-11-23T09:00:00Z',
    ],
    [
      'is now in the last minute of the sending hours',
      '2026-11-23T16:59:59.999Z',
      officeHours,
      '2026-11-23T16:59:59.999Z',
    ],
    ['is the same morning before hours', '2026-11-23T03:10:00Z', officeHours, '2026-11-23T09:00:00Z'],
    ['is the next morning after hours', '2026-11-23T17:00:00Z', officeHours, '2026-11-24T09:00:00Z'],
    ['is Monday after Friday', '2026-11-20T18:00:00Z', officeHours, '2026-11-23T09:00:00Z'],
    [
      'is after the holidays',
      '2026-12-24T18:00:00Z',
      { ...officeHours, holidays: ['2026-12-25', '2026-12-28'] },
      '2026-12-29T09:00:00Z',
    ],
    [
      'is not before the first date',
      '2026-11-20T12:00:00Z',
      { ...officeHours, earliest: '2026-12-05' },
      '2026-12-07T09:00:00Z',
    ],
    [
      'is on the last date',
      '2026-11-20T16:59:00Z',
      { ...officeHours, latest: '2026-11-20' },
      '2026-11-20T16:59:00Z',
    ],
    [
      'never comes after the last date',
      '2026-11-20T17:00:00Z',
      { ...officeHours, latest: '2026-11-20' },
      undefined,
    ],
    [
      'never comes when every day left is a holiday',
      '2026-11-20T17:00:00Z',
      { ...officeHours, latest: '2026-11-24', holidays: ['2026-11-23', '2026-11-24'] },
      undefined,
    ],
    ['never comes without a window', '2026-11-20T12:00:00Z', { windows: [] }, undefined],
    [
      'is the start of the window that opens first',
      '2026-11-23T12:30:00Z',
      {
        windows: [
          { days: ['mon'], from: '18:00', to: '20:00' },
          { days: ['mon', 'tue'], from: '09:00', to: '12:00' },
          { days: ['mon'], from: '13:00', to: '17:00' },
        ],
      } satisfies Hours,
      '2026-11-23T13:00:00Z',
    ],
    [
      'is midnight for a window that starts at midnight',
      '2026-11-23T23:59:00Z',
      makeHours('00:00', '01:00'),
      '2026-11-24T00:00:00Z',
    ],
    [
      'is now until midnight in a window that ends at 24:00',
      '2026-11-23T23:59:59.999Z',
      makeHours('23:00', '24:00'),
      '2026-11-23T23:59:59.999Z',
    ],
  ] as [string, string, Hours, string | undefined][])('%s', (_name, instant, hours, expected) => {
    expect(findNext(instant, hours, 'Europe/London')).toBe(expected)
  })

  it('follows the local time of the zone', () => {
    expect(findNext('2026-11-23T09:00:00Z', officeHours, 'America/New_York')).toBe('2026-11-23T14:00:00Z')
    expect(findNext('2026-11-23T09:00:00Z', officeHours, 'Asia/Kolkata')).toBe('2026-11-23T09:00:00Z')
    expect(findNext('2026-11-21T03:00:00Z', officeHours, 'Pacific/Kiritimati')).toBe('2026-11-22T19:00:00Z')
  })
})

// Berlin skips 2:00 to 3:00 on 29 March 2026 and repeats it on 25 October.
describe('when the clock goes forward', () => {
  it.each([
    [
      'a window that starts in the skipped hour opens right after that hour',
      '02:30',
      '04:00',
      '2026-03-29T01:00:00Z',
    ],
    [
      'a window that ends in the skipped hour still opens before that hour',
      '01:30',
      '02:30',
      '2026-03-29T00:30:00Z',
    ],
    ['a window within the skipped hour is not open that day', '02:10', '02:50', '2026-03-30T00:10:00Z'],
    ['a window that equals the skipped hour is not open that day', '02:00', '03:00', '2026-03-30T00:00:00Z'],
  ])('%s', (_name, opens, closes, expected) => {
    expect(findNext('2026-03-29T00:00:00Z', makeHours(opens, closes), 'Europe/Berlin')).toBe(expected)
  })

  it('the first window after that day opens at the same local time as before', () => {
    expect(findNext('2026-03-27T18:00:00Z', officeHours, 'Europe/Berlin')).toBe('2026-03-30T07:00:00Z')
  })

  it('a window that ends in the skipped hour is closed right after that hour', () => {
    expect(
      isAllowed(
        Temporal.Instant.from('2026-03-29T00:59:59.999Z'),
        makeHours('01:30', '02:30'),
        'Europe/Berlin',
      ),
    ).toBe(true)
    expect(
      isAllowed(Temporal.Instant.from('2026-03-29T01:00:00Z'), makeHours('01:30', '02:30'), 'Europe/Berlin'),
    ).toBe(false)
  })

  it('a window from midnight opens at 1:00 if the first hour of the day is skipped', () => {
    expect(
      findNext(
        '2027-04-23T21:00:00Z',
        { ...makeHours('00:00', '24:00'), earliest: '2027-04-30' },
        'Africa/Cairo',
      ),
    ).toBe('2027-04-29T22:00:00Z')
  })
})

describe('on the day when the clock goes back', () => {
  it('a window in the repeated hour is open both times', () => {
    const hours = makeHours('02:15', '02:45')
    expect(findNext('2026-10-24T23:00:00Z', hours, 'Europe/Berlin')).toBe('2026-10-25T00:15:00Z')
    expect(findNext('2026-10-25T00:45:00Z', hours, 'Europe/Berlin')).toBe('2026-10-25T01:15:00Z')
    expect(findNext('2026-10-25T01:45:00Z', hours, 'Europe/Berlin')).toBe('2026-10-26T01:15:00Z')
  })

  it('the last date is repeated for an hour if the clock changes at midnight', () => {
    // Clocks in Havana go back from 1:00 to midnight on 1 November 2026.
    const hours = { ...makeHours('00:00', '00:30'), latest: '2026-11-01' }
    expect(findNext('2026-11-01T04:30:00Z', hours, 'America/Havana')).toBe('2026-11-01T05:00:00Z')
    expect(findNext('2026-11-01T05:30:00Z', hours, 'America/Havana')).toBe(undefined)
  })
})

describe('business days', () => {
  const add = (instant: string, days: number, zone: string, holidays: string[] = []) =>
    addBusinessDays(Temporal.Instant.from(instant), days, zone, holidays).toString()

  it.each([
    ['count from Friday to Monday', '2026-11-20T10:00:00Z', 1, '2026-11-23T10:00:00Z'],
    ['count from Saturday to Monday', '2026-11-21T10:00:00Z', 1, '2026-11-23T10:00:00Z'],
    ['skip two weekends', '2026-11-20T10:00:00Z', 10, '2026-12-04T10:00:00Z'],
    ['are not counted for a delay of zero', '2026-11-21T10:00:00Z', 0, '2026-11-21T10:00:00Z'],
  ])('%s', (_name, instant, days, expected) => {
    expect(add(instant, days, 'Europe/London')).toBe(expected)
  })

  it('skip holidays and keep the local time of day when the clock changes', () => {
    expect(add('2026-12-23T10:00:00Z', 2, 'Europe/London', ['2026-12-25', '2026-12-28'])).toBe(
      '2026-12-29T10:00:00Z',
    )
    expect(add('2026-03-27T10:00:00Z', 1, 'Europe/London')).toBe('2026-03-30T09:00:00Z')
  })

  it('match a day-by-day count for any start, number of days and holidays', () => {
    const monday = Temporal.PlainDate.from('2026-11-23')
    const day = fc.integer({ min: -30, max: 60 }).map(days => monday.add({ days }))
    const check = (start: Temporal.PlainDate, count: number, closed: Temporal.PlainDate[]) => {
      const holidays = closed.map(String)
      let date = start
      for (let left = count; left > 0; ) {
        date = date.add({ days: 1 })
        if (date.dayOfWeek <= 5 && !holidays.includes(date.toString())) left -= 1
      }
      expect(add(`${start}T10:00:00Z`, count, 'UTC', holidays)).toBe(`${date}T10:00:00Z`)
    }
    const holidays = fc.array(day, { maxLength: 40 })
    fc.assert(fc.property(day, fc.integer({ min: 0, max: 60 }), holidays, check), { seed: 20_261_121 })
  })

  it('are calculated for the longest delay without visiting each day', () => {
    const add = vi.spyOn(Temporal.PlainDate.prototype, 'add')
    try {
      const start = Temporal.Instant.from('2026-11-23T10:00:00Z')
      expect(addBusinessDays(start, 10_000, 'UTC', []).toString()).toBe('2065-03-23T10:00:00Z')
      expect(add.mock.calls.length).toBeLessThan(10)
    } finally {
      add.mockRestore()
    }
  })
})
