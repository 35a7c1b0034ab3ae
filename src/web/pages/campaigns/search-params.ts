import type { campaignSorts, campaignStatuses } from '../../../contract/campaigns.ts'

export type CampaignState = (typeof campaignStatuses)[number] | 'archived'

export type CampaignSort = (typeof campaignSorts)[number]

/** Filters and order of the list of campaigns, as the URL holds them. */
export type CampaignsSearch = {
  query?: string
  state?: CampaignState
  sort?: Exclude<CampaignSort, 'createdAt'>
  order?: 'asc' | 'desc'
}

/** Not taken from the contract, which every page would load then. */
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
}: Record<string, unknown>): CampaignsSearch => ({
  ...(typeof query === 'string' && query.trim() && { query: query.trim().slice(0, 100) }),
  ...(states.includes(state) && { state: state as CampaignState }),
  ...(sorts.includes(sort) && { sort: sort as NonNullable<CampaignsSearch['sort']> }),
  ...((order === 'asc' || order === 'desc') && { order }),
})

/** The direction in which a column is sorted first: names from A, times from the latest. */
const firstOrder = (sort: CampaignSort) => (sort === 'name' ? 'asc' : 'desc')

export const getOrder = ({ sort, order }: CampaignsSearch) => order ?? firstOrder(sort ?? 'createdAt')

/** Sorts by a column, in the direction in which it is sorted first. */
export function withSort(search: CampaignsSearch, sort: CampaignSort): CampaignsSearch {
  const { sort: _sort, order: _order, ...filters } = search
  return { ...filters, ...(sort !== 'createdAt' && { sort }) }
}

/** Sorts by a column, or turns its order around. */
export function sortBy(search: CampaignsSearch, sort: CampaignSort): CampaignsSearch {
  const isTurned = sort === (search.sort ?? 'createdAt') && getOrder(search) === firstOrder(sort)
  return {
    ...withSort(search, sort),
    ...(isTurned && { order: firstOrder(sort) === 'asc' ? 'desc' : 'asc' }),
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
