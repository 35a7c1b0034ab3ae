import { createCampaign as createOperation } from '../../../contract/campaigns.ts'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Json } from '../../kernel/json.ts'
import { createCampaign, getCampaign } from './campaigns.ts'

const MAX_NAME_LENGTH = 200

/**
 * Creates a draft that copies the campaign, without its prospects. Steps and variants get new IDs, because messages
 * refer to the original IDs.
 */
export async function duplicateCampaign(
  ctx: Context,
  { campaignId, name }: Input<'duplicateCampaign'>,
): Promise<Json<Output<'duplicateCampaign'>>> {
  const original = JSON.parse((await getCampaign(ctx, { campaignId })).text) as Output<'getCampaign'>
  const { description, repIds, settings, schedule, newProspectsPerDay } = original
  const copy = await createCampaign(
    ctx,
    createOperation.input.parse({
      name: name ?? `Copy of ${original.name}`.slice(0, MAX_NAME_LENGTH),
      ...{ description, repIds, settings, schedule, newProspectsPerDay },
      steps: original.steps.map(({ id: _, variants, ...step }) => ({
        ...step,
        // Steps without text have no variants.
        ...(variants.length > 0 && { variants: variants.map(({ id: _, ...variant }) => variant) }),
      })),
    }),
  )
  const { id } = JSON.parse(copy.text) as Output<'getCampaign'>
  await ctx.sql`
    insert into campaign_knowledge (account_id, campaign_id, offer, answers, next_step, tone)
    select account_id, ${id}, offer, answers, next_step, tone
      from campaign_knowledge
     where account_id = ${ctx.accountId} and campaign_id = ${campaignId}`
  return copy
}
