import type { campaignStatuses } from '../../../contract/campaigns.ts'

export type CampaignState = (typeof campaignStatuses)[number] | 'archived'

/** Filters of the list of campaigns, as the URL holds them. */
export type CampaignsSearch = { query?: string; state?: CampaignState }

/** Not taken from the contract, which every page would load then. */
const states: readonly unknown[] = [
  'draft',
  'active',
  'paused',
  'completed',
  'archived',
] satisfies CampaignState[]

/** Validates the filters from the URL. */
export const parseCampaignsSearch = ({ query, state }: Record<string, unknown>): CampaignsSearch => ({
  ...(typeof query === 'string' && query.trim() && { query: query.trim().slice(0, 100) }),
  ...(states.includes(state) && { state: state as CampaignState }),
})

/** Returns the input of `listCampaigns`. Archived campaigns appear only under their own filter. */
export const toCampaignsInput = ({ query, state }: CampaignsSearch) => ({
  numbers: true as const,
  isArchived: state === 'archived',
  ...(query && { query }),
  ...(state && state !== 'archived' && { status: [state] }),
})
