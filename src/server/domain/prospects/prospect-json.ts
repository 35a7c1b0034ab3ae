import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { selectPersonInBrief } from '../people/persons/person-json.ts'
import { openStatuses } from './write-prospects.ts'

/** Builds the API's JSON of prospect `r`. */
export const prospectJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(${prospectJsonFields(sql)},
    'person', ${selectPersonInBrief(sql, 'r')}))::text as json`

/** Returns the fields of a prospect `r`; includes the due time only for open prospects of active campaigns. */
export const prospectJsonFields = (sql: Sql): Fragment => sql`
    'id', r.id,
    'objectType', 'prospect',
    'createdAt', api_time(r.created_at),
    'updatedAt', api_time(r.updated_at),
    'personId', r.person_id,
    'campaignId', r.campaign_id,
    'status', r.status,
    'statusReason', r.status_reason,
    'intent', r.intent,
    'step', r.steps_done,
    'nextStepAt', case when r.status in ${openStatuses(sql)} then
                    (select api_time(r.next_step_at)
                       from campaigns c
                      where c.account_id = r.account_id and c.id = r.campaign_id and c.status = 'active')
                  end,
    'repId', r.rep_id`
