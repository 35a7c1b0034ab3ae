import type { Fragment, Sql } from '../db.ts'

/** What a received message `m` means and the draft that answers it, as the API shows it; null for what has none. */
export const replyReadingJson = (sql: Sql): Fragment => sql`
  case when m.type = 'received' then (
    select json_build_object(
             'intent', r.intent,
             'intentBy', r.intent_by,
             'notNowUntil', r.not_now_until,
             'referral', r.referral,
             'draft', json_build_object(
               'state', case when r.draft_id is null then case r.state when 'done' then 'none' else r.state end
                             when d.id is null then 'deleted'
                             when d.status = 'sent' then 'sent'
                             when d.delivery_status in ('queued', 'sending') then 'sending'
                             when r.state = 'scheduled' then 'scheduled'
                             else 'waiting' end,
               'emailMessageId', d.id,
               'sendsAt', case when r.state = 'scheduled' then api_time(r.sends_at) end,
               'reason', r.reason),
             'usage', case when r.model is not null then json_build_object(
               'model', r.model,
               'inputTokens', r.input_tokens,
               'outputTokens', r.output_tokens,
               'costUsd', r.cost_usd) end)
      from agent_replies r
      left join email_messages d on d.account_id = r.account_id and d.id = r.draft_id
     where r.account_id = m.account_id and r.email_message_id = m.id) end`
