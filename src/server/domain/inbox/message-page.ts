import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { afterCursor, orderAndLimit, type Page } from '../../kernel/page.ts'

/** A list of messages: its table `m`, a table of tagged copies with the same columns, and the conditions. */
type MessageList = {
  table: 'email_messages' | 'linkedin_messages'
  tagTable: 'email_message_tags' | 'linkedin_message_tags'
  timeColumn: 'sent_at' | 'happened_at' | 'updated_at'
  json: Fragment
  /** Conditions for every range, except those on rep and tag. */
  where: Fragment
  /** True if the filters include a thread or a prospect, which has few messages. */
  isNarrow: boolean
  /** Disjoint conditions; with `where`, each selects one index range in the list's order. Empty: one range for all. */
  kindConditions: Fragment[]
}

/** Returns one condition per kind. Each selects its own index range. */
export const toKindConditions = (sql: Sql, names: string[]): Fragment[] =>
  names.length > 0
    ? names.map(name => sql.unsafe(`and m.kind = '${name}'`) as unknown as Fragment)
    : [sql`and false`]

/**
 * Selects the rows of a page. Merges one or several index ranges, each read only as far as the page needs; a caller who
 * is limited to their own reps has one range per rep. Selects IDs first and rows afterwards, so that no row is fetched
 * unnecessarily and the columns don't influence the plan.
 */
export function selectMessagePage(
  ctx: Context,
  page: Page<{ repId?: string | undefined; tag?: string | undefined }>,
  { table, tagTable, timeColumn, json, where, isNarrow, kindConditions }: MessageList,
): Fragment {
  const { sql } = ctx
  const { repId } = page.filters
  const tag = page.filters.tag?.normalize()
  const isByOwnReps = !isNarrow && authorize(ctx, 'Inbox.ReadInbox') === 'own'
  const isByTag = tag !== undefined
  const order = orderAndLimit(sql, page, `m.${timeColumn}`, 'm.id')
  const row = sql`m.id, api_time(m.${sql.identifier(timeColumn)}) as at, ${json}`
  const range = (columns: Fragment, kind: Fragment) => sql`
    select ${columns}
      from ${sql.identifier(isByTag ? tagTable : table)} m
     where m.account_id = s.account_id
       ${isByTag ? sql`and m.tag_id = g.id` : sql``}
       ${isByOwnReps ? sql`and m.rep_id = r.id` : repId ? sql`and m.rep_id = ${repId}` : sql``}
       ${isNarrow ? ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`m.rep_id`) : sql``}
       ${where} ${kind}
       ${afterCursor(sql, page, `m.${timeColumn}`, 'm.id')}
       ${order}`
  if (kindConditions.length === 0 && !isByTag && !isByOwnReps) return range(row, sql``)

  const merged = (kindConditions.length > 0 ? kindConditions : [sql``])
    .map(kind => sql`(${range(sql`m.id, m.${sql.identifier(timeColumn)}`, kind)})`)
    .reduce((ranges, next) => sql`${ranges} union all ${next}`)
  const joinTag = sql`join tags g on g.account_id = s.account_id and g.name_key = lower(${tag ?? null})`
  const joinOwnReps = sql`
    join reps r on r.account_id = s.account_id and r.owned_by_id = ${ctx.userId}
                   ${repId ? sql`and r.id = ${repId}` : sql``}`
  return sql`
    select ${row}
      from (select m.*
              from (select) one
              ${isByTag ? joinTag : sql``}
              ${isByOwnReps ? joinOwnReps : sql``}
             cross join lateral (select * from (${merged}) m ${order}) m
             ${order}) found
      join ${sql.identifier(table)} m on m.account_id = s.account_id and m.id = found.id
     ${orderAndLimit(sql, page, `found.${timeColumn}`, 'found.id')}`
}
