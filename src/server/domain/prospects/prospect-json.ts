import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { selectPersonInBrief } from '../people/persons/person-json.ts'
import { openStatuses } from './write-prospects.ts'

/** Builds the API's JSON of prospect `r`. */
export const prospectJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(${prospectJsonFields(sql)},
    'person', ${selectPersonInBrief(sql, 'r')}))::text as json`

/** Selects when the next step of a prospect is due; null unless it is open and its campaign is active. */
export const selectNextStepAt = (sql: Sql, alias: string): Fragment => {
  const column = (name: string) => sql.identifier(`${alias}.${name}`)
  return sql`
    case when ${column('status')} in ${openStatuses(sql)} then
      (select api_time(${column('next_step_at')})
         from campaigns c
        where c.account_id = ${column('account_id')} and c.id = ${column('campaign_id')} and c.status = 'active')
    end`
}

/** Returns the fields of a prospect `r`. */
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
    'nextStepAt', ${selectNextStepAt(sql, 'r')},
    'repId', r.rep_id`
