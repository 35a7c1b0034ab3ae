import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import type { Json } from '../../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { requireEmail } from '../../../protocols/identity/email.ts'
import { selectPersonIds } from './person-aliases.ts'
import { personJson } from './person-json.ts'

/** More matches than these are found by reading persons in the list's order. */
const MAX_FOUND = 1_000

export const listPersons = (
  ctx: Context,
  input: Input<'listPersons'>,
): Promise<Json<Output<'listPersons'>>> =>
  listPage(ctx, 'listPersons', input, page => {
    const { sql } = ctx
    const { query, createdSince } = page.filters
    const source = findSource(sql, page.filters)
    const { alias, time, rows, isIncluded } = source
    const [at, id] = [`${alias}.${time}`, `${alias}.id`]
    const order = orderAndLimit(sql, page, 'x.at', 'x.id')
    const select = (condition: Fragment): Fragment => sql`
      select ${sql.identifier(at)} as at, ${sql.identifier(id)} as id
        from ${rows}
       where ${sql.identifier(`${alias}.account_id`)} = s.account_id and ${isIncluded} ${condition}
         ${createdSince ? sql`and ${sql.identifier(at)} >= ${createdSince}::timestamptz` : sql``}
         ${isUpdatedSince(sql, page, at)}
         ${afterCursor(sql, page, at, id)} ${orderAndLimit(sql, page, at, id)}`
    return sql`
      select x.id, api_time(x.at) as at, ${personJson(ctx)}
        from (${query ? selectMatching(sql, source, { query, select, order }) : select(sql``)}) x
        ${source.joinPersons}
       ${order}`
  })

/** Rows that a list reads in its order from an index alone, each of one person, who is joined to the page. */
type Source = {
  rows: Fragment
  alias: string
  personId: string
  time: 'created_at' | 'updated_at'
  isIncluded: Fragment
  joinPersons: Fragment
}

/**
 * Returns the rows that have an index in the list's order for this filter; the contract allows one of these filters at a
 * time. The subselects hide values from the planner, which would scan by time when one has most of the persons.
 */
function findSource(
  sql: Sql,
  {
    email,
    companyId,
    ownerRepId,
    tag,
    campaignId,
    prospectStatus,
    updatedSince,
  }: Omit<Input<'listPersons'>, 'limit' | 'cursor'>,
): Source {
  if (tag)
    return {
      rows: sql`person_tags t`,
      alias: 't',
      personId: 't.id',
      time: 'created_at',
      isIncluded: sql`
        t.tag_id = (select id from tags where account_id = s.account_id and name_key = lower(${tag.normalize()}))`,
      joinPersons: sql`join persons p on p.account_id = s.account_id and p.id = x.id`,
    }
  if (campaignId)
    return {
      rows: sql`prospects r`,
      alias: 'r',
      personId: 'r.person_id',
      time: 'created_at',
      isIncluded: sql`
        r.campaign_id = (select ${campaignId}::uuid)
        ${prospectStatus ? sql`and r.status = (select ${prospectStatus}::text)` : sql``}`,
      joinPersons: sql`
        join prospects enrolled on enrolled.account_id = s.account_id and enrolled.id = x.id
        join persons p on p.account_id = s.account_id and p.id = enrolled.person_id`,
    }
  return {
    rows: sql`persons p`,
    alias: 'p',
    personId: 'p.id',
    time: updatedSince ? 'updated_at' : 'created_at',
    // Erased persons have none of these. A condition that no index contains would make the planner scan by time.
    isIncluded: sql`
      ${email || companyId || ownerRepId || updatedSince ? sql`true` : sql`p.erased_at is null`}
      ${email ? sql`and p.id = (${selectPersonIds(sql, 'email', sql`array[${requireEmail(email)}]`, sql`s.account_id`)} limit 1)` : sql``}
      ${companyId ? sql`and p.company_id = (select ${companyId}::uuid)` : sql``}
      ${ownerRepId ? sql`and p.owner_rep_id = (select ${ownerRepId}::uuid)` : sql``}`,
    joinPersons: sql`join persons p on p.account_id = s.account_id and p.id = x.id`,
  }
}

type Search = {
  query: string
  select: (condition: Fragment) => Fragment
  order: Fragment
}

/**
 * Selects the persons who match the query. Those of a rare word are read by id; for a common one that would take longer
 * than to read persons in the list's order until a page is full. There `case` hides the words from the planner, which
 * takes all words for rare.
 */
const selectMatching = (
  sql: Sql,
  { alias, personId }: Source,
  { query, select, order }: Search,
): Fragment => {
  const id = sql.identifier(personId)
  const isMatch = sql`search_text like all ((select word_patterns(${query}))::text[])`
  const hasWords =
    alias === 'p'
      ? isMatch
      : sql`(select ${isMatch} from persons where account_id = s.account_id and id = ${id})`
  return sql`
    select x.*
      from (select array(select find_by_words('persons', ${query}, ${MAX_FOUND + 1})) as ids) given
     cross join lateral (
            (${select(sql`and cardinality(given.ids) <= ${MAX_FOUND} and ${id} = any(given.ids)`)})
            union all
            (${select(sql`and cardinality(given.ids) > ${MAX_FOUND} and case when ${hasWords} then true else false end`)})) x
     ${order}`
}
