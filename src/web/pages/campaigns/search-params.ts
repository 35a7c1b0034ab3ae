import type { campaignSorts, campaignStatuses } from '../../../contract/campaigns.ts'

export type CampaignState = (typeof campaignStatuses)[number] | 'archived'

export type CampaignSort = (typeof campaignSorts)[number]

/** Filters and order of the campaign list in the URL. */
export type CampaignsSearch = {
  query?: string
  state?: CampaignState
  sort?: Exclude<CampaignSort, 'createdAt'>
  order?: 'asc' | 'desc'
}

/** Copied from the contract. Importing the contract here would make every page load it. */
const states: readonly unknown[] = [
  'draft',
  'active',
  'paused',
  'completed',
  'archived',
] satisfies CampaignState[]

const sorts: readonly unknown[] = ['name', 'lastActivityAt'] satisfies CampaignSort[]

/** Validates the filters and the order from the URL. */
export const parseCampaignsSearch = ({
  query,
  state,
  sort,
  order,
}: Record<string, unknown>): CampaignsSearch => {
  // The router has parsed digits as a number.
  const text = String(query ?? '').trim()
  return {
    ...(text && { query: text.slice(0, 100) }),
    ...(states.includes(state) && { state: state as CampaignState }),
    ...(sorts.includes(sort) && { sort: sort as NonNullable<CampaignsSearch['sort']> }),
    ...((order === 'asc' || order === 'desc') && { order }),
  }
}

/** Returns the initial sort direction of a column: names from A to Z, times from newest to oldest. */
const getFirstOrder = (sort: CampaignSort) => (sort === 'name' ? 'asc' : 'desc')

export const getOrder = ({ sort, order }: CampaignsSearch) => order ?? getFirstOrder(sort ?? 'createdAt')

/** Sorts by a column, in its initial direction. */
export function withSort(search: CampaignsSearch, sort: CampaignSort): CampaignsSearch {
  const { sort: _sort, order: _order, ...filters } = search
  return { ...filters, ...(sort !== 'createdAt' && { sort }) }
}

/** Sorts by a column, or reverses the order when the list is already sorted by it. */
export function sortBy(search: CampaignsSearch, sort: CampaignSort): CampaignsSearch {
  const isReversed = sort === (search.sort ?? 'createdAt') && getOrder(search) === getFirstOrder(sort)
  return {
    ...withSort(search, sort),
    ...(isReversed && { order: getFirstOrder(sort) === 'asc' ? 'desc' : 'asc' }),
  }
}

/** Returns the input of `listCampaigns`. Archived campaigns appear only under their own filter. */
export const toCampaignsInput = ({ query, state, sort, order }: CampaignsSearch) => ({
  numbers: true as const,
  isArchived: state === 'archived',
  ...(query && { query }),
  ...(sort && { sort }),
  ...(order && { order }),
  ...(state && state !== 'archived' && { status: [state] }),
})
