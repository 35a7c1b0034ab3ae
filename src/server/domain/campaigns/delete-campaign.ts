import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { audit } from '../accounts/audit-log.ts'
import { lockCampaign } from './campaigns.ts'
import { writeSteps } from './stored-steps.ts'

export async function deleteCampaign(
  ctx: Context,
  { campaignId }: Input<'deleteCampaign'>,
  deleteProspects: (ctx: Context, campaignId: string) => Promise<void>,
): Promise<Output<'deleteCampaign'>> {
  const { sql, accountId } = ctx
  const { status } = await lockCampaign(ctx, campaignId)
  if (status !== 'draft')
    throw conflict(`The campaign is ${status}; only drafts can be deleted. Archive it instead.`)
  await deleteProspects(ctx, campaignId)
  await writeSteps(ctx, campaignId, [], { isDraft: true })
  await sql`delete from campaign_knowledge where account_id = ${accountId} and campaign_id = ${campaignId}`
  await sql`delete from campaign_reps where account_id = ${accountId} and campaign_id = ${campaignId}`
  await sql`delete from campaigns where account_id = ${accountId} and id = ${campaignId}`
  await audit(ctx, 'delete', 'campaign', campaignId)
  return { ok: true }
}
