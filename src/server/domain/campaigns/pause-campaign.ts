import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { type ChangedCampaign, checkTransition, setStatus } from './change-status.ts'

export async function pauseCampaign(ctx: Context, { campaignId }: Input<'pauseCampaign'>): ChangedCampaign {
  await checkTransition(ctx, campaignId, 'paused', ['active'])
  return setStatus(ctx, campaignId, 'pause', 'paused')
}
