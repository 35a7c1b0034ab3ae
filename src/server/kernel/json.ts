import { type Context, withAccount } from './context.ts'
import type { Fragment, Sql } from './db/database.ts'
import { notFound } from './errors.ts'

/** JSON text of T that PostgreSQL already wrote; it goes to the caller as it is, never parsed on the way. */
export class Json<_T = unknown> {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A field whose value is the caller's own, to be added (as jsonb) to what json_strip_nulls took the nulls out of. */
export const verbatimField = (sql: Sql, name: string, value: Fragment): Fragment =>
  sql`case when ${value} is not null then jsonb_build_object(${name}::text, ${value}) else '{}' end`

/** The one object that `query` (a select of `json`, reading the account from `s`) finds, or NotFound. */
export async function findJson<T>(ctx: Context, what: string, query: Fragment): Promise<Json<T>> {
  const [row] = await ctx.sql<{ json: string }[]>`
    select found.json from ${withAccount(ctx)} cross join lateral (${query}) found`
  if (!row) throw notFound(what)
  return new Json(row.json)
}
