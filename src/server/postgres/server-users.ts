import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, Session } from '../kernel/db/session.ts'
import type { Sql } from '../kernel/db/sql.ts'
import { createSql } from '../kernel/db/sql.ts'
import { getErrorCode } from './embedded-postgres-error.ts'

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
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT'],
  ...['57P01', '57P02', '57P03'],
])

export const isServerUnavailable = (error: unknown): boolean => NOT_NOW.has(getErrorCode(error) ?? '')

/**
 * Opens one connection that stays and holds the users' lock; it ends with our process, however that dies, and
 * the server notices at once. `onLost` is called at most once.
 */
export const joinServer = async (connection: ConnectionOptions, onLost: () => void): Promise<ServerUser> => {
  const session = await Session.open({
    connection: { options: { ...connection, database: 'postgres' } },
    settings: { application_name: 'overture user', statement_timeout: JOIN_TIMEOUT_MS },
    connectTimeoutMs: JOIN_TIMEOUT_MS,
    answerTimeoutMs: JOIN_TIMEOUT_MS,
  })
  const sql = createSql((text, parameters) => session.run(text, parameters))
  try {
    const serverVersion = await enter(sql)
    const forget = session.onLoss(onLost)
    const leave = async () => {
      forget()
      await session.end()
    }
    return { serverVersion, isLast: () => isLast(sql), leave }
  } catch (error) {
    await session.end()
    throw error
  }
}

const enter = async (sql: Sql): Promise<string> => {
  const [server] = await sql<{ version: string }[]>`
    select pg_advisory_lock_shared(${USERS_LOCK}), current_setting('server_version') as version`
  return server?.version ?? ''
}

/** A user killed a moment ago may still be counted until the server has read the end of its connection. */
const isLast = async (sql: Sql): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    const [answer] = await sql<{ isLast: boolean }[]>`select pg_try_advisory_lock(${USERS_LOCK}) as "isLast"`
    if (answer?.isLast || attempt === 5) return answer?.isLast ?? false
    await sleep(20)
  }
}
