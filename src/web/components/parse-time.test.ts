import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseTime } from './parse-time.ts'

/** A Wednesday, 10:30 in the reader's time zone. */
const now = new Date(2026, 10, 25, 10, 30)
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute)

describe('parseTime', () => {
  it.each([
    ['tomorrow', at(26, 8)],
    ['Tomorrow 14:00', at(26, 14)],
    ['tomorrow at 2pm', at(26, 14)],
    ['tomorrow evening', at(26, 18)],
    ['fri 9', at(27, 9)],
    ['Friday', at(27, 8)],
    ['next friday 9.30', at(27, 9, 30)],
    ['wed', at(32, 8)],
    ['next week', at(30, 8)],
    ['today 16:15', at(25, 16, 15)],
    ['16:15', at(25, 16, 15)],
    ['9:00', at(26, 9)],
    ['tonight', at(25, 18)],
    ['noon', at(25, 12)],
    ['12am fri', at(27, 0)],
    ['in 3 days', at(28, 10, 30)],
    ['3d', at(28, 10, 30)],
    ['2 weeks', at(39, 10, 30)],
    ['in 45 minutes', at(25, 11, 15)],
    ['2h', at(25, 12, 30)],
    ['12 dec', at(42, 8)],
    ['dec 12 15:00', at(42, 15)],
    ['12th december, 15:00', at(42, 15)],
    ['3 nov', new Date(2027, 10, 3, 8)],
    ['2026-12-24 18:00', at(54, 18)],
    ['2028-02-29', new Date(2028, 1, 29, 8)],
  ])('parses “%s”', (text, expected) => {
    expect(parseTime(text, now)).toEqual(expected)
  })

  it.each([
    '',
    'later',
    '9',
    'fr',
    'fri 25:00',
    'fri 9:75',
    '13pm',
    'today 9:00',
    '2020-01-01',
    'fri mon',
    'fri 9 10',
    'in days',
    '32 x',
    '31 feb',
    '32 dec',
    '0 dec',
    '29 feb',
    '2026-13-40',
    '2027-02-29 14:00',
  ])('rejects “%s”', text => {
    expect(parseTime(text, now)).toBeUndefined()
  })

  describe('when the clocks change', () => {
    afterEach(() => void vi.unstubAllEnvs())

    it.each([
      ['in 3h', '2027-03-14T05:30:00Z', '2027-03-14T08:30:00Z'],
      ['20m', '2026-11-01T05:50:00Z', '2026-11-01T06:10:00Z'],
      ['10m', '2026-11-01T06:30:00Z', '2026-11-01T06:40:00Z'],
      ['1d', '2027-03-13T15:00:00Z', '2027-03-14T14:00:00Z'],
    ])('“%s” counts elapsed hours and minutes, and calendar days', (text, now, expected) => {
      vi.stubEnv('TZ', 'America/New_York')
      expect(parseTime(text, new Date(now))).toEqual(new Date(expected))
    })
  })
})
