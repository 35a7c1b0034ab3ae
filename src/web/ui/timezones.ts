export type Timezone = {
  /** The IANA name, such as `America/New_York`. */
  name: string
  city: string
  country: string | undefined
  /** Current difference from UTC, in minutes. */
  offset: number
  /** City, country and region in the form that `simplify` returns. */
  places: string
  /** `places` with the generic name of the zone, such as "eastern time". */
  text: string
}

export type TimezoneGroup = { value: string; items: Timezone[] }

/** Browsers report some zones under names that the time zone database has replaced. */
const renamed: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Etc/UTC': 'UTC',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

export const toCanonicalTimezone = (name: string): string => renamed[name] ?? name

const regions: Record<string, string> = {
  America: 'Americas',
  Atlantic: 'Atlantic Ocean',
  Indian: 'Indian Ocean',
  Pacific: 'Pacific Ocean',
  UTC: 'Other',
}

/** Returns a zone by its name, without the search text that only the list needs. */
export function getTimezone(name: string, now = new Date()): Timezone {
  const canonical = toCanonicalTimezone(name)
  const [region = '', ...places] = canonical.replaceAll('_', ' ').split('/')
  return {
    name: canonical,
    city: places.toReversed().join(', ') || region,
    country: undefined,
    offset: getOffset(canonical, now),
    places: '',
    text: '',
  }
}

/** Returns all zones by region in alphabetical order; `Other` is last. */
export function getTimezoneGroups(now = new Date()): TimezoneGroup[] {
  const countries = getCountries()
  const groups = new Map<string, Timezone[]>()
  for (const name of new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(toCanonicalTimezone)])) {
    const zone = getTimezone(name, now)
    const country = countries.get(name)
    const [region = ''] = name.split('/')
    const label = regions[region] ?? region
    const places = simplify(`${name} ${country ?? ''} ${label}`)
    const text = `${places} ${simplify(getZonePart(name, 'longGeneric', now))}`
    const items = groups.get(label) ?? []
    items.push({ ...zone, country, places, text })
    groups.set(label, items)
  }
  return [...groups]
    .map(([value, items]) => ({ value, items: items.toSorted((a, b) => a.city.localeCompare(b.city)) }))
    .toSorted(
      (a, b) => Number(a.value === 'Other') - Number(b.value === 'Other') || a.value.localeCompare(b.value),
    )
}

/** Formats a difference from UTC, as in `UTC+05:30`. */
export function formatOffset(offset: number): string {
  const minutes = Math.abs(offset)
  const parts = [Math.floor(minutes / 60), minutes % 60].map(part => String(part).padStart(2, '0'))
  return `UTC${offset < 0 ? '−' : '+'}${parts.join(':')}`
}

/**
 * Returns a filter by city, country, generic name such as "eastern", or offset such as "+5:30". Better matches hide
 * others: "india" finds the zone of India, not those of Indiana or of other countries on India Standard Time.
 */
export function createTimezoneFilter(groups: TimezoneGroup[]): (zone: Timezone, query: string) => boolean {
  const zones = groups.flatMap(({ items }) => items)
  let last = { query: '', found: new Set(zones) }
  return (zone, query) => {
    if (query !== last.query) last = { query, found: new Set(findTimezones(zones, query)) }
    return last.found.has(zone)
  }
}

function findTimezones(zones: Timezone[], query: string): Timezone[] {
  const offset = parseOffset(query)
  if (offset !== undefined) return zones.filter(zone => zone.offset === offset)
  const words = simplify(query).split(' ')
  const find = (matches: (zone: Timezone, word: string) => boolean) =>
    zones.filter(zone => words.every(word => matches(zone, word)))
  const [found = []] = [
    find(({ places }, word) => ` ${places} `.includes(` ${word} `)),
    find(({ text }, word) => ` ${text} `.includes(` ${word} `)),
    find(({ text }, word) => text.includes(word)),
  ].filter(({ length }) => length > 0)
  return found
}

function parseOffset(query: string): number | undefined {
  const [, sign, hours, minutes = '0'] =
    /^\s*(?:utc|gmt)?\s*([+−-])\s*(\d{1,2})(?::?(\d{2}))?\s*$/i.exec(query) ?? []
  if (!sign) return undefined
  return (sign === '+' ? 1 : -1) * (Number(hours) * 60 + Number(minutes)) || 0
}

/** Removes case, accents and punctuation, so that "Zürich" and "zurich" are equal. */
const simplify = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}+:]+/gu, ' ')
    .trim()

const getZonePart = (timeZone: string, timeZoneName: 'longOffset' | 'longGeneric', at: Date): string =>
  new Intl.DateTimeFormat('en', { timeZone, timeZoneName })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''

function getOffset(name: string, at: Date): number {
  try {
    return parseOffset(getZonePart(name, 'longOffset', at)) ?? 0
  } catch {
    // The zone is unknown to this browser.
    return 0
  }
}

/** Returns the country of each zone; empty in browsers without this data. */
function getCountries(): Map<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const countries = new Map<string, string>()
  for (const region of letters.flatMap(first => letters.map(second => first + second))) {
    const country = names.of(region)
    if (!country) continue
    for (const zone of new Intl.Locale('und', { region }).getTimeZones?.() ?? []) {
      countries.set(toCanonicalTimezone(zone), country)
    }
  }
  return countries
}
