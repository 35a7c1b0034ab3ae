import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type GroupBy = NonNullable<Input<'getReport'>['groupBy']>
type Names = Pick<Output<'getReport'>['data'][number], 'name' | 'campaignId' | 'stepId'>

/** Returns the names of a report's groups that are objects, with the campaign and step they belong to. */
export async function nameGroups(
  ctx: Context,
  groupBy: GroupBy,
  keys: readonly (string | null)[],
): Promise<Map<string | null, Names>> {
  const select = getNameQueries(ctx.sql)[groupBy]
  if (!select) return new Map()
  const ids = keys.filter(key => key !== null)
  const rows = await ctx.sql<{ key: string; names: Names }[]>`
    select given.id::text as key, json_strip_nulls(to_json(found)) as names
      from ${withAccount(ctx)}
     cross join unnest(${ids}::uuid[]) given(id)
     cross join lateral (${select}) found`
  return new Map(rows.map(({ key, names }) => [key, names]))
}

/** Selects the names of `given.id`. */
const getNameQueries = (sql: Sql): Partial<Record<GroupBy, Fragment>> => ({
  campaign: sql`select name from campaigns where account_id = s.account_id and id = given.id limit 1`,
  rep: sql`select name from reps where account_id = s.account_id and id = given.id limit 1`,
  mailbox: sql`select email as name from mailboxes where account_id = s.account_id and id = given.id limit 1`,
  step: sql`
    select ${stepName(sql)} as name, st.campaign_id as "campaignId"
      from campaign_steps st
      join campaigns c on c.account_id = st.account_id and c.id = st.campaign_id
     where st.account_id = s.account_id and st.id = given.id
     limit 1`,
  variant: sql`
    select ${stepName(sql)} || ${variantName(sql)} as name, st.campaign_id as "campaignId", st.id as "stepId"
      from campaign_step_variants v
      join campaign_steps st on st.account_id = v.account_id and st.id = v.step_id
      join campaigns c on c.account_id = st.account_id and c.id = st.campaign_id
     where v.account_id = s.account_id and v.id = given.id
     limit 1`,
})

/** Builds the name of a step. Omits the position of a removed step, because another step may have it now. */
const stepName = (sql: Sql): Fragment =>
  sql`c.name || case when st.removed_at is null then ', step ' || st.position else ', removed step' end`

/**
 * Builds the name of a variant. Omits the letter of a variant that was removed from its step, because another variant
 * may have it now.
 */
const variantName = (sql: Sql): Fragment => sql`
  case when v.removed_at is null or v.removed_at = st.removed_at then ', variant ' || chr(64 + v.position)
       else ', removed variant' end`
