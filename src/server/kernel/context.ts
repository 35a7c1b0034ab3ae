import {
  getPermissionScope,
  type Permission,
  type PermissionScope,
  type Role,
} from '../../contract/permissions.ts'
import type { Config } from './config.ts'
import type { Keys } from './crypto.ts'
import type { Database, Fragment, Pool, Sql } from './db/database.ts'
import { AppError, forbidden, recentSignInRequired } from './errors.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** What a running process has; opened and closed by main.ts. */
export type App = {
  config: Config
  db: Database
  keys: Keys
  log: Log
  metrics: Metrics
  /** The one clock of due times, windows and tokens; tests drive it. */
  now: () => Date
  /** The mail server inside, for mailboxes of the kind sandbox; only a process that sends has one. */
  sandbox?: { host: string; port: number; password: string }
}

/** Who asks. */
export type Identity = {
  accountId: string
  userId: string
  role: Role
  /** By what the user acts, for the audit log: `token:<id>`, `session:<id>`, `cli`. */
  actor: string
  isReadOnly: boolean
  /** When the person of a session last proved who they are, if that is known. */
  authenticatedAt?: Date | null | undefined
}

/** Whether a person acts, signed in in a browser: no token, and no application that works in their name. */
export const isSession = ({ actor }: Identity): boolean => actor.startsWith('session:')

/** Whether an application acts that its user once let in, as assistants do over MCP. */
export const isApplication = ({ actor }: Identity): boolean => actor.startsWith('oauth:')

/** Throws Forbidden unless `isSession`. `what` is an infinitive. */
export function requireSession(who: Identity, what: string): void {
  if (isSession(who)) return
  throw new AppError(
    'Forbidden',
    `Only a person who is signed in to the web app can ${what}; a token or an application can't.`,
  )
}

const RECENT_MS = 10 * 60_000

export const isRecentSignIn = (authenticatedAt: Date | null | undefined, now: Date): boolean =>
  authenticatedAt != null && now.getTime() - authenticatedAt.getTime() <= RECENT_MS

/**
 * Throws unless the person of a session proved within the last ten minutes who they are: for what outlives the session,
 * so that a browser found open gives nobody more than that browser.
 */
export function requireRecentSignIn({ authenticatedAt }: Pick<Identity, 'authenticatedAt'>, now: Date): void {
  if (!isRecentSignIn(authenticatedAt, now)) throw recentSignInRequired()
}

/** One request, whichever door it came through. */
export type Context = Identity & {
  app: App
  /** The application's pool; within a write, its transaction. */
  sql: Sql
  requestId: string
  /** Address of the caller, when there is one. */
  address?: string
  /** Runs once the write is committed; what it gives back takes the place of the answer. */
  afterCommit: (work: (answer: unknown) => Promise<unknown>) => void
}

/**
 * The one decision about rights, for every door: how far this caller's permission reaches. Throws Forbidden,
 * naming the permission, when the role lacks it.
 */
export function authorize(who: Identity, permission: Permission): PermissionScope {
  const reach = getPermissionScope(who.role, permission)
  if (!reach) throw forbidden(permission)
  return reach
}

/**
 * Account and user as a relation `s` for the head of a read: it sets what row-level security goes by, for this one
 * statement, and hands it on. Use: from ${scope(ctx)} cross join lateral (select … where account_id = s.account_id).
 * One round trip instead of three, and without it a query finds nothing.
 */
export const withAccount = (ctx: { sql: Sql; accountId: string; userId?: string }): Fragment =>
  ctx.sql`(select set_config('app.account_id', ${ctx.accountId}, true)::uuid as account_id,
                  nullif(set_config('app.user_id', ${ctx.userId ?? ''}, true), '')::uuid as user_id) s`

/** The condition that keeps a caller with the reach `own` to the reps that the user owns; empty for others. */
export const ownRepsOnly = (ctx: Context, permission: Permission, repId: Fragment): Fragment =>
  authorize(ctx, permission) === 'all'
    ? ctx.sql``
    : ctx.sql`and ${repId} in (select id from reps where account_id = s.account_id and owned_by_id = ${ctx.userId})`

/** Runs work in one transaction that sees the account: the setting goes ahead on the same connection, not waited for. */
export const inAccount = <T>(sql: Pool, accountId: string, work: (tx: Sql) => Promise<T>): Promise<T> =>
  sql.begin(async tx => {
    const setting = tx`select set_config('app.account_id', ${accountId}, true)`.execute()
    const [result] = await Promise.all([work(tx), setting])
    return result
  }) as Promise<T>
