import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { postgres as driver } from '../postgres-driver.ts'
import { faultCode } from './embedded-postgres-error.ts'

/** The options of postgres.js that reach the server. `path` is the socket; `host` only stands in messages. */
export type PostgresConnection = {
  host: string
  path: string
  port: number
  username: string
  password: string
  database: string
}

/** One process's open use of the server. */
export type ServerUser = {
  serverVersion: string
  /** Also takes the server: nobody can join from then on. */
  isLast: () => Promise<boolean>
  leave: () => Promise<void>
}

/** Advisory lock of the maintenance database: each user holds it shared, so its last holder can have it alone. */
const USERS_LOCK = 1_870_030_194
const JOIN_TIMEOUT_MS = 15_000

/** What says "not running, not yet, or not any more" as against a refusal. */
const NOT_NOW = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN'],
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['57P01', '57P02', '57P03'],
])

export const isNotNow = (fault: unknown): boolean => NOT_NOW.has(faultCode(fault) ?? '')

/**
 * Opens one connection that stays and holds the users' lock; it ends with our process, however that dies, and
 * the server notices at once. `onLost` is called at most once.
 */
export const joinServer = async (connection: PostgresConnection, onLost: () => void): Promise<ServerUser> => {
  let isIn = false
  const sql = driver({
    ...connection,
    database: 'postgres',
    max: 1,
    fetch_types: false,
    connect_timeout: JOIN_TIMEOUT_MS / 1000,
    // Without these postgres.js would give the connection, and with it the lock, up by itself.
    idle_timeout: 0,
    max_lifetime: null,
    connection: { application_name: 'overture user', statement_timeout: JOIN_TIMEOUT_MS },
    onnotice: () => {},
    onclose: () => {
      if (isIn) onLost()
      isIn = false
    },
  })
  const leave = async () => {
    isIn = false
    await sql.end({ timeout: 1 })
  }
  try {
    const serverVersion = await within(JOIN_TIMEOUT_MS, enter(sql))
    isIn = true
    return { serverVersion, isLast: () => within(JOIN_TIMEOUT_MS, isLast(sql)), leave }
  } catch (fault) {
    await leave()
    throw fault
  }
}

const enter = async (sql: postgres.Sql): Promise<string> => {
  const [server] = await sql<{ version: string }[]>`
    select pg_advisory_lock_shared(${USERS_LOCK}), current_setting('server_version') as version`
  return server?.version ?? ''
}

/** A user killed a moment ago may still be counted until the server has read the end of its connection. */
const isLast = async (sql: postgres.Sql): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    const [answer] = await sql<{ isLast: boolean }[]>`select pg_try_advisory_lock(${USERS_LOCK}) as "isLast"`
    if (answer?.isLast || attempt === 5) return answer?.isLast ?? false
    await sleep(20)
  }
}

/** postgres.js bounds the connecting alone; a frozen server would keep us waiting for its answer. */
export const within = async <T>(timeoutMs: number, work: Promise<T>): Promise<T> => {
  const timer = new AbortController()
  const expiry = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw Object.assign(new Error(`PostgreSQL gave no answer for ${timeoutMs / 1000} s`), {
      code: 'CONNECT_TIMEOUT',
    })
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    timer.abort()
    expiry.catch(() => {})
  }
}
