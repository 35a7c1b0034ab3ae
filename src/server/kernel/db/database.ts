import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { migrate } from './migrate.ts'
import { openPool, type Pool } from './pool.ts'
import { ConnectionError, type SessionOptions } from './session.ts'
import type { Fragment, Rows, Sql, SqlRow, Statement, Value } from './sql.ts'

export type { Fragment, Pool, Rows, Sql, SqlRow, Statement, Value }

/** The address of the server: a URL, or the options of the embedded server. */
export type DatabaseConnection = SessionOptions['connection']

/** Connection pools that use three roles; the migrations grant the roles their privileges. */
export type Database = AsyncDisposable & {
  /** For requests. Row-level security shows one account, or nothing until an account is set. */
  app: Pool
  /** Like `app`, for the engine's work within one account, so that requests don't queue behind it. */
  work: Pool
  /**
   * Like `app`, for short transactions that other work waits for: refreshing access tokens, the checks at the gate, and
   * recording results. Opt-outs wait for emails that have passed the gate and have no result yet.
   */
  gate: Pool
  /** Finds due work across all accounts. */
  engine: Pool
  /** For sign-in and administration. */
  auth: Pool
  /** Like `auth`, for looking up tokens and sessions, so that requests don't queue behind sign-ins. */
  access: Pool
}

const MINIMUM_VERSION = 150_014
const STATEMENT_TIMEOUT_MS = 30_000
/** Concurrent sign-ins of one user wait for a lock. The timeout keeps them from exhausting the pool. */
const SIGN_IN_LOCK_TIMEOUT_MS = 2_000

/**
 * Connects, checks the server's version and settings, migrates the schema and opens the pools. Safe to call from
 * several processes at once.
 */
