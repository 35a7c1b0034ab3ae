import type { RawInput } from '../../../contract/index.ts'

/** The input for finding a launched campaign. Separate from the page, so that the router can prefetch it. */
export const launchedCampaignsInput: RawInput<'listCampaigns'> = {
  status: ['active', 'paused', 'completed'],
  limit: 1,
}
