import type { Fragment, Sql } from '../db.ts'

/**
 * The step that comes next for a prospect `r`, to be joined laterally: the first one behind all that it got, in the
 * order of today. So nobody gets a step twice, or one that stands before another they got, however the steps are
 * moved. What surely was not delivered, or was called off, does not count.
 */
export const nextStep = (sql: Sql): Fragment => sql`
  select st.*
    from campaign_steps st
   where st.account_id = r.account_id and st.campaign_id = r.campaign_id and st.removed_at is null
     and st.position > coalesce((select max(got.position)
                                   from email_sends e
                                   join campaign_steps got on got.account_id = e.account_id and got.id = e.step_id
                                  where e.account_id = r.account_id and e.prospect_id = r.id
                                    and e.state not in ('refused', 'failed')), 0)
     and st.position > coalesce((select max(got.position)
                                   from tasks t
                                   join campaign_steps got on got.account_id = t.account_id and got.id = t.step_id
                                  where t.account_id = r.account_id and t.prospect_id = r.id
                                    and t.status <> 'cancelled'), 0)
   order by st.position
   limit 1`
