import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { migrate } from './migrate.ts'
import { openPool, type Pool } from './pool.ts'
import { ConnectionError, type SessionOptions } from './session.ts'
import type { Fragment, Rows, Sql, SqlRow, Statement, Value } from './sql.ts'

export type { Fragment, Pool, Rows, Sql, SqlRow, Statement, Value }

/** How to reach the server; a URL, or what the embedded one gives. */
export type DatabaseConnection = SessionOptions['connection']

/** Pools under three roles: what each may do is granted in the migrations, nothing more. */
export type Database = AsyncDisposable & {
  /** Requests; row-level security shows it one account or nothing. */
  app: Pool
  /** The same for the engine's work within one account, so that no request stands in line behind it. */
  work: Pool
  /** The same for mails between their gate and their end: who opts out then waits for that end. */
  gate: Pool
  /** Finds due work over all accounts. */
  engine: Pool
  /** Sign-in and administration. */
  auth: Pool
  /** The same for looking up what tokens, sessions and connections open, so that no request waits behind sign-ins. */
  access: Pool
}

const MINIMUM_VERSION = 150_014
const STATEMENT_TIMEOUT_MS = 30_000
/** Sign-ins of one user wait for each other; they must not hold up those of everybody else for long. */
const SIGN_IN_LOCK_TIMEOUT_MS = 2_000

/**
 * Connects, checks that this server keeps its promises, brings the schema up to date and opens the pools.
 * Safe when several processes do it at once.
 */