export async function openDatabase(
  connection: DatabaseConnection,
  options: {
    maxConnections?: number
    onProgress?: (message: string) => void
    /** URL of a PgBouncer instance in transaction mode with one database per role; see `connectPooled`. */
    poolUrl?: string | undefined
    statementTimeoutMs?: number
    /** Connection of the owner of the tables, for migrations; defaults to `connection`. */
    owner?: DatabaseConnection
  } = {},
): Promise<Database> {
  // There is no timeout, because migrations may take minutes, and so may waiting for another process to run them.
  const owner = connect(options.owner ?? connection, { max: 1, statementTimeoutMs: 0 })
  try {
    await checkServer(owner)
    await migrate(owner, options.onProgress)
  } finally {
    await owner.end()
  }
  const max = options.maxConnections ?? 10
  const { poolUrl, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  const open = (pool: { max: number; role: Role; usesGenericPlans?: boolean }) =>
    poolUrl ? connectPooled(poolUrl, pool) : connect(connection, { ...pool, statementTimeoutMs })
  const app = open({ max, role: 'overture_app' })
  const engineOptions = { max: Math.ceil(max / 2), role: 'overture_app', usesGenericPlans: true } as const
  const work = open(engineOptions)
  const gate = open(engineOptions)
  const engine = open({ max: 2, role: 'overture_engine', usesGenericPlans: true })
  // Never connects through the pooler, because LISTEN needs its own session.
  const auth = connect(connection, { max: 4, role: 'overture_auth', statementTimeoutMs })
  const access = connect(connection, { max: 2, role: 'overture_auth', statementTimeoutMs })
  const close = async () => {
    await Promise.all([app, work, gate, engine, auth, access].map(pool => pool.end()))
  }
  try {
    if (poolUrl)
      await Promise.all([checkPooledRole(app, 'overture_app'), checkPooledRole(engine, 'overture_engine')])
    await checkRole(app)
  } catch (error) {
    await close()
    throw error
  }
  return { app, work, gate, engine, auth, access, [Symbol.asyncDispose]: close }
}

type Role = 'overture_app' | 'overture_engine' | 'overture_auth'

const CONNECT_TIMEOUT_MS = 15_000

/** Returns a time longer than the statement timeout. A server that is silent for that long must be unreachable. */
const toResponseTimeout = (statementTimeoutMs: number): number => statementTimeoutMs * 1.25

/**
 * Opens a pool. The role is a start-up parameter, so a connection never has more privileges, not even for a moment.
 * `statementTimeoutMs` bounds each statement and each idle period in a transaction. Only connections with a role have a
 * response timeout: the owner's migrations may be silent for minutes. `usesGenericPlans` suits statements that find
 * rows by key: planning such a statement for each call can cost more than running it.
 */
export function connect(
  connection: DatabaseConnection,
  {
    max,
    role,
    usesGenericPlans,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: { max: number; role?: string; usesGenericPlans?: boolean; statementTimeoutMs?: number },
): Pool {
  return openPool({
    connection,
    max,
    usesPreparedStatements: true,
    // Safe for this role only: outside a transaction, its statements see and change nothing.
    pipelinesBegin: role === 'overture_app',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    responseTimeoutMs: role ? toResponseTimeout(statementTimeoutMs) : 0,
    settings: {
      application_name: `overture ${role ?? 'owner'}`,
      TimeZone: 'UTC',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      ...(role === 'overture_auth' && { lock_timeout: SIGN_IN_LOCK_TIMEOUT_MS }),
      // After 30 seconds, frees the locks of a process that has lost its network.
      tcp_keepalives_idle: 15,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 30_000,
      // JIT compilation took 400 ms for statements that run for 20 ms, because cost estimates under row-level security
      // are far too high.
      jit: 'off',
      // Cached plans stay in use while their tables grow, but sequential scans are right only for small tables.
      ...(usesGenericPlans && { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }),
      ...(role && { role }),
    },
  })
}

/**
 * Opens a pool through PgBouncer, which does not pass on start-up parameters. PgBouncer therefore needs one database
 * per role, named like the URL's database with the suffix `_app` or `_engine`, whose connect_query sets the role.
 * Statements are not prepared, because the next one may run in another session.
 */
function connectPooled(poolUrl: string, { max, role }: { max: number; role: Role }): Pool {
  const url = new URL(poolUrl)
  url.pathname += role.slice('overture'.length)
  return openPool({
    connection: { url: url.href },
    max,
    usesPreparedStatements: false,
    pipelinesBegin: role === 'overture_app',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    responseTimeoutMs: toResponseTimeout(STATEMENT_TIMEOUT_MS),
    settings: { application_name: `overture ${role}`, TimeZone: 'UTC' },
  })
}

async function checkPooledRole(sql: Sql, role: Role): Promise<void> {
  const [session] = await sql<{ role: string; isBounded: boolean }[]>`
    select current_user as role, current_setting('statement_timeout') <> '0' as "isBounded"`
  if (session?.role === role && session.isBounded) return
  throw new Error(
    `PgBouncer (DATABASE_POOL_URL) opens sessions as ${session?.role}, but ${role} with a statement_timeout is required. Set the connect_query of its database ending in ${role.slice('overture'.length)} as docs/operating.md shows.`,
  )
}

async function checkServer(owner: Sql): Promise<void> {
  const [server] = await owner<{ version: number; name: string; unsafe: string[] }[]>`
    select current_setting('server_version_num')::int as version,
           current_setting('server_version') as name,
           array(select name from pg_settings
                  where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off') as unsafe`
  if (!server || server.version < MINIMUM_VERSION) {
    throw new Error(
      `PostgreSQL (DATABASE_URL) is version ${server?.name}. Overture needs 15.14 or newer, because older versions leak rows past row-level security (CVE-2025-8713). Upgrade it, or unset DATABASE_URL to use the embedded server.`,
    )
  }
  if (server.unsafe.length > 0) {
    throw new Error(
      `PostgreSQL runs with ${server.unsafe.join(', ')} off, so it may lose committed data. Turn ${server.unsafe.length > 1 ? 'them' : 'it'} on and restart PostgreSQL.`,
    )
  }
}

async function checkRole(app: Sql): Promise<void> {
  const [role] = await app<{ name: string; canBypass: boolean; owns: number }[]>`
    select current_user as name, rolsuper or rolbypassrls as "canBypass",
           (select count(*)::int from pg_class where relowner = pg_roles.oid) as owns
      from pg_roles where rolname = current_user`
  if (role?.name !== 'overture_app' || role.canBypass || role.owns > 0) {
    throw new Error(
      'The role overture_app must not be a superuser, bypass row-level security or own tables. Fix it with: alter role overture_app nosuperuser nobypassrls',
    )
  }
}

/**
 * Sends the statements of one transaction without waiting in between. They run in the given order; each sees what was
 * committed before it began.
 */
export const pipeline = <Results extends unknown[]>(
  ...queries: { [Place in keyof Results]: { execute: () => PromiseLike<Results[Place]> } }
): Promise<Results> => Promise.all(queries.map(query => query.execute())) as Promise<Results>

/**
 * Returns the transaction's account as an expression that the planner can't evaluate. Given the ID of a new account,
 * which has no statistics yet, the planner would expect at most one row, consider all indexes equally good, and read
 * the whole account for each email.
 */
export const currentAccount = (tx: Sql): Fragment => tx`(select current_account_id())`

/**
 * Returns rows for `jsonb_to_recordset(${…}::text::jsonb)`. Lone surrogates, which jsonb rejects, become U+FFFD.
 */
export function toJsonRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  // JSON.stringify escapes only lone surrogates this way.
  if (!json.includes('\\ud')) return json
  return JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? value.toWellFormed() : value))
}

