import fc from 'fast-check'
import { getExampleNumber } from 'libphonenumber-js'
import { getCountries } from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/mobile/examples'
import { IANAZone } from 'luxon'
import { expect, it } from 'vitest'
import { findApplicableZones, nextCallableAt } from '../../src/server/domain/calls/calling-hours.ts'
import { readNumber } from '../support/processes/environment.ts'

/** An independent copy of the rules, with holidays listed; local time comes from luxon. */
const rules: Record<
  string,
  { getWindows: (weekday: number) => [from: number, to: number][]; holidays: string }
> = {
  '33|262|59[046]': {
    getWindows: day =>
      day <= 5
        ? [
            [10, 13],
            [14, 20],
          ]
        : [],
    holidays: `2026-01-01 2026-04-06 2026-05-01 2026-05-08 2026-05-14 2026-05-25 2026-07-14 2026-08-15 2026-11-01 2026-11-11
      2026-12-25 2027-01-01 2027-03-29 2027-05-01 2027-05-06 2027-05-08 2027-05-17 2027-07-14 2027-08-15 2027-11-01
      2027-11-11 2027-12-25 2028-01-01`,
  },
  '34': {
    getWindows: day => (day <= 5 ? [[9, 21]] : []),
    holidays: `2026-01-01 2026-01-06 2026-04-03 2026-05-01 2026-08-15 2026-10-12 2026-11-01 2026-12-06 2026-12-08 2026-12-25
      2027-01-01 2027-01-06 2027-03-26 2027-05-01 2027-08-15 2027-10-12 2027-11-01 2027-12-06 2027-12-08 2027-12-25
      2028-01-01 2028-01-06`,
  },
  '61': {
    getWindows: day => (day <= 5 ? [[9, 20]] : day === 6 ? [[9, 17]] : []),
    holidays: `2026-01-01 2026-01-26 2026-04-03 2026-04-06 2026-04-25 2026-12-25 2026-12-26 2027-01-01 2027-01-26 2027-03-26
      2027-03-29 2027-04-25 2027-12-25 2027-12-26 2028-01-01`,
  },
  '27': {
    getWindows: day => (day <= 5 ? [[8, 20]] : day === 6 ? [[9, 13]] : []),
    holidays: `2026-01-01 2026-03-21 2026-04-03 2026-04-06 2026-04-27 2026-05-01 2026-06-16 2026-08-10 2026-09-24 2026-12-16
      2026-12-25 2026-12-26 2027-01-01 2027-03-22 2027-03-26 2027-03-29 2027-04-27 2027-05-01 2027-06-16 2027-08-09
      2027-09-24 2027-12-16 2027-12-25 2027-12-27 2028-01-01`,
  },
}
const getCanadianWindows = (day: number): [number, number][] => (day <= 5 ? [[9, 21]] : [[10, 18]])

const americanNumbers = ['+12125550123', '+13075550123', '+18085550123', '+18505550123', '+19075550123']
const canadianNumbers = [
  '+14165550123',
  '+16045550123',
  '+17095550123',
  '+13065550123',
  '+18675550123',
  '+15062345678',
]
const tollFreeNumber = '+18005550123'
const exampleNumbers = getCountries().map(country => getExampleNumber(country, examples)!.number)

const runs = readNumber('CALLING_HOURS_RUNS', 2_000)

function isCallable(phone: string, zones: readonly IANAZone[], at: number): boolean {
  const rule = Object.entries(rules).find(([codes]) => new RegExp(`^\\+(${codes})`).test(phone))?.[1]
  return zones.every(zone => {
    const wall = new Date(at + zone.offset(at) * 60_000)
    const hour = wall.getUTCHours() + wall.getUTCMinutes() / 60
    if (hour < 8 || hour >= 21) return false
    const weekday = wall.getUTCDay() || 7
    const isWithin = (windows: [number, number][]) => windows.some(([from, to]) => hour >= from && hour < to)
    if ([...canadianNumbers, tollFreeNumber].includes(phone) && !isWithin(getCanadianWindows(weekday)))
      return false
    return (
      !rule ||
      (isWithin(rule.getWindows(weekday)) && !rule.holidays.includes(wall.toISOString().slice(0, 10)))
    )
  })
}

it('calls to numbers in every country wait for the first allowed minute, checked against another time zone library', () => {
  const phone = fc.oneof(
    fc.constantFrom(...exampleNumbers),
    fc.constantFrom(...americanNumbers, ...canadianNumbers, tollFreeNumber),
    fc.constantFrom('+33142685300', '+34911234567', '+61212345678', '+27211234567'),
  )
  const timezone = fc.option(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), {
    nil: undefined,
    freq: 6,
  })
  const from = fc.date({ min: new Date('2026-01-02'), max: new Date('2027-12-28'), noInvalidDate: true })
  const fractions = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 4,
    maxLength: 4,
  })
  let checked = 0
  fc.assert(
    fc.property(phone, timezone, from, fractions, (phone, timezone, start, fractions) => {
      checked += 1
      const zones = findApplicableZones({ phone, timezone }).map(zone => IANAZone.create(zone))
      const at = nextCallableAt({ phone, timezone }, start)?.getTime()
      const until = at ?? start.getTime() + 4 * 86_400_000
      if (at !== undefined) expect(isCallable(phone, zones, at)).toBe(true)
      if (at === start.getTime()) return
      for (const fraction of [...fractions, 0]) {
        const before = start.getTime() + Math.floor(fraction * (until - start.getTime()))
        expect(isCallable(phone, zones, before)).toBe(false)
      }
      expect(isCallable(phone, zones, until - 1)).toBe(false)
    }),
    { numRuns: runs },
  )
  expect(checked).toBeGreaterThanOrEqual(runs)
})
