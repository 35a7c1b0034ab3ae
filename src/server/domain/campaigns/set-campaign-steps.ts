import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { withdrawCalls } from '../calls/step-calls.ts'
import { removeEmailMessage } from '../messages/write-email-messages.ts'
import { forgetQueuedSends } from '../outbox/sends.ts'
import { takeStepBack } from '../prospects/advance-prospects.ts'
import { retryUnwritten } from '../prospects/incomplete.ts'
import { rescheduleProspects } from '../prospects/reschedule.ts'
import { forgetOpenTasks } from '../tasks/write-tasks.ts'
import { getCampaign, lockCampaign } from './campaigns.ts'
import { readSteps } from './parse-steps.ts'
import { checkEmailSteps } from './status-transitions.ts'
import { findStepIds, writeSteps } from './stored-steps.ts'

/** One edit after the other: each sees the steps that the one before it made. */
export async function setCampaignSteps(
  ctx: Context,
  { campaignId, steps }: Input<'setCampaignSteps'>,
): Promise<Json<Output<'setCampaignSteps'>>> {
  const isDraft = (await lockCampaign(ctx, campaignId)).status === 'draft'
  const read = await readSteps(steps, await findStepIds(ctx, campaignId))
  const hadEmail = isDraft || (await hasEmailStep(ctx, campaignId))
  if (!isDraft) await takeBackQueued(ctx, campaignId)
  await writeSteps(ctx, campaignId, read, { isDraft })
  // One that sends already may be mended in any state: without an address its mails wait.
  if (!hadEmail) await checkEmailSteps(ctx, campaignId)
  if (!isDraft) {
    await retryUnwritten(ctx, campaignId)
    await rescheduleProspects(ctx, campaignId)
  }
  await ctx.sql`
    update campaigns set updated_at = now() where account_id = ${ctx.accountId} and id = ${campaignId}`
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

/** What is written but not yet begun to be sent, at most some fifty mails, and what nobody has done or dialed yet is written afresh from the new steps. */
async function takeBackQueued({ sql, app }: Context, campaignId: string): Promise<void> {
  for (const { messageId, prospectId } of await forgetQueuedSends(sql, campaignId)) {
    await removeEmailMessage(sql, messageId)
    await takeStepBack(sql, prospectId, app.now())
  }
  const others = [
    ...(await forgetOpenTasks(sql, campaignId)),
    ...(await withdrawCalls(sql, campaignId, 'steps_changed', app.now())),
  ]
  for (const prospectId of others) await takeStepBack(sql, prospectId, app.now())
}
