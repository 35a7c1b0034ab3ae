import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { UNCONFIRMED } from './unconfirmed.ts'

/**
 * Selects the next step of a prospect `r`, for a lateral join: the first step in the current order that follows every
 * step the prospect received. However steps are reordered, nobody gets a step twice, or a step that precedes one they
 * received. Steps that were cancelled or definitely not delivered are ignored. An unanswered call is retried after its
 * own delay. `isReceived` is the condition that an email counts as received.
 */
export const nextStep = (
  sql: Sql,
  isReceived: Fragment = sql`state not in ('refused', 'failed')`,
): Fragment => sql`
  select st.account_id, st.campaign_id, st.id, st.position, st.channel, st.thread, st.accept_within_days,
         st.assistant_id, st.call_data, st.on_answered, st.retries, st.retry_after_amount, st.retry_after_unit,
         case when tried.is_retry then st.retry_after_amount else st.delay_amount end as delay_amount,
         case when tried.is_retry then st.retry_after_unit else st.delay_unit end as delay_unit
    from campaign_steps st
   cross join lateral (
          select st.channel = 'call' and exists (select from calls k
                                                  where k.account_id = r.account_id and k.prospect_id = r.id
                                                    and k.step_id = st.id and ${isAttempt(sql)}) as is_retry) tried
   where st.account_id = r.account_id and st.campaign_id = r.campaign_id and st.removed_at is null
     and st.position > coalesce((select max(received.position)
                                   -- The offset isolates these sends. Without it, PostgreSQL's planner may scan the
                                   -- account's sends for each prospect.
                                   from (select step_id
                                           from email_sends
                                          where account_id = r.account_id and prospect_id = r.id
                                            and ${isReceived}
                                         offset 0) e
                                   join campaign_steps received on received.account_id = r.account_id and received.id = e.step_id), 0)
     and st.position > coalesce((select max(received.position)
                                   from tasks t
                                   join campaign_steps received on received.account_id = t.account_id and received.id = t.step_id
                                  where t.account_id = r.account_id and t.prospect_id = r.id
                                    and t.status <> 'cancelled'), 0)
     and st.position > coalesce((select max(received.position)
                                   from calls k
                                   join campaign_steps received on received.account_id = k.account_id and received.id = k.step_id
                                  where k.account_id = r.account_id and k.prospect_id = r.id and ${isAttempt(sql)}
                                    and ${isRetried(sql)} is not true), 0)
   order by st.position
   limit 1`

/** Returns the condition that a call `k` belongs to a step and was not withdrawn before dialing. */
export const isAttempt = (sql: Sql): Fragment =>
  sql`(k.step_id is not null and k.outcome is distinct from 'withdrawn')`

/** Returns the condition that a call `k` of the step `received` ended in a way that is retried; null until it ends. */
export const isRetried = (sql: Sql): Fragment => sql`
  (received.removed_at is null and k.attempt <= received.retries
   and (k.outcome in ('voicemail', 'no_answer', 'busy')
        or k.outcome = 'failed' and k.outcome_reason is distinct from ${UNCONFIRMED}))`
