import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { listCustomKeys } from '../people/custom-fields/custom-values.ts'
import { getCampaign, lockCampaign } from './campaigns.ts'
import { forbidAppTriggeredCalls } from './forbid-app-triggered-calls.ts'
import { checkLaunchedSteps } from './launch-errors.ts'
import { parseSteps } from './parse-steps.ts'
import type { StepEffects } from './prospect-effects.ts'
import { findStepIds, writeSteps } from './stored-steps.ts'

/** Replaces the steps. Concurrent edits are serialized, so that each sees the result of the previous one. */
export async function setCampaignSteps(
  ctx: Context,
  { campaignId, steps }: Input<'setCampaignSteps'>,
  effects: StepEffects,
): Promise<Json<Output<'setCampaignSteps'>>> {
  const isDraft = (await lockCampaign(ctx, campaignId)).status === 'draft'
  const parsed = await parseSteps(steps, await listCustomKeys(ctx), await findStepIds(ctx, campaignId))
  const hadEmail = await hasEmailStep(ctx, campaignId)
  if (!isDraft) await withdrawQueued(ctx, campaignId, effects)
  await writeSteps(ctx, campaignId, parsed, { isDraft })
  await forbidAppTriggeredCalls(ctx, campaignId)
  if (!isDraft) {
    await checkLaunchedSteps(ctx, campaignId, { hadEmail })
    await effects.retryFailedRendering(ctx, campaignId)
    await effects.rescheduleProspects(ctx, { campaignId })
  }
  // now() is the start of the transaction: emails may have been written between then and the lock on the campaign.
  await ctx.sql`
    update campaigns set steps_changed_at = clock_timestamp(), updated_at = now()
     where account_id = ${ctx.accountId} and id = ${campaignId}`
  await audit(ctx, 'set_steps', 'campaign', campaignId)
  return getCampaign(ctx, { campaignId })
}

async function hasEmailStep({ sql, accountId }: Context, campaignId: string): Promise<boolean> {
  const found = await sql`
    select from campaign_steps
     where account_id = ${accountId} and campaign_id = ${campaignId} and removed_at is null and channel = 'email'
     limit 1`
  return found.count > 0
}

/**
 * Withdraws queued emails (about fifty at most), open tasks and queued calls; they are planned again from the new
 * steps.
 */
async function withdrawQueued(ctx: Context, campaignId: string, effects: StepEffects): Promise<void> {
  const { sql } = ctx
  const now = ctx.app.now()
  await effects.withdrawQueuedEmails(ctx, campaignId)
  const prospectIds = [
    ...(await effects.deleteOpenTasks(sql, campaignId)),
    ...(await effects.withdrawCalls(sql, campaignId, 'steps_changed', now)),
  ]
  for (const prospectId of prospectIds) await effects.revertStep(sql, prospectId, now)
}
