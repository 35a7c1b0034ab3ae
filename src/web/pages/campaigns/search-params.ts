import { campaignStatuses } from '../../../contract/campaigns.ts'

export type CampaignState = (typeof campaignStatuses)[number] | 'archived'

/** Filters of the list of campaigns, as the URL holds them. */
export type CampaignsSearch = { query?: string; state?: CampaignState }

const states: readonly unknown[] = [...campaignStatuses, 'archived']

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
