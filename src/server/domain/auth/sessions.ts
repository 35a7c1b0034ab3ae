import { hash, randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { notFound, unauthorized } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { forgetAccessAfterCommit } from '../accounts/access-cache.ts'
import { auditInAllAccounts } from '../accounts/audit-log.ts'
import { asUser, lockUser } from '../accounts/users.ts'

const DAY_MS = 86_400_000
/** A session ends when nobody used it for so long, and after so long in any case. */
export const IDLE_MS = 7 * DAY_MS
const LIFETIME_MS = 30 * DAY_MS

const TOKEN_BYTES = 32
const form = /^[\w-]{43}$/

/** What finds a session; undefined when the text can't be the token of one. Asks no database. */
export const hashSessionToken = (text: string): Buffer | undefined =>
  form.test(text) ? hash('sha256', text, 'buffer') : undefined

type NewSession = { id: string; token: string; expiresAt: Date }

/**
 * The token is given back this once; only its SHA-256 is stored, which 256 random bits need no more than. The user's
 * sessions that have ended are forgotten.
 */
export async function createSession(
  auth: Sql,
  {
    userId,
    userAgent,
    address,
    now,
    authenticatedAt = now,
    passwordHash,
  }: {
    userId: string
    userAgent?: string | undefined
    address: string
    now: Date
    /** When the person proved who they are; null when nobody knows. */
    authenticatedAt?: Date | null | undefined
    /** The one that was stored when the person was recognized: throws when it has changed, as by a reset. */
    passwordHash?: string | null | undefined
  },
): Promise<NewSession> {
  const id = randomUUIDv7()
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  const isSame =
    passwordHash === undefined ? auth`` : auth`and u.password_hash is not distinct from ${passwordHash}`
  const created = await auth`
    with forgotten as (delete from sessions e where e.user_id = ${userId} and ${selectExpiry(auth)} <= ${now})
    insert into sessions (id, token_hash, user_id, user_agent, address, created_at, last_seen_at, expires_at,
                          authenticated_at)
    select ${id}::uuid, ${hashSessionToken(token)!}::bytea, u.id, ${userAgent?.slice(0, 300) ?? null}::text,
           ${address}::text, ${now}::timestamptz, ${now}::timestamptz, ${expiresAt}::timestamptz,
           ${authenticatedAt}::timestamptz
      from users u
     where u.id = ${userId} ${isSame}
       for no key update of u`
  if (created.count === 0) throw unauthorized('The password was changed meanwhile. Sign in with the new one.')
  return { id, token, expiresAt }
}

/** Gives a session that has not ended a new token; the one before opens nothing any more. */
export async function renewSession(
  auth: Sql,
  { id, now, authenticatedAt }: { id: string; now: Date; authenticatedAt: Date | null },
): Promise<{ token: string; expiresAt: Date } | undefined> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const [session] = await auth<{ expiresAt: Date }[]>`
    update sessions
       set token_hash = ${hashSessionToken(token)!}, authenticated_at = ${authenticatedAt}, last_seen_at = ${now}
     where id = ${id}
 returning expires_at as "expiresAt"`
  return session && { token, expiresAt: session.expiresAt }
}

/**
 * Keeps a session from ending until the transaction does, and throws when it has ended: what it began is either done
 * before a password reset, which then undoes it, or never. Locks the user first, as a reset does.
 */
export async function lockSession(sql: Sql, { id, userId }: { id: string; userId: string }): Promise<void> {
  await lockUser(sql, userId)
  const [held] = await sql`select from sessions where id = ${id} and user_id = ${userId} for share`
  if (!held) throw signedOut()
}

export const signedOut = () => unauthorized('You are signed out. Sign in again.')

export const deleteSession = (auth: Sql, id: string) => auth`delete from sessions where id = ${id}`

/** All of a user's, but for the one that is kept. */
export const deleteSessions = (auth: Sql, userId: string, keptId: string | null = null) => auth`
  delete from sessions where user_id = ${userId} and id is distinct from ${keptId}`

export const listSessions = (
  ctx: Context,
  input: Input<'listSessions'>,
): Promise<Json<Output<'listSessions'>>> =>
  listPage(
    ctx,
    'listSessions',
    input,
    page => ctx.sql`
      select e.id, api_time(e.created_at) as at,
             json_strip_nulls(json_build_object(
               'id', e.id,
               'objectType', 'session',
               'createdAt', api_time(e.created_at),
               'updatedAt', api_time(e.last_seen_at),
               'userAgent', e.user_agent,
               'address', e.address,
               'lastSeenAt', api_time(e.last_seen_at),
               'expiresAt', api_time(${selectExpiry(ctx.sql)}),
               'isCurrent', ${ctx.actor} = 'session:' || e.id))::text as json
        from sessions e
       where e.user_id = s.user_id and ${selectExpiry(ctx.sql)} > ${ctx.app.now()}
         ${afterCursor(ctx.sql, page, 'e.created_at', 'e.id')}
         ${orderAndLimit(ctx.sql, page, 'e.created_at', 'e.id')}`,
  )

const selectExpiry = (sql: Sql): Fragment =>
  sql`least(e.expires_at, e.last_seen_at + ${IDLE_MS} * interval '1 ms')`

export async function endSession(
  ctx: Context,
  { sessionId }: Input<'endSession'>,
): Promise<Output<'endSession'>> {
  await asUser(ctx)
  const ended = await ctx.sql`delete from sessions where id = ${sessionId} and user_id = ${ctx.userId}`
  if (ended.count === 0) throw notFound('session')
  await auditInAllAccounts(ctx, 'end', 'session', sessionId)
  forgetAccessAfterCommit(ctx)
  return { ok: true }
}
