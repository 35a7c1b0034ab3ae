import type { Fragment, Sql } from '../../../kernel/db/database.ts'

/** Above this number of matches, persons are read in list order instead of by ID. */
export const MAX_FOUND = 1_000

/** A condition on person `p`. If few persons may match it, `ids` is an array of their IDs, at most `MAX_FOUND + 1`. */
export type Condition = { predicate: Fragment; ids?: Fragment }

type Matching = {
  personId: string
  /** Converts a condition on person `p` to one on the rows. */
  onPerson: (condition: Fragment) => Fragment
  /** Selects the page from the rows that match the condition, which begins with `and`. */
  select: (condition: Fragment) => Fragment
  order: Fragment
}

/**
 * Selects the rows of the persons who match all conditions. If a condition is rare, its persons are read by ID. If all
 * are common, it is faster to read persons in list order until a page is full; `case` then hides the conditions from
 * the planner, which would assume that they are rare.
 */
export function selectMatching(
  sql: Sql,
  conditions: readonly Condition[],
  { personId, onPerson, select, order }: Matching,
): Fragment {
  const id = sql.identifier(personId)
  const isRare = (ids: Fragment) => sql`cardinality(${ids}) <= ${MAX_FOUND}`
  const named = conditions.map((condition, index) => ({ ...condition, name: sql.identifier(`ids${index}`) }))
  const tests = named.reduce((joined, { predicate, ids, name }) => {
    const test = ids
      ? sql`when ${isRare(name)} then ${id} = any(${name}) else ${onPerson(predicate)}`
      : sql`when ${onPerson(predicate)} then true else false`
    return sql`${joined} and case ${test} end`
  }, sql``)
  const found = named.filter(({ ids }) => ids)
  if (found.length === 0) return select(tests)
  const rare = found.map(({ name }) => sql`case when ${isRare(name)} then ${name} end`)
  // `offset 0` makes PostgreSQL compute the arrays only once.
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
