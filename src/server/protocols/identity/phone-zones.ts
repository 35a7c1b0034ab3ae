import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { findAreaCodeZones } from './north-american-zones.ts'

/** Territories with numbers of their own that the runtime's table of countries and zones lacks. */
const zonesOfUnlisted: Partial<Record<CountryCode, string[]>> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
}

/**
 * Every time zone (IANA) in which the owner of a number may be: all of its country, or of its area where the numbering
 * plan of North America tells. Empty when the number belongs to no country, as those of satellites.
 */
export function findPhoneZones(e164: string): string[] {
  const number = parsePhoneNumberFromString(e164)
  if (!number) return []
  if (number.country === 'US' || number.country === 'CA') {
    return findAreaCodeZones(number.nationalNumber.slice(0, 3)) ?? [...zonesOf('US'), ...zonesOf('CA')]
  }
  return countriesOf(number).flatMap(zonesOf)
}

/** The countries (ISO 3166) to which a number may belong; several where they share a numbering plan. */
export function findPhoneCountries(e164: string): CountryCode[] {
  const number = parsePhoneNumberFromString(e164)
  if (!number) return []
  const isOfNoPlace = number.country === 'US' && !findAreaCodeZones(number.nationalNumber.slice(0, 3))
  return isOfNoPlace ? ['US', 'CA'] : countriesOf(number)
}

const countriesOf = (number: PhoneNumber): CountryCode[] =>
  number.country ? [number.country] : number.getPossibleCountries()

/** Asking the runtime takes a millisecond, and there are only so many countries. */
const knownZones = new Map<CountryCode, string[]>()

function zonesOf(country: CountryCode): string[] {
  const known = knownZones.get(country)
  if (known) return known
  const zones = zonesOfUnlisted[country] ?? new Intl.Locale('und', { region: country }).getTimeZones() ?? []
  knownZones.set(country, zones)
  return zones
}