export async function openDatabase(
  connection: DatabaseConnection,
  options: {
    maxConnections?: number
    onProgress?: (message: string) => void
    /** A PgBouncer in transaction mode that has a database for each role; see `connectPooled`. */
    poolUrl?: string | undefined
    statementTimeoutMs?: number
    /** Whoever owns the tables and may migrate them, where that is another user. */
    owner?: DatabaseConnection
  } = {},
): Promise<Database> {
  // An upgrade takes its time, also waiting for the process that makes it.
  const owner = connect(options.owner ?? connection, { max: 1, statementTimeoutMs: 0 })
  try {
    await checkServer(owner)
    await migrate(owner, options.onProgress)
  } finally {
    await owner.end()
  }
  const max = options.maxConnections ?? 10
  const { poolUrl, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  const open = (pool: { max: number; role: Role; keepsPlans?: boolean }) =>
    poolUrl ? connectPooled(poolUrl, pool) : connect(connection, { ...pool, statementTimeoutMs })
  const app = open({ max, role: 'overture_app' })
  const ofEngine = { max: Math.ceil(max / 2), role: 'overture_app', keepsPlans: true } as const
  const work = open(ofEngine)
  const gate = open(ofEngine)
  const engine = open({ max: 2, role: 'overture_engine', keepsPlans: true })
  // Directly in any case: it listens for changes of access, for which a session has to stay.
  const auth = connect(connection, { max: 4, role: 'overture_auth', statementTimeoutMs })
  const access = connect(connection, { max: 2, role: 'overture_auth', statementTimeoutMs })
  const close = async () => {
    await Promise.all([app, work, gate, engine, auth, access].map(pool => pool.end()))
  }
  try {
    if (poolUrl) await Promise.all([checkPooled(app, 'overture_app'), checkPooled(engine, 'overture_engine')])
    await checkRole(app)
  } catch (error) {
    await close()
    throw error
  }
  return { app, work, gate, engine, auth, access, [Symbol.asyncDispose]: close }
}

type Role = 'overture_app' | 'overture_engine' | 'overture_auth'

const CONNECT_TIMEOUT_MS = 15_000

/** The server ends each statement by then, so one that is silent for longer is out of reach. */
const toAnswerTimeout = (statementTimeoutMs: number): number => statementTimeoutMs * 1.25

/**
 * The role is part of the connection's start, so there is no moment in which a pooled connection has more rights.
 * `max` bounds the connections, statement_timeout each statement and each rest within a transaction. Only who acts
 * under a role waits no longer for an answer than that: to the owner a migration may say nothing for minutes.
 * `keepsPlans` is for statements that go by keys, whatever the values: planning them each time cost more than some take.
 */
export function connect(
  connection: DatabaseConnection,
  {
    max,
    role,
    keepsPlans,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: { max: number; role?: string; keepsPlans?: boolean; statementTimeoutMs?: number },
): Pool {
  return openPool({
    connection,
    max,
    usesPreparedStatements: true,
    // Only where a statement outside of its transaction sees and changes nothing.
    pipelinesBegin: role === 'overture_app',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    answerTimeoutMs: role ? toAnswerTimeout(statementTimeoutMs) : 0,
    settings: {
      application_name: `overture ${role ?? 'owner'}`,
      TimeZone: 'UTC',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      ...(role === 'overture_auth' && { lock_timeout: SIGN_IN_LOCK_TIMEOUT_MS }),
      // What a process held that the network took away is free again after that.
      tcp_keepalives_idle: 15,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 30_000,
      // Compiling took 400 ms of statements that ran 20: estimates over row-level security are far too high for it.
      jit: 'off',
      // A plan is kept while its tables grow: reading one as a whole may have been right when it had a page.
      ...(keepsPlans && { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }),
      ...(role && { role }),
    },
  })
}

/**
 * A pooler passes no start-up parameters on, so it has a database of its own for each role, the URL's name with `_app`
 * or `_engine` behind it, whose connect_query takes the role. Statements are not kept prepared: the next one may meet
 * another session.
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
    answerTimeoutMs: toAnswerTimeout(STATEMENT_TIMEOUT_MS),
    settings: { application_name: `overture ${role}`, TimeZone: 'UTC' },
  })
}

async function checkPooled(sql: Sql, role: Role): Promise<void> {
  const [session] = await sql<{ role: string; isBounded: boolean }[]>`
    select current_user as role, current_setting('statement_timeout') <> '0' as "isBounded"`
  if (session?.role === role && session.isBounded) return
  throw new Error(
    `The PgBouncer of DATABASE_POOL_URL gives sessions of ${session?.role} where ${role} with a statement_timeout is needed. Give its database that ends in ${role.slice('overture'.length)} the connect_query that docs/operating.md shows.`,
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
      `The PostgreSQL of DATABASE_URL is ${server?.name}. Overture needs 15.14 or newer, because older ones leak rows past row-level security (CVE-2025-8713). Upgrade it, or leave DATABASE_URL away to use the embedded one.`,
    )
  }
  if (server.unsafe.length > 0) {
    throw new Error(
      `PostgreSQL runs with ${server.unsafe.join(', ')} off, so it may forget what it acknowledged. Switch on and start again.`,
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
      'The role overture_app must be an ordinary one: no superuser, no BYPASSRLS, owner of nothing. Mend it with: alter role overture_app nosuperuser nobypassrls',
    )
  }
}

/**
 * Sends statements of one transaction without waiting in between; they run in the order given, each seeing what
 * was committed before it began.
 */
export const pipeline = <Results extends unknown[]>(
  ...queries: { [Place in keyof Results]: { execute: () => PromiseLike<Results[Place]> } }
): Promise<Results> => Promise.all(queries.map(query => query.execute())) as Promise<Results>

/**
 * The account of the transaction, hidden from the planner. Where it knows the account and has no statistics of it yet,
 * because it is new, it expects one row of it at most, takes any index for as good as another, and reads all the
 * account has for each mail.
 */
export const currentAccount = (tx: Sql): Fragment => tx`(select current_account_id())`

/**
 * Rows for `jsonb_to_recordset(${…}::text::jsonb)`. Half a character, which JSON cannot hold, becomes what it becomes in
 * any other text.
 */
export function toJsonRows(rows: readonly object[]): string {
  const json = JSON.stringify(rows)
  // Half a character is all that is written so.
  if (!json.includes('\\ud')) return json
  return JSON.stringify(rows, (_name, value) => (typeof value === 'string' ? value.toWellFormed() : value))
}

const MAX_ATTEMPTS = 5

/**
 * PostgreSQL ends a deadlock by undoing one of its transactions whole, which can then simply run again: after a
 * moment, so that the other one gets the lock first.
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
 * A plan made while the tables were empty reads the whole account when they no longer are, and in an import they
 * fill within seconds, long before PostgreSQL counts them again. So what looks people up is planned each time.
 */
export const forceCustomPlans = (tx: Sql) =>
  tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`

/** Back to plans that are kept. The checks of foreign keys, planned for each row, would cost more than the rows. */
export const restorePlanCache = (tx: Sql) => tx`select set_config('plan_cache_mode', 'auto', true)`

/**
 * Lets PostgreSQL know of tables that grew, long before it would look by itself, and of what this transaction put into
 * them. The next statement is planned by it.
 */
export const analyzeGrownTables = (sql: Sql) => sql`select analyze_grown_tables()`

/** Ends sessions of ours that owe the rest of a statement for longer than one may take; tells how many. */
export async function endFrozenSessions(engine: Sql): Promise<number> {
  const [frozen] = await engine<{ ended: number }[]>`select end_frozen_sessions()::int as ended`
  return frozen!.ended
}

/** PostgreSQL's word for a fault becomes ours where the caller can do something about it; else undefined. */
export function toDatabaseError(error: unknown): Error | undefined {
  const { code = '' } = error as { code?: string }
  if (error instanceof ConnectionError || /^(08|57P0|53|25P03)/.test(code)) {
    const what =
      code === '53100' ? 'The disk of the database is full.' : 'The database cannot be reached right now.'
    return unavailable(`${what} Try again in a moment.`, error)
  }
  if (code === '55P03') {
    return unavailable('Another change to the same data is still in progress. Try again in a moment.', error)
  }
  if (code === '57014') return unavailable('The database took too long. Try again in a moment.', error)
  return undefined
}
