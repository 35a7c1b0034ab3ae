import type { Fragment, Sql } from '../../../kernel/db/database.ts'

/** More matches than these are found by reading persons in the list's order. */
export const MAX_FOUND = 1_000

/** A condition on person `p`. One that few persons may meet has an array of their ids, at most `MAX_FOUND + 1`. */
export type Condition = { holds: Fragment; ids?: Fragment }

type Matching = {
  personId: string
  /** Makes a condition on person `p` one on the rows. */
  onPerson: (condition: Fragment) => Fragment
  /** Selects the page from the rows that meet the condition, which begins with `and`. */
  select: (condition: Fragment) => Fragment
  order: Fragment
}

/**
 * Selects the rows of the persons who meet the conditions. Those of a rare one are read by id; for common ones that would
 * take longer than to read persons in the list's order until a page is full. There `case` hides the conditions from the
 * planner, which takes all of them for rare.
 */
export function selectMatching(
  sql: Sql,
  conditions: readonly Condition[],
  { personId, onPerson, select, order }: Matching,
): Fragment {
  const id = sql.identifier(personId)
  const isRare = (ids: Fragment) => sql`cardinality(${ids}) <= ${MAX_FOUND}`
  const named = conditions.map((condition, index) => ({ ...condition, name: sql.identifier(`ids${index}`) }))
  const tests = named.reduce((joined, { holds, ids, name }) => {
    const test = ids
      ? sql`when ${isRare(name)} then ${id} = any(${name}) else ${onPerson(holds)}`
      : sql`when ${onPerson(holds)} then true else false`
    return sql`${joined} and case ${test} end`
  }, sql``)
  const found = named.filter(({ ids }) => ids)
  if (found.length === 0) return select(tests)
  const rare = found.map(({ name }) => sql`case when ${isRare(name)} then ${name} end`)
  // With an offset the arrays are made once.
  return sql`
    select x.*
      from (select *, coalesce(${joinWithCommas(sql, rare)}) as rare
              from (select ${joinWithCommas(
                sql,
                found.map(({ ids, name }) => sql`${ids!} as ${name}`),
              )} offset 0) found offset 0) given
     cross join lateral (
            (${select(sql`and given.rare is not null and ${id} = any(given.rare) ${tests}`)})
            union all
            (${select(sql`and given.rare is null ${tests}`)})) x
     ${order}`
}

const joinWithCommas = (sql: Sql, [first, ...others]: readonly Fragment[]): Fragment =>
  others.reduce((joined, next) => sql`${joined}, ${next}`, first!)
