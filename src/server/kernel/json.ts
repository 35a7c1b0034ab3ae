import { type Context, withAccount } from './context.ts'
import type { Fragment, Sql } from './db/database.ts'
import { notFound } from './errors.ts'

/** JSON text of a T, written by PostgreSQL and passed to the caller unparsed. */
export class Json<_T = unknown> {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Returns a jsonb object with a value as the caller sent it. Append it to the result of json_strip_nulls, which would
 * remove nulls from the value.
 */
export const verbatimField = (sql: Sql, name: string, value: Fragment): Fragment =>
  sql`case when ${value} is not null then jsonb_build_object(${name}::text, ${value}) else '{}' end`

/** Returns the object that `query` finds (a select of `json` that reads the account from `s`), else throws NotFound. */
export async function findJson<T>(ctx: Context, noun: string, query: Fragment): Promise<Json<T>> {
  const [row] = await ctx.sql<{ json: string }[]>`
    select found.json from ${withAccount(ctx)} cross join lateral (${query}) found`
  if (!row) throw notFound(noun)
  return new Json(row.json)
}
