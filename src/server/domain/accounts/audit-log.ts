import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { AuditedType } from '../../../contract/members.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { selectMember } from './select-member.ts'

/** The author of a change and where the request came from; a Context provides both. */
export type Author = Pick<Context, 'actor'> & Partial<Pick<Context, 'userId' | 'address' | 'requestId'>>

/** Records a change, in its transaction: author, action and object; never content or secrets. */
export const audit = (
  ctx: Author & Pick<Context, 'sql' | 'accountId'>,
  action: string,
  objectType: AuditedType,
  objectId?: string,
) => ctx.sql`
  insert into audit_log (account_id, id, user_id, actor, action, object_type, object_id, address, request_id)
  values (${ctx.accountId}, ${randomUUIDv7()}, ${ctx.userId ?? null}, ${ctx.actor}, ${action}, ${objectType},
          ${objectId ?? null}, ${ctx.address ?? null}, ${ctx.requestId ?? null})`

/** Records a change to how a user signs in: one row per object in each of the user's accounts. */
export const auditUser = (
  sql: Sql,
  userId: string,
  author: Author,
  action: string,
  [objectType, ...objectIds]: [objectType: AuditedType, ...objectIds: string[]] = ['user', userId],
) => sql`
  insert into audit_log (account_id, id, user_id, actor, action, object_type, object_id, address, request_id)
  select m.account_id, new_id(), ${author.userId ?? null}::uuid, ${author.actor}, ${action}, ${objectType}, object_id,
         ${author.address ?? null}, ${author.requestId ?? null}
    from members m cross join unnest(${objectIds}::uuid[]) object_id
   where m.user_id = ${userId}`

/**
 * Records a change in each account of the request's user. Requires `asUser`; the transaction sees one account at a
 * time.
 */
export async function auditInAllAccounts(
  ctx: Context,
  action: string,
  objectType: AuditedType,
  objectId: string,
): Promise<void> {
  const accounts = await ctx.sql<{ accountId: string }[]>`
    select account_id as "accountId" from members where user_id = ${ctx.userId} order by account_id`
  for (const { accountId } of accounts) await auditInAccount(ctx, accountId, action, objectType, objectId)
}

/** Records a change in one of the user's accounts, which may differ from the account that the request acts on. */
export async function auditInAccount(
  ctx: Context,
  accountId: string,
  action: string,
  objectType: AuditedType,
  objectId: string,
): Promise<void> {
  const switchAccount = (id: string) => ctx.sql`select set_config('app.account_id', ${id}, true)`
  await switchAccount(accountId)
  await audit({ ...ctx, accountId }, action, objectType, objectId)
  await switchAccount(ctx.accountId)
}

/** Records a change that the engine made to each object, in a transaction that sees the account. */
export const auditEngine = (sql: Sql, action: string, objectType: AuditedType, ...objectIds: string[]) => sql`
  insert into audit_log (account_id, id, actor, action, object_type, object_id)
  select current_account_id(), new_id(), 'engine', ${action}, ${objectType}, object_id
    from unnest(${objectIds}::uuid[]) object_id`

/**
 * Selects the current name of the object of entry `l`. The log stores no names, so a name disappears with its object,
 * except for members.
 */
const auditedName = (sql: Sql) => sql`
  case l.object_type
    when 'account' then (select name from accounts where id = l.account_id)
    when 'user' then ${sql.unsafe(selectMember('name', 'l.account_id', 'l.object_id'))}
    when 'member' then ${sql.unsafe(selectMember('name', 'l.account_id', 'l.object_id'))}
    when 'rep' then (select name from reps o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'mailbox' then (select email from mailboxes o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'domain' then (select domain from domains o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'campaign' then (select name from campaigns o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'company' then (select name from companies o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'assistant' then (select name from assistants o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'webhook' then (select url from webhooks o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'invitation' then (select email from invitations o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'snippet' then (select name from snippets o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'saved_view' then (select name from saved_views o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'tag' then (select name from tags o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'custom_field' then (select label from custom_fields o where (o.account_id, o.id) = (l.account_id, l.object_id))
    when 'oauth_grant' then (select client_name from oauth_grants o where o.id = l.object_id)
    when 'api_token' then (select name from api_tokens o where o.id = l.object_id)
    when 'person' then (
      select coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email)
        from persons p where (p.account_id, p.id) = (l.account_id, l.object_id))
    when 'prospect' then (
      select coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email)
        from prospects o join persons p on (p.account_id, p.id) = (o.account_id, o.person_id)
       where (o.account_id, o.id) = (l.account_id, l.object_id))
  end`

export const listAuditLog = (
  ctx: Context,
  input: Input<'listAuditLog'>,
): Promise<Json<Output<'listAuditLog'>>> =>
  listPage(ctx, 'listAuditLog', input, page => {
    const { sql } = ctx
    const { userId, auditedType, action, since, until } = page.filters
    const order = orderAndLimit(sql, page, 'l.at', 'l.id')
    // Selects the page from an index alone before the costlier lookup of the names. Otherwise PostgreSQL's planner may
    // ignore a filter's index and scan the entries by time.
    const entries = sql`
      select l.id, l.at
        from audit_log l
       where l.account_id = s.account_id
         ${userId ? sql`and l.user_id = ${userId}` : sql``}
         ${auditedType ? sql`and l.object_type = ${auditedType}` : sql``}
         ${action ? sql`and l.action = ${action}` : sql``}
         ${since ? sql`and l.at >= ${since}::timestamptz` : sql``}
         ${until ? sql`and l.at < ${until}::timestamptz` : sql``}
         ${afterCursor(sql, page, 'l.at', 'l.id')}
         ${order}`
    return sql`
      select l.id, api_time(l.at) as at,
             ${jsonObject({
               id: uuid('l.id'),
               objectType: 'audit_entry',
               createdAt: timestamp('l.at'),
               updatedAt: timestamp('l.at'),
               actor: sql`l.actor`,
               userEmail: sql.unsafe(selectMember('email', 'l.account_id', 'l.user_id')),
               userName: sql.unsafe(selectMember('name', 'l.account_id', 'l.user_id')),
               appName: sql`(select o.client_name from oauth_grants o
                             where o.account_id = l.account_id
                               and o.id = substring(l.actor from '^oauth:([0-9a-f-]{36})$')::uuid)`,
               action: sql`l.action`,
               auditedType: sql`l.object_type`,
               auditedId: uuid('l.object_id'),
               auditedName: auditedName(sql),
               address: sql`l.address`,
               requestId: sql`l.request_id`,
             })} as json
        from (${entries}) found
        join audit_log l on l.account_id = s.account_id and l.id = found.id
       ${order}`
  })
