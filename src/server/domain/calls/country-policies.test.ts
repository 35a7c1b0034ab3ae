import { expect, it } from 'vitest'
import { findPolicies, listHolidays } from './country-policies.ts'

const daysOff = (country: string, year: number) =>
  findPolicies([country])
    .flatMap(policy => listHolidays(year, policy))
    .sort()

// From the governments' calendars.
it.each([
  ['FR', 2026, '01-01 04-06 05-01 05-08 05-14 05-25 07-14 08-15 11-01 11-11 12-25'],
  ['FR', 2027, '01-01 03-29 05-01 05-06 05-08 05-17 07-14 08-15 11-01 11-11 12-25'],
  ['ES', 2026, '01-01 01-06 04-03 05-01 08-15 10-12 11-01 12-06 12-08 12-25'],
  ['AU', 2026, '01-01 01-26 04-03 04-06 04-25 12-25 12-26'],
  ['ZA', 2026, '01-01 03-21 04-03 04-06 04-27 05-01 06-16 08-10 09-24 12-16 12-25 12-26'],
  ['DE', 2026, ''],
])('computes the holidays of %s in %i', (country, year, days) => {
  expect(daysOff(country, year).join(' ')).toBe(
    days
      .split(' ')
      .map(day => day && `${year}-${day}`)
      .join(' '),
  )
})

it.each([
  ...['1954-04-18', '1981-04-19', '2024-03-31', '2025-04-20', '2035-03-25', '2038-04-25', '2049-04-18'],
  ...['2076-04-19', '2079-04-23', '2106-04-18'],
])('computes Easter Sunday %s', sunday => {
  const day = Temporal.PlainDate.from(sunday)
  expect(daysOff('ES', day.year)).toContain(day.subtract({ days: 2 }).toString())
})

it('applies the policies of every country that a number may belong to', () => {
  expect(findPolicies(['CA', 'FR'])).toHaveLength(findPolicies(['CA']).length + findPolicies(['FR']).length)
})
