import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { findPhoneZones } from '../../protocols/identity/phone-zones.ts'

/** Facts from which a person's time zone is derived. */
export type TimezoneFacts = { timezone: string | null; phone: string | null; country: string | null }

/**
 * Returns a person's time zone: the one on file, or else the phone number's, or else the country's; undefined if all
 * are unknown. For a country with several time zones, returns the one with the most people.
 */
export const findPersonZone = ({ timezone, phone, country }: TimezoneFacts): string | undefined =>
  timezone ?? (phone ? findPhoneZone(phone) : undefined) ?? (country ? findCountryZone(country) : undefined)

function findPhoneZone(phone: string): string | undefined {
  const zones = findPhoneZones(phone)
  if (areEquivalent(zones)) return zones[0]
  const { country } = parsePhoneNumberFromString(phone)!
  // For a North American area code in two zones, either of them is a better guess than the country's main zone.
  const main = country && mainZones[country]
  return main && !zones.includes(main) ? zones[0] : main
}

export function findCountryZone(country: string): string | undefined {
  const code = codesByName.get(country.trim().toLowerCase())
  if (!code) return undefined
  if (!zonesByCode.has(code)) zonesByCode.set(code, mainZones[code] ?? findOnlyZone(code))
  return zonesByCode.get(code)
}

/** Cached, because the lookup is the most expensive part of computing a due time. */
const zonesByCode = new Map<string, string | undefined>()

function findOnlyZone(code: string): string | undefined {
  const zones = new Intl.Locale('und', { region: code }).getTimeZones() ?? []
  return areEquivalent(zones) ? zones[0] : undefined
}

/** Countries with several time zones, each with the zone that has the most people. */
const mainZones: Record<string, string> = {
  AQ: 'Antarctica/McMurdo',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CD: 'Africa/Kinshasa',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Pohnpei',
  GL: 'America/Nuuk',
  ID: 'Asia/Jakarta',
  KI: 'Pacific/Tarawa',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  UA: 'Europe/Kyiv',
  UM: 'Pacific/Wake',
  US: 'America/New_York',
}

/** Common country names other than the English name and the code. */
const otherNames: Record<string, string> = {
  america: 'US',
  'czech republic': 'CZ',
  deutschland: 'DE',
  england: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  'northern ireland': 'GB',
  scotland: 'GB',
  'the netherlands': 'NL',
  turkey: 'TR',
  'united states of america': 'US',
  usa: 'US',
  wales: 'GB',
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Country codes by lower-case code (including former ones) and name. */
const codesByName = new Map([
  ...letters
    .flatMap(first => letters.map(second => first + second))
    .flatMap(alias => {
      const code = new Intl.Locale('und', { region: alias }).region!
      const name = names.of(code)
      return name ? [[alias, code] as const, [name.toLowerCase(), code] as const] : []
    }),
  ...Object.entries(otherNames),
])

/** Returns whether the zones have the same offset all year round, sampled in one year. */
const areEquivalent = (zones: readonly string[]): boolean =>
  ['2026-01-15T00:00Z', '2026-04-01T00:00Z', '2026-07-15T00:00Z', '2026-10-01T00:00Z'].every(
    instant =>
      new Set(zones.map(zone => Temporal.Instant.from(instant).toZonedDateTimeISO(zone).offset)).size <= 1,
  )
