import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { lockCampaign } from './campaigns.ts'

/** Returns the facts about a campaign that the reply agent may use. */
export const getCampaignKnowledge = (
  ctx: Context,
  { campaignId }: Input<'getCampaignKnowledge'>,
): Promise<Json<Output<'getCampaignKnowledge'>>> =>
  findJson(
    ctx,
    'campaign',
    ctx.sql`
      select json_strip_nulls(json_build_object(
               'objectType', 'campaign_knowledge',
               'campaignId', c.id,
               'updatedAt', api_time(k.updated_at),
               'offer', k.offer,
               'answers', k.answers,
               'nextStep', k.next_step,
               'tone', k.tone))::text as json
        from campaigns c
        left join campaign_knowledge k on k.account_id = c.account_id and k.campaign_id = c.id
       where c.account_id = s.account_id and c.id = ${campaignId}`,
  )

/** Updates the given fields: undefined keeps a field and null clears it. */
export async function updateCampaignKnowledge(
  ctx: Context,
  { campaignId, offer, answers, nextStep, tone }: Input<'updateCampaignKnowledge'>,
): Promise<Json<Output<'updateCampaignKnowledge'>>> {
  await lockCampaign(ctx, campaignId)
  const { sql } = ctx
  const newValue = (value: string | null | undefined, column: string) =>
    value === undefined ? sql`k.${sql.identifier(column)}` : sql`${value}`
  await sql`
    insert into campaign_knowledge as k (account_id, campaign_id, offer, answers, next_step, tone)
    values (${ctx.accountId}, ${campaignId}, ${offer ?? null}, ${answers ?? null}, ${nextStep ?? null}, ${tone ?? null})
    on conflict (account_id, campaign_id) do update
       set offer = ${newValue(offer, 'offer')}, answers = ${newValue(answers, 'answers')},
           next_step = ${newValue(nextStep, 'next_step')}, tone = ${newValue(tone, 'tone')}, updated_at = now()`
  await audit(ctx, 'set_knowledge', 'campaign', campaignId)
  return getCampaignKnowledge(ctx, { campaignId })
}
