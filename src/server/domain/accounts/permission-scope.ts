import type { Permission } from '../../../contract/permissions.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'

/**
 * Returns a condition that is true when the caller's permission covers this rep. Records without a rep need scope
 * `all`.
 */
export const isInScope = (ctx: Context, permission: Permission, repId: Fragment): Fragment =>
  authorize(ctx, permission) === 'all'
    ? ctx.sql`true`
    : ctx.sql`exists (select from reps r
                       where r.account_id = ${ctx.accountId} and r.id = ${repId} and r.owned_by_id = ${ctx.userId})`
