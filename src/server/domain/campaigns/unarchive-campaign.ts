import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { lockCampaign } from './campaigns.ts'
import { type ChangedCampaign, setArchived } from './change-status.ts'

export async function unarchiveCampaign(
  ctx: Context,
  { campaignId }: Input<'unarchiveCampaign'>,
): Promise<ChangedCampaign> {
  const { status, isArchived } = await lockCampaign(ctx, campaignId)
  if (!isArchived) throw conflict(`The campaign is ${status} and not archived.`)
  return setArchived(ctx, campaignId, 'unarchive', false)
}
