import { describe, expect, it } from 'vitest'
import { findCountryZone, findPersonZone } from './prospect-zone.ts'

const unknown = { timezone: null, phone: null, country: null }

describe("a person's time zone", () => {
  it.each([
    ['is the one on file', { timezone: 'Asia/Tokyo', phone: '+442079460018', country: 'DE' }, 'Asia/Tokyo'],
    ['else that of the number', { phone: '+442079460018', country: 'Germany' }, 'Europe/London'],
    ['else that of the country', { country: 'Germany' }, 'Europe/Berlin'],
    ['else unknown', {}, undefined],
    ['of an American area', { phone: '+13105550123' }, 'America/Los_Angeles'],
    ['of an American area in two zones', { phone: '+18505550123' }, 'America/New_York'],
    ['of one that lies in neither part of the main zone', { phone: '+12085550123' }, 'America/Denver'],
    ['of an American number that tells nothing else', { phone: '+18005550123' }, 'America/New_York'],
    ['of a country with many clocks', { phone: '+74951234567' }, 'Europe/Moscow'],
    ['of what is no number', { phone: '+1', country: 'DE' }, 'Europe/Berlin'],
    ['of a number in no country', { phone: '+881631555555' }, undefined],
    ['of no country that there is', { country: 'Atlantis' }, undefined],
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
  ])('follows from the country %s', (country, zone) => {
    expect(findCountryZone(country)).toBe(zone)
  })

  it('follows from every country there is', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const zoneless = letters
      .flatMap(first => letters.map(second => first + second))
      .filter(code => (new Intl.Locale('und', { region: code }).getTimeZones() ?? []).length > 0)
      .filter(code => names.of(code) && !findCountryZone(code))
    expect(zoneless).toEqual([])
  })
})