const MAX_ATTEMPTS = 5

/**
 * Runs the work, and repeats it when PostgreSQL rolled it back to resolve a deadlock. Waits a moment before each retry,
 * so that the other transaction gets the lock.
 */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || attempt === MAX_ATTEMPTS) throw error
      await sleep(20 * attempt + Math.random() * 50)
    }
  }
}

/**
 * Plans each statement anew for the rest of the transaction. A cached plan for empty tables would read the whole
 * account, and an import fills the tables within seconds, long before autovacuum analyzes them.
 */
export const forceCustomPlans = (tx: Sql) =>
  tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`

/** Allows cached plans again, because planning foreign key checks per row costs more than writing the rows. */
export const restorePlanCache = (tx: Sql) => tx`select set_config('plan_cache_mode', 'auto', true)`

/**
 * Analyzes tables that grew, including rows of this transaction, without waiting for autovacuum; the next statement is
 * planned accordingly.
 */
export const analyzeGrownTables = (sql: Sql) => sql`select analyze_grown_tables()`

/**
 * Ends sessions whose client has stalled in the middle of a statement for longer than the statement timeout. Returns
 * the number of sessions ended.
 */
export async function endFrozenSessions(engine: Sql): Promise<number> {
  const [frozen] = await engine<{ ended: number }[]>`select end_frozen_sessions()::int as ended`
  return frozen!.ended
}

/** Returns an AppError for a PostgreSQL error that the caller can act on; undefined for other errors. */
export function toDatabaseError(error: unknown): Error | undefined {
  const { code = '' } = error as { code?: string }
  if (error instanceof ConnectionError || /^(08|28|57P0|53|25P03)/.test(code)) {
    const problem =
      code === '53100' ? 'The disk of the database is full.' : 'The database cannot be reached right now.'
    return unavailable(`${problem} Try again in a moment.`, error)
  }
  if (code === '55P03') {
    return unavailable('Another change to the same data is still in progress. Try again in a moment.', error)
  }
  if (code === '57014') return unavailable('The database took too long. Try again in a moment.', error)
  return undefined
}
