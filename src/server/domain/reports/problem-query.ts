import type { Permission } from '../../../contract/permissions.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'

export const MAX_COUNT = 1_000

/** Selects the object's type, id and name, the reason, since when, and how much waits, for account `s`. */
export type Query = {
  select: (ctx: Context) => Fragment
  /** Defaults to the permission of the operation. */
  permission?: Permission
}

export const count = ({ sql }: Context, rows: Fragment): Fragment =>
  sql`(select count(*)::int from (${rows} limit ${MAX_COUNT}) counted)`

export const queuedEmails = (ctx: Context, condition: Fragment): Fragment =>
  count(
    ctx,
    ctx.sql`select from email_sends q where q.account_id = s.account_id and q.state = 'queued' and ${condition}`,
  )
