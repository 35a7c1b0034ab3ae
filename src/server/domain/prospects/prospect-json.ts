import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type JsonFields, jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { selectPersonInBrief } from '../people/persons/person-json.ts'
import { openStatuses } from './write-prospects.ts'

/** Builds the API's JSON of prospect `r`. */
export const prospectJson = (sql: Sql): Fragment => sql`
  ${jsonObject({ ...prospectFields(sql), person: selectPersonInBrief(sql, 'r') })} as json`

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
export const prospectFields = (sql: Sql): JsonFields => ({
  id: uuid('r.id'),
  objectType: 'prospect',
  createdAt: timestamp('r.created_at'),
  updatedAt: timestamp('r.updated_at'),
  personId: uuid('r.person_id'),
  campaignId: uuid('r.campaign_id'),
  status: sql`r.status`,
  statusReason: sql`r.status_reason`,
  intent: sql`r.intent`,
  step: sql`r.steps_done`,
  nextStepAt: selectNextStepAt(sql, 'r'),
  repId: uuid('r.rep_id'),
})
