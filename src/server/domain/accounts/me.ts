import type { Output } from '../../../contract/index.ts'
import { getPermissionScope, type Permission, permissions } from '../../../contract/permissions.ts'
import { type Context, isApplication, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { unauthorized } from '../../kernel/errors.ts'

type Me = Output<'getMe'>

export async function getMe(ctx: Context): Promise<Me> {
  const [identity, waiting] = await Promise.all([readIdentity(ctx), countWaiting(ctx)])
  const granted = Object.keys(permissions).flatMap(name => {
    const scope = getPermissionScope(ctx.role, name as Permission)
    return scope ? [[name, scope]] : []
  })
  return {
    now: ctx.app.now().toISOString(),
    ...identity,
    role: ctx.role,
    isReadOnly: ctx.isReadOnly,
    permissions: Object.fromEntries(granted) as Me['permissions'],
    waiting,
  }
}

type MeIdentity = Pick<Me, 'user' | 'account' | 'accounts' | 'token'>

/** Reads with the role for sign-in, because the names of the other accounts are hidden from requests. */
async function readIdentity(ctx: Context): Promise<MeIdentity> {
  const { accountId, userId, actor } = ctx
  const tokenId = /^token:(.*)$/.exec(actor)?.[1] ?? null
  const [row] = await ctx.app.db.auth<{ json: MeIdentity }[]>`
    select json_strip_nulls(json_build_object(
             'user', json_build_object('id', u.id, 'email', u.email, 'name', u.name),
             'account', json_build_object('id', a.id, 'name', a.name, 'timezone', a.timezone),
             'accounts', (select json_agg(json_build_object('id', o.id, 'name', o.name, 'role', m.role)
                                          order by m.created_at, o.id)
                            from members m
                            join accounts o on o.id = m.account_id
                           where m.user_id = u.id and (not ${isApplication(ctx)} or o.id = a.id)),
             'token', (select json_build_object('id', t.id, 'name', t.name, 'expiresAt', api_time(t.expires_at))
                         from api_tokens t
                        where t.id = ${tokenId}::uuid and t.user_id = u.id))) as json
      from users u
      join accounts a on a.id = ${accountId}
     where u.id = ${userId}`
  if (!row) throw unauthorized('The user of this request no longer exists.')
  return row.json
}

const MAX_COUNT = 1_000

async function countWaiting(ctx: Context): Promise<Me['waiting']> {
  const { sql } = ctx
  const count = (permission: Permission, rows: Fragment): Fragment =>
    sql`(select count(*)::int from (${rows} ${ownRepsOnly(ctx, permission, sql`w.rep_id`)} limit ${MAX_COUNT}) w)`
  const [counts] = await sql<Me['waiting'][]>`
    select counts.*
      from ${withAccount(ctx)}
     cross join lateral (
       select ${count('Task.ReadTask', sql`select from tasks w where w.account_id = s.account_id and w.status = 'open'`)}
                as tasks,
              ${count(
                'Inbox.ReadInbox',
                sql`select from email_messages w where w.account_id = s.account_id and w.status = 'draft'`,
              )} as "emailDrafts",
              ${count(
                'Inbox.ReadInbox',
                sql`select from linkedin_messages w where w.account_id = s.account_id and w.status = 'draft'`,
              )} as "linkedinDrafts",
              ${count(
                'Inbox.ReadInbox',
                sql`select from email_messages w
                     where w.account_id = s.account_id and w.delivery_status = 'unconfirmed'`,
              )} as "unconfirmedEmails",
              ${count(
                'Call.ReadCall',
                sql`select from call_requests w where w.account_id = s.account_id and w.status = 'waiting'`,
              )} as "callRequests") counts`
  return counts!
}
