import type { Output } from '../../../contract/index.ts'
import { getPermissionScope, type Permission, permissions } from '../../../contract/permissions.ts'
import { type Context, isApplication, withAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getAccount } from '../accounts/account.ts'
import { readUser } from './sign-in.ts'

type Me = Output<'getMe'>

type PendingWorkQueries = {
  countWaiting: (ctx: Context) => Promise<Omit<Me['waiting'], 'problems'>>
  listProblems: (ctx: Context) => Promise<Output<'listProblems'>>
}

export async function getMe(ctx: Context, { countWaiting, listProblems }: PendingWorkQueries): Promise<Me> {
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
