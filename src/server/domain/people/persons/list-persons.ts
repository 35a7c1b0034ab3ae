import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import type { Json } from '../../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { requireEmail } from '../../../protocols/identity/email.ts'
import { personJson } from './person-json.ts'

/** More matches than these are found by reading persons in the list's order. */
const MAX_FOUND = 1_000

export const listPersons = (
  ctx: Context,
  input: Input<'listPersons'>,
): Promise<Json<Output<'listPersons'>>> =>
  listPage(ctx, 'listPersons', input, page => {
    const { sql } = ctx
    const { query, email, companyId, updatedSince } = page.filters
    const column = updatedSince ? 'updated_at' : 'created_at'
    const order = orderAndLimit(sql, page, `p.${column}`, 'p.id')
    // The subselect hides the company from the planner, which would scan by time when one has most of the persons; it would
    // for `erased_at`, too. An erased person has neither company nor address.
    const select = (condition: Fragment): Fragment => sql`
      select p.id, ${sql.identifier(`p.${column}`)}
        from persons p
       where p.account_id = s.account_id ${condition}
         ${updatedSince || email || companyId ? sql`` : sql`and p.erased_at is null`}
         ${email ? sql`and p.email = ${requireEmail(email)}` : sql``}
         ${companyId ? sql`and p.company_id = (select ${companyId}::uuid)` : sql``}
         ${isUpdatedSince(sql, page, 'p.updated_at')}
         ${afterCursor(sql, page, `p.${column}`, 'p.id')} ${order}`
    return sql`
      select p.id, api_time(${sql.identifier(`p.${column}`)}) as at, ${personJson(ctx)}
        from (${query ? selectMatching(sql, query, select, order) : select(sql``)}) found
        join persons p on p.account_id = s.account_id and p.id = found.id
       ${orderAndLimit(sql, page, `found.${column}`, 'found.id')}`
  })

/**
 * Selects the persons who match the query. Those of a rare word are read by id; for a common one that would take longer
 * than to read persons in the list's order until a page is full. There `case` hides the words from the planner, which
 * takes all words for rare.
 */
const selectMatching = (
  sql: Sql,
  query: string,
  select: (condition: Fragment) => Fragment,
  order: Fragment,
): Fragment => {
  const hasWords = sql`p.search_text like all ((select word_patterns(${query}))::text[])`
  return sql`
    select p.*
      from (select array(select find_by_words('persons', ${query}, ${MAX_FOUND + 1})) as ids) given
     cross join lateral (
            (${select(sql`and cardinality(given.ids) <= ${MAX_FOUND} and p.id = any(given.ids)`)})
            union all
            (${select(sql`and cardinality(given.ids) > ${MAX_FOUND} and case when ${hasWords} then true else false end`)})) p
     ${order}`
}
