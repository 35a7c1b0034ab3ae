import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

/** Builds the API's JSON of the variants that won in campaign `c`; null when there are none. */
export const winnersJson = (sql: Sql): Fragment => sql`
  (select json_agg(jsonb_build_object('stepId', st.id) || st.winner order by st.position)
     from campaign_steps st
    where st.account_id = c.account_id and st.campaign_id = c.id and st.removed_at is null and st.winner is not null)`

/**
 * Reviews the winners after an edit. If a user gave a losing variant a weight again, no winner is chosen for the step
 * anymore; an added variant starts a new test.
 */
export const reviewWinners = ({ sql, accountId }: Context, campaignId: string) => sql`
  update campaign_steps st
     set winner = case when not rivals.are_new
                       then jsonb_build_object('overriddenAt', api_time(now())) || st.winner end,
         winner_tests = case when rivals.are_new then 0 else st.winner_tests end
    from (select v.step_id, bool_or(not w.winner -> 'variants' @> jsonb_build_array(jsonb_build_object('variantId', v.id)))
                              as are_new
            from campaign_steps w
            join campaign_step_variants v on v.account_id = w.account_id and v.step_id = w.id
           where w.account_id = ${accountId} and w.campaign_id = ${campaignId} and w.winner is not null
             and v.removed_at is null and v.weight > 0 and v.id::text <> w.winner ->> 'variantId'
           group by v.step_id) rivals
   where st.account_id = ${accountId} and st.id = rivals.step_id`
