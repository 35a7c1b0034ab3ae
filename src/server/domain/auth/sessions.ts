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
/** A session expires after this time without use. */
export const IDLE_MS = 7 * DAY_MS
const LIFETIME_MS = 30 * DAY_MS

const TOKEN_BYTES = 32
const TOKEN_FORMAT = /^[\w-]{43}$/

/** Returns the hash that a session is stored under; undefined if the text is not a session token. */
export const hashSessionToken = (text: string): Buffer | undefined =>
  TOKEN_FORMAT.test(text) ? hash('sha256', text, 'buffer') : undefined

type NewSession = { id: string; token: string; expiresAt: Date }

/**
 * Creates a session and deletes the user's expired sessions. The token is only returned here: the database stores its
 * SHA-256, which is enough for 256 random bits.
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
    /** The time at which the user authenticated; null when unknown. */
    authenticatedAt?: Date | null | undefined
    /** The password hash at authentication. `createSession` throws if the password has changed since then. */
    passwordHash?: string | null | undefined
  },
): Promise<NewSession> {
  const id = randomUUIDv7()
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  const isUnchanged =
    passwordHash === undefined ? auth`` : auth`and u.password_hash is not distinct from ${passwordHash}`
  const created = await auth`
    with expired as (delete from sessions e where e.user_id = ${userId} and ${selectExpiry(auth)} <= ${now})
    insert into sessions (id, token_hash, user_id, user_agent, address, created_at, last_seen_at, expires_at,
                          authenticated_at)
    select ${id}::uuid, ${hashSessionToken(token)!}::bytea, u.id, ${userAgent?.slice(0, 300) ?? null}::text,
           ${address}::text, ${now}::timestamptz, ${now}::timestamptz, ${expiresAt}::timestamptz,
           ${authenticatedAt}::timestamptz
      from users u
     where u.id = ${userId} ${isUnchanged}
       for no key update of u`
  if (created.count === 0)
    throw unauthorized('Your password has changed in the meantime. Sign in with the new one.')
  return { id, token, expiresAt }
}

/** Replaces the token of a session; returns undefined if the session has ended. */
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
 * Locks the user and the session until the transaction ends; throws if the session has ended. A concurrent password
 * reset locks the user too: it either ran before, and this throws, or it runs afterwards and revokes what the
 * transaction created.
 */
export async function lockSession(sql: Sql, { id, userId }: { id: string; userId: string }): Promise<void> {
  await lockUser(sql, userId)
  const [held] = await sql`select from sessions where id = ${id} and user_id = ${userId} for share`
  if (!held) throw signedOut()
}

export const signedOut = () => unauthorized('You are signed out. Sign in again.')

export const deleteSession = (auth: Sql, id: string) => auth`delete from sessions where id = ${id}`

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
