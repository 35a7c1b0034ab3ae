import { describe, expect, it } from 'vitest'
import { findCountryZone, findPersonZone } from './prospect-zone.ts'

const unknown = { timezone: null, phone: null, country: null }

describe("a person's time zone", () => {
  it.each([
    ['is the one on file', { timezone: 'Asia/Tokyo', phone: '+442079460018', country: 'DE' }, 'Asia/Tokyo'],
    ['is that of the phone number', { phone: '+442079460018', country: 'Germany' }, 'Europe/London'],
    ['is that of the country', { country: 'Germany' }, 'Europe/Berlin'],
    ['is unknown without any facts', {}, undefined],
    ['is that of a US area code', { phone: '+13105550123' }, 'America/Los_Angeles'],
    [
      'is the main zone of the country if the area code includes it',
      { phone: '+18505550123' },
      'America/New_York',
    ],
    [
      'is a zone of the area code if that does not include the main zone',
      { phone: '+12085550123' },
      'America/Denver',
    ],
    ['is the main zone for a toll-free US number', { phone: '+18005550123' }, 'America/New_York'],
    ['is the main zone of a country with several', { phone: '+74951234567' }, 'Europe/Moscow'],
    ['is that of the country for an invalid number', { phone: '+1', country: 'DE' }, 'Europe/Berlin'],
    ['is unknown for a number without a country', { phone: '+881631555555' }, undefined],
    ['is unknown for an unknown country', { country: 'Atlantis' }, undefined],
  ])('%s', (_name, known, zone) => {
    expect(findPersonZone({ ...unknown, ...known })).toBe(zone)
  })

  it.each([
    ['de', 'Europe/Berlin'],
    [' GERMANY ', 'Europe/Berlin'],
    ['UK', 'Europe/London'],
    ['England', 'Europe/London'],
    ['Scotland', 'Europe/London'],
    ['Wales', 'Europe/London'],
    ['Northern Ireland', 'Europe/London'],
    ['Great Britain', 'Europe/London'],
    ['USA', 'America/New_York'],
    ['United States of America', 'America/New_York'],
    ['America', 'America/New_York'],
    ['Deutschland', 'Europe/Berlin'],
    ['Holland', 'Europe/Amsterdam'],
    ['The Netherlands', 'Europe/Amsterdam'],
    ['Czech Republic', 'Europe/Prague'],
    ['Turkey', 'Europe/Istanbul'],
    ['Australia', 'Australia/Sydney'],
    ['Russia', 'Europe/Moscow'],
    ['Myanmar (Burma)', 'Asia/Rangoon'],
    ['Norway', 'Europe/Oslo'],
    ['xx', undefined],
    ['constructor', undefined],
  ])('is derived from the country %s: %s', (country, zone) => {
    expect(findCountryZone(country)).toBe(zone)
  })

  it('is known for every country', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const zoneless = letters
      .flatMap(first => letters.map(second => first + second))
      .filter(code => (new Intl.Locale('und', { region: code }).getTimeZones() ?? []).length > 0)
      .filter(code => names.of(code) && !findCountryZone(code))
    expect(zoneless).toEqual([])
  })
})
