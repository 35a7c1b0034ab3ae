import type { RawInput } from '../../../contract/index.ts'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { isProspectStatus } from '../../components/prospect-statuses.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { isSearchable } from '../../ui/is-searchable.ts'

// Separate from the pages, so that the router can prefetch without loading them.

export const sortLabels = {
  createdAt: 'Newest first',
  name: 'Name',
  lastContactedAt: 'Last contacted',
  lastRepliedAt: 'Last replied',
}

export type PersonFilters = Omit<RawInput<'listPersons'>, 'limit' | 'cursor' | 'updatedSince'>

/**
 * The filters and order of the list, the open view, columns other than the user's own choice, and the campaign that the
 * user chooses people for.
 */
export type PeopleSearch = PersonFilters & { view?: string; columns?: string; addTo?: string }

/** Mutually exclusive filters. */
const exclusiveFilters = ['email', 'companyId', 'ownerRepId', 'tag', 'campaignId', 'domain'] as const

/** Filters by the last contact, which also determine the sort order. */
const contactFilters = [
  'notContactedForDays',
  'contactedWithinDays',
  'lastContactedBefore',
  'lastContactedAfter',
] as const

export const isByContact = (search: PeopleSearch): boolean =>
  contactFilters.some(name => search[name] !== undefined)

/** Reads the filters from a URL. Only the first of the exclusive filters applies. */
export function parsePeopleSearch(search: Record<string, unknown>): PeopleSearch {
  const text = (name: string) => (search[name] ? String(search[name]) : undefined)
  const days = (name: string) => (Number(search[name]) > 0 ? Math.floor(Number(search[name])) : undefined)
  const name = exclusiveFilters.find(text)
  const isInCampaign = name === 'campaignId'
  const notContactedForDays = days('notContactedForDays')
  const contactedWithinDays = days('contactedWithinDays')
  const filters = omitUndefined<PeopleSearch>({
    query: text('query'),
    ...(name && { [name]: text(name) }),
    prospectStatus:
      isInCampaign && isProspectStatus(search.prospectStatus) ? search.prospectStatus : undefined,
    intent: parseIntents(search.intent),
    createdSince: isInCampaign ? undefined : text('createdSince'),
    notContactedForDays,
    contactedWithinDays,
    lastContactedBefore: notContactedForDays ? undefined : text('lastContactedBefore'),
    lastContactedAfter: contactedWithinDays ? undefined : text('lastContactedAfter'),
    excludeOptedOut: search.excludeOptedOut === true ? true : undefined,
    custom: text('custom'),
    order: search.order === 'asc' || search.order === 'desc' ? search.order : undefined,
  })
  const isSortable = !isByContact(filters) || search.sort === 'lastContactedAt'
  return omitUndefined<PeopleSearch>({
    ...filters,
    sort: isSortable && isSort(search.sort) ? search.sort : undefined,
    view: text('view'),
    addTo: text('addTo'),
    columns: search.columns === undefined ? undefined : String(search.columns),
  })
}

function parseIntents(value: unknown): ReplyIntent[] | undefined {
  const intents = String(value ?? '')
    .split(',')
    .filter((text): text is ReplyIntent => Object.hasOwn(replyIntents, text))
  return intents.length > 0 ? intents : undefined
}

const isSort = (value: unknown): value is keyof typeof sortLabels =>
  typeof value === 'string' && Object.hasOwn(sortLabels, value)

const omitUndefined = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T

/** Reads the target campaign of an import from a URL. */
export const parseImportSearch = ({ campaignId }: Record<string, unknown>): { campaignId?: string } =>
  campaignId ? { campaignId: String(campaignId) } : {}

/** Replaces the exclusive filter, if any, with this one. */
export const withExclusive = (
  search: PeopleSearch,
  name: (typeof exclusiveFilters)[number],
  value: string,
): PeopleSearch => {
  const { email, companyId, ownerRepId, tag, campaignId, domain, prospectStatus, ...others } = search
  return { ...others, [name]: value }
}

/** Replaces the filters by the last contact, if any, with this one. */
export const withContact = (
  search: PeopleSearch,
  name: 'notContactedForDays' | 'contactedWithinDays',
  days: number,
): PeopleSearch => {
  const {
    notContactedForDays,
    contactedWithinDays,
    lastContactedBefore,
    lastContactedAfter,
    sort,
    ...others
  } = search
  return { ...others, [name]: days }
}

export const toPersonFilters = ({ view, columns, addTo, ...filters }: PeopleSearch): PersonFilters => filters

export function toListPersonsInput(search: PeopleSearch): RawInput<'listPersons'> {
  const { query, ...filters } = toPersonFilters(search)
  return { ...filters, ...(query && isSearchable(query) && { query }) }
}
