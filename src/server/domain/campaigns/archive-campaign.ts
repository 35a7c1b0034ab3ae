import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { type ChangedCampaign, checkTransition, setArchived } from './change-status.ts'

export async function archiveCampaign(
  ctx: Context,
  { campaignId }: Input<'archiveCampaign'>,
): Promise<ChangedCampaign> {
  await checkTransition(ctx, campaignId, 'archived', ['draft', 'paused', 'completed'])
  return setArchived(ctx, campaignId, 'archive', true)
}
