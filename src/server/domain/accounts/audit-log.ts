import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'

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

/** The same in each account of a user, a row for each object: for what concerns all accounts, how that user signs in. */
export const auditUser = (
  sql: Sql,
  userId: string,
  author: Author,
  action: string,
  [objectType, ...objectIds]: [objectType: string, ...objectIds: string[]] = ['user', userId],
) => sql`
  insert into audit_log (account_id, id, user_id, actor, action, object_type, object_id, address, request_id)
  select m.account_id, new_id(), ${author.userId ?? null}::uuid, ${author.actor}, ${action}, ${objectType}, object_id,
         ${author.address ?? null}, ${author.requestId ?? null}
    from members m cross join unnest(${objectIds}::uuid[]) object_id
   where m.user_id = ${userId}`

/** The same in a request, after `asUser`: its transaction sees one account at a time, and each gets its row. */
export async function auditOwn(
  ctx: Context,
  action: string,
  objectType: string,
  objectId: string,
): Promise<void> {
  const accounts = await ctx.sql<{ accountId: string }[]>`
    select account_id as "accountId" from members where user_id = ${ctx.userId} order by account_id`
  for (const { accountId } of accounts) await auditIn(ctx, accountId, action, objectType, objectId)
}

/** The same in one account of a request's user, which need not be the one that the request acts on. */
export async function auditIn(
  ctx: Context,
  accountId: string,
  action: string,
  objectType: string,
  objectId: string,
): Promise<void> {
  const see = (id: string) => ctx.sql`select set_config('app.account_id', ${id}, true)`
  await see(accountId)
  await audit({ ...ctx, accountId }, action, objectType, objectId)
  await see(ctx.accountId)
}

/** The same for what the engine changes by itself, in a transaction that sees the account. */
export const auditEngine = (sql: Sql, action: string, objectType: string, objectId: string) => sql`
  insert into audit_log (account_id, id, actor, action, object_type, object_id)
  values (current_account_id(), ${randomUUIDv7()}, 'engine', ${action}, ${objectType}, ${objectId})`

export const listAuditLog = (
  ctx: Context,
  input: Input<'listAuditLog'>,
): Promise<Json<Output<'listAuditLog'>>> =>
  listPage(
    ctx,
    'listAuditLog',
    input,
    page => ctx.sql`
      select l.id, api_time(l.at) as at,
             json_strip_nulls(json_build_object(
               'id', l.id,
               'objectType', 'audit_entry',
               'createdAt', api_time(l.at),
               'updatedAt', api_time(l.at),
               'actor', l.actor,
               'userEmail', (select u.email from users u where u.id = l.user_id),
               'action', l.action,
               'auditedType', l.object_type,
               'auditedId', l.object_id,
               'address', l.address,
               'requestId', l.request_id))::text as json
        from audit_log l
       where l.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'l.at', 'l.id')}
         ${orderAndLimit(ctx.sql, page, 'l.at', 'l.id')}`,
  )
