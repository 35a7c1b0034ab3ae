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

/** The resources of a running process; main.ts opens and closes them. */
export type App = {
  config: Config
  db: Database
  keys: Keys
  log: Log
  metrics: Metrics
  /** The clock for due times, time windows and tokens; tests control it. */
  now: () => Date
  /** The built-in mail server for sandbox mailboxes; undefined in processes that don't send. */
  sandbox?: { host: string; port: number; password: string }
}

/** The authenticated caller. */
export type Identity = {
  accountId: string
  userId: string
  role: Role
  /** The credential in use, for the audit log: `token:<id>`, `session:<id>`, `oauth:<id>` or `cli`. */
  actor: string
  isReadOnly: boolean
  /** Time at which the user of a session last signed in or confirmed their identity, if known. */
  authenticatedAt?: Date | null | undefined
}

/** Returns whether the caller is a person signed in with a browser, not an API token or a connected application. */
export const isSession = ({ actor }: Identity): boolean => actor.startsWith('session:')

/** Returns whether the caller is an application that the user connected over OAuth, such as an MCP client. */
export const isApplication = ({ actor }: Identity): boolean => actor.startsWith('oauth:')

/** Throws Forbidden unless the caller is a signed-in person. `action` is an infinitive without "to". */
export function requireSession(identity: Identity, action: string): void {
  if (isSession(identity)) return
  throw new AppError(
    'Forbidden',
    `Only a person signed in to the web app can ${action}; API tokens and connected apps can't.`,
  )
}

const RECENT_MS = 10 * 60_000

export const isRecentSignIn = (authenticatedAt: Date | null | undefined, now: Date): boolean =>
  authenticatedAt != null && now.getTime() - authenticatedAt.getTime() <= RECENT_MS

/**
 * Throws unless the user signed in or confirmed their identity within the last ten minutes. Guards changes that outlive
 * the session, so that nobody can make them in an unattended browser.
 */
export function requireRecentSignIn({ authenticatedAt }: Pick<Identity, 'authenticatedAt'>, now: Date): void {
  if (!isRecentSignIn(authenticatedAt, now)) throw recentSignInRequired()
}

/** The context of one request, the same for all adapters. */
export type Context = Identity & {
  app: App
  /** The application pool; inside a write, its transaction. */
  sql: Sql
  requestId: string
  /** The caller's IP address, if known. */
  address?: string
  /** Registers work to run after the write is committed. Its result, if defined, replaces the response. */
  afterCommit: (work: (response: unknown) => Promise<unknown>) => void
}

/** A caller and the connection to read from. */
export type Reader = Identity & Pick<Context, 'sql'>

/**
 * Returns the scope of the caller's permission. Every adapter authorizes through this function. Throws Forbidden when
 * the role lacks the permission; `reason` says in the message why the permission is required.
 */
export function authorize(identity: Identity, permission: Permission, reason?: string): PermissionScope {
  const scope = getPermissionScope(identity.role, permission)
  if (!scope) throw forbidden(permission, reason)
  return scope
}

/**
 * Returns the account and the user as a relation `s` that starts the from clause of a read. Also sets the variables of
 * row-level security for this statement; without them, a query finds nothing. Example:
 * `from ${withAccount(ctx)} cross join lateral (select … where account_id = s.account_id)`.
 * Takes one round trip, while a transaction takes three.
 */
export const withAccount = (ctx: { sql: Sql; accountId: string; userId?: string }): Fragment =>
  ctx.sql`(select set_config('app.account_id', ${ctx.accountId}, true)::uuid as account_id,
                  nullif(set_config('app.user_id', ${ctx.userId ?? ''}, true), '')::uuid as user_id) s`

/**
 * Returns a condition that limits callers with the scope `own` to reps that they own; an empty fragment for other
 * callers.
 */
export const ownRepsOnly = (ctx: Reader, permission: Permission, repId: Fragment): Fragment =>
  authorize(ctx, permission) === 'all'
    ? ctx.sql``
    : ctx.sql`and ${repId} in (select id from reps where account_id = s.account_id and owned_by_id = ${ctx.userId})`

/** Runs work in a transaction that sees one account. Sets the account first, without waiting for the response. */
export const inAccount = <T>(sql: Pool, accountId: string, work: (tx: Sql) => Promise<T>): Promise<T> =>
  sql.begin(async tx => {
    const setting = tx`select set_config('app.account_id', ${accountId}, true)`.execute()
    const [result] = await Promise.all([work(tx), setting])
    return result
  }) as Promise<T>
