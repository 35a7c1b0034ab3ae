import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { isOpen } from './write-prospects.ts'

/** A prospect `r` as the API shows it. */
export const prospectJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(${prospectFields(sql)}))::text as json`

/** A due time is shown while something is due: in an active campaign, for a prospect it still works on. */
export const prospectFields = (sql: Sql): Fragment => sql`
    'id', r.id,
    'objectType', 'prospect',
    'createdAt', api_time(r.created_at),
    'updatedAt', api_time(r.updated_at),
    'personId', r.person_id,
    'campaignId', r.campaign_id,
    'status', r.status,
    'statusReason', r.status_reason,
    'step', r.steps_done,
    'nextStepAt', case when r.status in ${isOpen(sql)} then
                    (select api_time(r.next_step_at)
                       from campaigns c
                      where c.account_id = r.account_id and c.id = r.campaign_id and c.status = 'active')
                  end,
    'repId', r.rep_id`
