import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, Session } from '../kernel/db/session.ts'
import type { Sql } from '../kernel/db/sql.ts'
import { createSql } from '../kernel/db/sql.ts'
import { getErrorCode } from './embedded-postgres-error.ts'

/** A process's registration as a user of the server. */
export type ServerUser = {
  serverVersion: string
  /** Returns true for the last user; after that, nobody can join anymore. */
  isLast: () => Promise<boolean>
  leave: () => Promise<void>
}

/**
 * Advisory lock in the maintenance database. All users hold a shared lock, so only the last one can get an exclusive
 * lock.
 */
const USERS_LOCK = 1_870_030_194
const JOIN_TIMEOUT_MS = 15_000

/** Error codes from a server that is down, starting or stopping, as opposed to a rejection. */
const UNAVAILABLE_CODES = new Set([
  ...['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN'],
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT'],
  ...['57P01', '57P02', '57P03'],
])

export const isServerUnavailable = (error: unknown): boolean =>
  UNAVAILABLE_CODES.has(getErrorCode(error) ?? '')

/**
 * Opens a connection that holds the users' lock. The connection ends with our process, however the process dies, and
 * the server notices almost immediately. `onLost` is called at most once.
 */
export const joinServer = async (connection: ConnectionOptions, onLost: () => void): Promise<ServerUser> => {
  const session = await Session.open({
    connection: { options: { ...connection, database: 'postgres' } },
    settings: { application_name: 'overture user', statement_timeout: JOIN_TIMEOUT_MS },
    connectTimeoutMs: JOIN_TIMEOUT_MS,
    responseTimeoutMs: JOIN_TIMEOUT_MS,
  })
  const sql = createSql((text, parameters) => session.run(text, parameters))
  try {
    const serverVersion = await register(sql)
    const removeListener = session.onLoss(onLost)
    const leave = async () => {
      removeListener()
      await session.end()
    }
    return { serverVersion, isLast: () => isLast(sql), leave }
  } catch (error) {
    await session.end()
    throw error
  }
}

const register = async (sql: Sql): Promise<string> => {
  const [server] = await sql<{ version: string }[]>`
    select pg_advisory_lock_shared(${USERS_LOCK}), current_setting('server_version') as version`
  return server?.version ?? ''
}

/** Retries, because the server may not have noticed yet that the connection of a killed user has ended. */
const isLast = async (sql: Sql): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    const [row] = await sql<{ isLast: boolean }[]>`select pg_try_advisory_lock(${USERS_LOCK}) as "isLast"`
    if (row?.isLast || attempt === 5) return row?.isLast ?? false
    await sleep(20)
  }
}
