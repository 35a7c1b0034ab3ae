import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { getCampaign } from './campaigns.ts'
import { type ChangedCampaign, checkTransition, setStatus } from './change-status.ts'
import { forbidAppTriggeredCalls } from './forbid-app-triggered-calls.ts'
import type { CompleteCampaign } from './prospect-effects.ts'

export async function resumeCampaign(
  ctx: Context,
  { campaignId }: Input<'resumeCampaign'>,
  completeCampaign: CompleteCampaign,
): Promise<ChangedCampaign> {
  const from = await checkTransition(ctx, campaignId, 'resumed', ['paused', 'completed'])
  if (!(await hasRep(ctx, campaignId)))
    throw conflict('The campaign has no rep. Assign one before you resume it.')
  await forbidAppTriggeredCalls(ctx, campaignId)
  const resumed = await setStatus(ctx, campaignId, 'resume', 'active')
  // The last prospect may have finished during the pause. A completed campaign that is resumed stays active, because
  // the user wants to reopen it.
  const isOver = from === 'paused' && (await completeCampaign(ctx.sql, campaignId))
  return isOver ? getCampaign(ctx, { campaignId }) : resumed
}

async function hasRep({ sql, accountId }: Context, campaignId: string): Promise<boolean> {
  const { count } = await sql`
    select from campaign_reps where account_id = ${accountId} and campaign_id = ${campaignId} limit 1`
  return count > 0
}
