import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { UNCONFIRMED } from './unconfirmed.ts'

/**
 * The step that comes next for a prospect `r`, to be joined laterally: the first one behind all that it got, in the
 * order of today. So nobody gets a step twice, or one that stands before another they got, however the steps are
 * moved. What surely was not delivered, or was called off, does not count. A call that reached nobody comes once more,
 * after a delay of its own.
 */
export const nextStep = (sql: Sql): Fragment => sql`
  select st.account_id, st.campaign_id, st.id, st.position, st.channel, st.thread, st.accept_within_days,
         st.assistant_id, st.call_data, st.on_answered, st.retries, st.retry_after_amount, st.retry_after_unit,
         case when tried.is_so then st.retry_after_amount else st.delay_amount end as delay_amount,
         case when tried.is_so then st.retry_after_unit else st.delay_unit end as delay_unit
    from campaign_steps st
   cross join lateral (
          select st.channel = 'call' and exists (select from calls k
                                                  where k.account_id = r.account_id and k.prospect_id = r.id
                                                    and k.step_id = st.id and ${isAttempt(sql)}) as is_so) tried
   where st.account_id = r.account_id and st.campaign_id = r.campaign_id and st.removed_at is null
     and st.position > coalesce((select max(got.position)
                                   -- By themselves: else all sends of the account may be read for each prospect.
                                   from (select step_id
                                           from email_sends
                                          where account_id = r.account_id and prospect_id = r.id
                                            and state not in ('refused', 'failed')
                                         offset 0) e
                                   join campaign_steps got on got.account_id = r.account_id and got.id = e.step_id), 0)
     and st.position > coalesce((select max(got.position)
                                   from tasks t
                                   join campaign_steps got on got.account_id = t.account_id and got.id = t.step_id
                                  where t.account_id = r.account_id and t.prospect_id = r.id
                                    and t.status <> 'cancelled'), 0)
     and st.position > coalesce((select max(got.position)
                                   from calls k
                                   join campaign_steps got on got.account_id = k.account_id and got.id = k.step_id
                                  where k.account_id = r.account_id and k.prospect_id = r.id and ${isAttempt(sql)}
                                    and ${isTriedAgain(sql)} is not true), 0)
   order by st.position
   limit 1`

/** Whether a call `k` is one of a step, and was not taken back before it was dialed. */
export const isAttempt = (sql: Sql): Fragment =>
  sql`(k.step_id is not null and k.outcome is distinct from 'withdrawn')`

/** Whether a call `k` of the step `got` ended so that the step comes once more; null while it has not ended. */
export const isTriedAgain = (sql: Sql): Fragment => sql`
  (got.removed_at is null and k.attempt <= got.retries
   and (k.outcome in ('voicemail', 'no_answer', 'busy')
        or k.outcome = 'failed' and k.outcome_reason is distinct from ${UNCONFIRMED}))`
