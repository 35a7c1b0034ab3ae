import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { findAreaCodeZones } from './north-american-zones.ts'

/** Time zones of territories that libphonenumber supports but Intl doesn't. */
const unlistedCountryZones: Partial<Record<CountryCode, string[]>> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
}

/**
 * Returns all IANA time zones in which the owner of a number may be: those of its North American area code, else those
 * of its country. Empty when the number has no country, such as the number of a satellite phone.
 */
export function findPhoneZones(e164: string): string[] {
  const number = parsePhoneNumberFromString(e164)
  if (!number) return []
  if (number.country === 'US' || number.country === 'CA') {
    return (
      findAreaCodeZones(number.nationalNumber.slice(0, 3)) ?? [
        ...getCountryZones('US'),
        ...getCountryZones('CA'),
      ]
    )
  }
  return getCountries(number).flatMap(getCountryZones)
}

/** Returns the countries (ISO 3166) of a number; several when they share a numbering plan. */
export function findPhoneCountries(e164: string): CountryCode[] {
  const number = parsePhoneNumberFromString(e164)
  if (!number) return []
  const isNonGeographic = number.country === 'US' && !findAreaCodeZones(number.nationalNumber.slice(0, 3))
  return isNonGeographic ? ['US', 'CA'] : getCountries(number)
}

const getCountries = (number: PhoneNumber): CountryCode[] =>
  number.country ? [number.country] : number.getPossibleCountries()

/** Time zones by country. They are cached because Intl takes a millisecond per country. */
const zoneCache = new Map<CountryCode, string[]>()

function getCountryZones(country: CountryCode): string[] {
  const cached = zoneCache.get(country)
  if (cached) return cached
  const zones =
    unlistedCountryZones[country] ?? new Intl.Locale('und', { region: country }).getTimeZones() ?? []
  zoneCache.set(country, zones)
  return zones
}
