import { getExampleNumber } from 'libphonenumber-js'
import { getCountries } from 'libphonenumber-js/min'
import examples from 'libphonenumber-js/mobile/examples'
import { expect, it } from 'vitest'
import { findPhoneZones } from './phone-zones.ts'

it.each([
  ['+12125550123', ['America/New_York']],
  ['+18505550123', ['America/New_York', 'America/Chicago']],
  ['+14805550123', ['America/Phoenix']],
  ['+16045550123', ['America/Vancouver']],
  ['+18765550123', ['America/Jamaica']],
  ['+17875550123', ['America/Puerto_Rico']],
  ['+442079460018', ['Europe/London']],
  ['+38349123456', ['Europe/Belgrade']],
  ['+77012345678', expect.arrayContaining(['Asia/Almaty', 'Asia/Aqtau'])],
  ['+79161234567', expect.arrayContaining(['Europe/Moscow', 'Asia/Vladivostok'])],
  ['+61412345678', expect.arrayContaining(['Australia/Sydney', 'Australia/Perth'])],
])('finds the time zones of %s', (number, zones) => {
  expect(findPhoneZones(number)).toEqual(zones)
})

it('returns all zones of North America for a toll-free number there', () => {
  expect(findPhoneZones('+18005550123')).toEqual(
    expect.arrayContaining(['Pacific/Honolulu', 'America/New_York', 'America/St_Johns']),
  )
})

it('returns no zones for numbers without a country', () => {
  expect(findPhoneZones('+88216123456')).toEqual([])
})

it('returns valid zones for every country with phone numbers', () => {
  for (const country of getCountries()) {
    const zones = findPhoneZones(getExampleNumber(country, examples)!.number)
    expect({ country, count: zones.length }).not.toEqual({ country, count: 0 })
    for (const zone of zones) Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
  }
})
