import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { findJson, type Json } from '../../kernel/json.ts'

/** Sums the usage of the replies in a period. */
export const getReplyAgentUsage = (
  ctx: Context,
  period: Input<'getReplyAgentUsage'>,
): Promise<Json<Output<'getReplyAgentUsage'>>> =>
  findJson(
    ctx,
    'account',
    sumUsage(ctx, period, ctx.sql`(select s.account_id as account_id) of_all`, ctx.sql``),
  )

export const getCampaignReplyUsage = (
  ctx: Context,
  { campaignId, ...period }: Input<'getCampaignReplyUsage'>,
): Promise<Json<Output<'getCampaignReplyUsage'>>> => {
  const { sql } = ctx
  const campaign = sql`(select id from campaigns where account_id = s.account_id and id = ${campaignId}) c`
  return findJson(ctx, 'campaign', sumUsage(ctx, period, campaign, sql`and r.campaign_id = c.id`))
}

type Period = Input<'getReplyAgentUsage'>

const sumUsage = ({ sql }: Context, { from, to }: Period, owner: Fragment, filter: Fragment): Fragment => sql`
  select summed.json
    from ${owner}
   cross join lateral (
           with selected as (
             select * from agent_replies r
              where r.account_id = s.account_id ${filter}
                ${from ? sql`and r.created_at >= ${from}` : sql``}
                ${to ? sql`and r.created_at < ${to}` : sql``})
           select json_build_object(
                    'objectType', 'reply_usage',
                    'replies', count(*),
                    'byModel', count(*) filter (where intent_by = 'model'),
                    'drafts', count(draft_id),
                    'autopilotSent', count(autopilot_sent_at),
                    'failed', count(*) filter (where state = 'failed'),
                    'inputTokens', coalesce(sum(input_tokens), 0),
                    'outputTokens', coalesce(sum(output_tokens), 0),
                    'costUsd', coalesce(sum(cost_usd), 0),
                    'intents', (select coalesce(json_object_agg(intent, replies), '{}')
                                  from (select intent, count(*) as replies
                                          from selected where intent is not null group by intent) counted))::text as json
             from selected) summed`
