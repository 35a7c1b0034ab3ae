import type { Context } from '../context.ts'

/** Runs work within the current transaction and undoes all of its writes; returns its result. */
export async function rehearse<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  await ctx.sql`savepoint rehearsal`
  const result = await work({ ...ctx, afterCommit: () => undefined })
  await ctx.sql`rollback to savepoint rehearsal`
  return result
}
