import type { Output } from '../../../contract/index.ts'
import { getPermissionScope, type Permission, permissions } from '../../../contract/permissions.ts'
import { type Context, isApplication, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { getAccount } from '../accounts/account.ts'
import { readUser } from './sign-in.ts'

type Me = Output<'getMe'>

type ListProblems = (ctx: Context) => Promise<Output<'listProblems'>>

export async function getMe(ctx: Context, listProblems: ListProblems): Promise<Me> {
  const { access } = ctx.app.db
  const [{ user, accounts }, account, reps, token, waiting, problems] = await Promise.all([
    readUser(access, ctx.userId),
    getAccount(ctx),
    listOwnReps(ctx),
    readToken(access, ctx),
    countWaiting(ctx),
    listProblems(ctx),
  ])
  const { id, name, timezone } = JSON.parse(account.text) as Output<'getAccount'>
  const granted = Object.keys(permissions).flatMap(name => {
    const scope = getPermissionScope(ctx.role, name as Permission)
    return scope ? [[name, scope]] : []
  })
  return {
    now: ctx.app.now().toISOString(),
    user,
    account: { id, name, timezone },
    // An application acts on the account it was connected to.
    accounts: isApplication(ctx) ? accounts.filter(each => each.id === id) : accounts,
    ...(token && { token }),
    role: ctx.role,
    reps,
    isReadOnly: ctx.isReadOnly,
    permissions: Object.fromEntries(granted) as Me['permissions'],
    waiting: { ...waiting, problems: problems.data.length },
  }
}

const listOwnReps = (ctx: Context): Promise<Me['reps']> => ctx.sql<Me['reps']>`
  select r.id, r.name
    from ${withAccount(ctx)}
   cross join lateral (select id, name from reps
                        where account_id = s.account_id and owned_by_id = ${ctx.userId}
                        order by created_at, id) r`

async function readToken(access: Sql, { actor, userId }: Context): Promise<Me['token']> {
  const [, id] = /^token:(.*)$/.exec(actor) ?? []
  if (!id) return undefined
  const [row] = await access<{ json: Me['token'] }[]>`
    select json_strip_nulls(json_build_object('id', id, 'name', name, 'expiresAt', api_time(expires_at))) as json
      from api_tokens
     where id = ${id} and user_id = ${userId}`
  return row?.json
}

const MAX_COUNT = 1_000

type Waiting = Omit<Me['waiting'], 'problems'>

/** Counts the pending work of the caller. Requires a database session for the account. */
export async function countWaiting(ctx: Context): Promise<Waiting> {
  const { sql } = ctx
  const count = (permission: Permission, rows: Fragment): Fragment =>
    sql`(select count(*)::int from (${rows} ${ownRepsOnly(ctx, permission, sql`w.rep_id`)} limit ${MAX_COUNT}) w)`
  const [counts] = await sql<Waiting[]>`
    select counts.*
      from ${withAccount(ctx)}
     cross join lateral (
       select ${count('Task.ReadTask', sql`select from tasks w where w.account_id = s.account_id and w.status = 'open'`)}
                as tasks,
              ${count(
                'Inbox.ReadInbox',
                sql`select from conversations w
                     where w.account_id = s.account_id and w.state = 'needs_reply'
                       and (w.snoozed_until is null or w.snoozed_until <= ${ctx.app.now()})`,
              )} as replies,
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
