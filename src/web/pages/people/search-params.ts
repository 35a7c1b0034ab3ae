import type { RawInput } from '../../../contract/index.ts'
import { isProspectStatus, type ProspectStatus } from '../../components/prospect-statuses.ts'
import { isSearchable } from '../../ui/is-searchable.ts'

// Separate from the pages, so that the router can prefetch without loading them.

export const sortLabels = {
  createdAt: 'Newest first',
  name: 'Name',
  lastContactedAt: 'Last contacted',
  lastRepliedAt: 'Last replied',
}
export const contactLabels = {
  before30: 'Not contacted in 30 days',
  before90: 'Not contacted in 90 days',
  after7: 'Contacted in the last 7 days',
  after30: 'Contacted in the last 30 days',
}

/** Filters that a list can have one of. */
const exclusive = ['companyId', 'ownerRepId', 'tag', 'campaignId', 'domain'] as const

export type PeopleSearch = {
  query?: string
  status?: ProspectStatus
  contact?: keyof typeof contactLabels
  reachable?: true
  custom?: string
  sort?: keyof typeof sortLabels
} & { [F in (typeof exclusive)[number]]?: string }

/** Reads the filters from a URL. Of exclusive ones only the first counts. */
export function parsePeopleSearch(search: Record<string, unknown>): PeopleSearch {
  const text = (name: string) => (search[name] ? String(search[name]) : undefined)
  const name = exclusive.find(text)
  const { status, contact, sort } = search
  const query = text('query')
  const custom = text('custom')
  return {
    ...(query && { query }),
    ...(name && { [name]: text(name) }),
    ...(name === 'campaignId' && isProspectStatus(status) && { status }),
    ...(isKey(contactLabels, contact) && { contact }),
    ...(search.reachable === true && { reachable: true as const }),
    ...(custom && { custom }),
    ...(isKey(sortLabels, sort) && { sort }),
  }
}

/** Reads the campaign to import people into from a URL. */
export const parseImportSearch = ({ campaignId }: Record<string, unknown>): { campaignId?: string } =>
  campaignId ? { campaignId: String(campaignId) } : {}

/** Replaces the exclusive filter, if any, with this one. */
export const withExclusive = (
  search: PeopleSearch,
  name: (typeof exclusive)[number],
  value: string,
): PeopleSearch => {
  const { companyId, ownerRepId, tag, campaignId, domain, status, ...others } = search
  return { ...others, [name]: value }
}

const isKey = <T extends object>(labels: T, key: unknown): key is keyof T =>
  typeof key === 'string' && Object.hasOwn(labels, key)

const DAY_MS = 86_400_000

/** Whole days, so that the same filter is the same request for a day. */
const daysAgo = (days: number): string =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS).toISOString()

export function toListPersonsInput(search: PeopleSearch): RawInput<'listPersons'> {
  const { status, contact, reachable, query, sort, ...filters } = search
  const [, side, days] = /^(before|after)(\d+)$/.exec(contact ?? '') ?? []
  return {
    ...filters,
    ...(query && isSearchable(query) && { query }),
    ...(status && { prospectStatus: status }),
    ...(reachable && { excludeOptedOut: true }),
    ...(side === 'before' && { lastContactedBefore: daysAgo(Number(days)) }),
    ...(side === 'after' && { lastContactedAfter: daysAgo(Number(days)) }),
    ...(sort && !contact && { sort }),
  }
}
