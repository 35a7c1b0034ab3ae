import { type Context, scope } from './context.ts'
import type { Fragment } from './db.ts'
import { notFound } from './errors.ts'

/** JSON text of T that PostgreSQL already wrote; it goes to the caller as it is, never parsed on the way. */
export class Json<_T = unknown> {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The one object that `query` (a select of `json`, reading the account from `s`) finds, or NotFound. */
export async function findJson<T>(ctx: Context, what: string, query: Fragment): Promise<Json<T>> {
  const [row] = await ctx.sql<{ json: string }[]>`
    select found.json from ${scope(ctx)} cross join lateral (${query}) found`
  if (!row) throw notFound(what)
  return new Json(row.json)
}
