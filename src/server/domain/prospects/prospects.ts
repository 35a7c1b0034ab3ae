import type { Input, Output } from '../../../contract/index.ts'
import { prospectStatuses } from '../../../contract/prospects.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import { prospectJson } from './prospect-json.ts'

export const listProspects = (
  ctx: Context,
  input: Input<'listProspects'>,
): Promise<Json<Output<'listProspects'>>> =>
  listPage(ctx, 'listProspects', input, page => {
    const { sql } = ctx
    const { personId, email, updatedSince } = page.filters
    const column = updatedSince ? 'updated_at' : 'created_at'
    const at = sql.identifier(`r.${column}`)
    const order = orderAndLimit(sql, page, `r.${column}`, 'r.id')
    const after = afterCursor(sql, page, `r.${column}`, 'r.id')
    if (personId || email) {
      const { status, intent } = page.filters
      return sql`
        select r.id, api_time(r.created_at) as at, ${prospectJson(sql)}
          from prospects r
         where r.account_id = s.account_id
           ${personId ? sql`and r.person_id = ${personId}` : sql``}
           ${email ? sql`and r.person_id = ${selectPersonWithEmail(sql, email)}` : sql``}
           ${isInCampaign(sql, page.filters)}
           ${status ? sql`and r.status = any(${status})` : sql``}
           ${intent ? sql`and r.intent = any(${intent})` : sql``}
           ${after} ${order}`
    }
    const ranges = toRanges(sql, page.filters)
      .map(
        range => sql`
          (select r.id, ${at} from prospects r
            where r.account_id = s.account_id ${isInCampaign(sql, page.filters)} ${range}
              ${isUpdatedSince(sql, page, 'r.updated_at')} ${after} ${order})`,
      )
      .reduce((all, range) => sql`${all} union all ${range}`)
    return sql`
      select r.id, api_time(${at}) as at, ${prospectJson(sql)}
        from (select * from (${ranges}) r ${order}) found
        join prospects r on r.account_id = s.account_id and r.id = found.id
       ${orderAndLimit(sql, page, `found.${column}`, 'found.id')}`
  })

type Filters = Omit<Input<'listProspects'>, 'limit' | 'cursor'>

const selectPersonWithEmail = (sql: Sql, text: string): Fragment =>
  sql`(${selectPersonIds(sql, 'email', sql`array[${requireEmail(text)}]`, sql`s.account_id`)} limit 1)`

/**
 * Returns a condition whose subselect hides the campaign from the planner, which would otherwise scan by time when one
 * campaign has most of the rows.
 */
const isInCampaign = (sql: Sql, { campaignId }: Filters): Fragment =>
  campaignId ? sql`and r.campaign_id = (select ${campaignId}::uuid)` : sql``

/** So few prospects with these statuses have an intent that they can be sorted together. */
const rarelyRepliedStatuses: readonly string[] = ['bounced', 'stopped', 'failed']

/**
 * Returns disjoint conditions that together select the statuses and intents; each is one range of an index in the
 * list's order. The values are literals, so that the planner chooses that index.
 */
function toRanges(sql: Sql, { status, intent }: Filters): Fragment[] {
  if (!status && !intent) return [sql``]
  const separateStatuses = status ?? prospectStatuses.filter(one => !rarelyRepliedStatuses.includes(one))
  const statuses = separateStatuses.map(one => sql.unsafe(`and r.status = '${one}'`))
  if (!status) statuses.push(sql.unsafe(`and r.status in ('${rarelyRepliedStatuses.join("','")}')`))
  if (!intent) return statuses
  return intent.flatMap(one =>
    statuses.map(isStatus => sql`${sql.unsafe(`and r.intent = '${one}'`)} ${isStatus}`),
  )
}
