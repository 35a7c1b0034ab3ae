import { randomUUIDv7 } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Sql } from '../db.ts'

/** Who changes something, and from where; a Context says it of a request. */
export type Author = Pick<Context, 'actor'> & Partial<Pick<Context, 'userId' | 'address' | 'requestId'>>

/** One row for a change, in the change's own transaction: who, what, which object; never texts or secrets. */
export const audit = (
  ctx: Author & Pick<Context, 'sql' | 'accountId'>,
  action: string,
  objectType: string,
  objectId?: string,
) => ctx.sql`
  insert into audit_log (account_id, id, user_id, actor, action, object_type, object_id, address, request_id)
  values (${ctx.accountId}, ${randomUUIDv7()}, ${ctx.userId ?? null}, ${ctx.actor}, ${action}, ${objectType},
          ${objectId ?? null}, ${ctx.address ?? null}, ${ctx.requestId ?? null})`

/** The same for what the engine changes by itself, in a transaction that sees the account. */
export const auditEngine = (sql: Sql, action: string, objectType: string, objectId: string) => sql`
  insert into audit_log (account_id, id, actor, action, object_type, object_id)
  values (current_account_id(), ${randomUUIDv7()}, 'engine', ${action}, ${objectType}, ${objectId})`
