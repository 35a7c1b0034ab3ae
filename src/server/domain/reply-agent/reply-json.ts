import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { ReplyChannel } from './claim-replies.ts'

const isEmail = (channel: ReplyChannel): boolean => channel === 'email'

const isBeingSent = (sql: Sql, channel: ReplyChannel): Fragment =>
  isEmail(channel)
    ? sql`d.delivery_status in ('queued', 'sending')`
    : sql`exists (select from tasks t
                   where t.account_id = d.account_id and t.linkedin_message_id = d.id and t.status = 'open')`

/** Builds the API's JSON of the classification and draft of received message `m`; null when it has none. */
export const replyJson = (sql: Sql, channel: ReplyChannel): Fragment => sql`
  case when m.type = 'received' then (
    select json_strip_nulls(json_build_object(
             'intent', r.intent,
             'intentBy', r.intent_by,
             'notNowUntil', r.not_now_until,
             'referral', r.referral,
             'draft', json_build_object(
               'state', case when r.draft_id is null then case r.state when 'done' then 'none' else r.state end
                             when d.id is null then 'deleted'
                             when d.status = 'sent' then 'sent'
                             when ${isBeingSent(sql, channel)} then 'sending'
                             when r.state = 'scheduled' then 'scheduled'
                             else 'waiting' end,
               ${isEmail(channel) ? sql`'emailMessageId'` : sql`'linkedinMessageId'`}, d.id,
               'sendsAt', case when r.state = 'scheduled' then api_time(r.sends_at) end,
               'reason', r.reason),
             'usage', case when r.model is not null then json_build_object(
               'model', r.model,
               'inputTokens', r.input_tokens,
               'outputTokens', r.output_tokens,
               'costUsd', r.cost_usd) end))
      from agent_replies r
      left join ${isEmail(channel) ? sql`email_messages` : sql`linkedin_messages`} d on d.account_id = r.account_id and d.id = r.draft_id
     where r.account_id = m.account_id and r.message_id = m.id) end`
