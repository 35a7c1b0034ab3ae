import { setTimeout as sleep } from 'node:timers/promises'
import { openListener } from './listen.ts'
import { ConnectionError, Session, type SessionOptions } from './session.ts'
import { createSql, type Rows, type RunStatement, type Sql, type SqlRow } from './sql.ts'
import { runTransaction, type Work } from './transaction.ts'

/** Statements in flight per connection; further ones wait for any connection. */
const MAX_PIPELINED = 32
const MAX_WAITING = 10_000
/** Maximum number of named prepared statements. If there are more, their texts are generated and rarely reused. */
const MAX_PREPARED = 1_000
const MAX_BACKOFF_MS = 600
const DEFAULT_LIFETIME_MS = 45 * 60_000

export type PoolOptions = SessionOptions & {
  /** Maximum number of connections. */
  max: number
  /** Must be false behind a pooler, where the next statement may run in another session. */
  usesPreparedStatements: boolean
  /** Sends the first statement along with `begin`. Safe only if the statement has no effect outside a transaction. */
  pipelinesBegin: boolean
  /** Age at which connections are replaced, because the memory that the server uses for a session only grows. */
  lifetimeMs?: number
}

/** A pool of connections. Statements share connections; a transaction reserves one. */
export interface Pool extends Sql {
  /**
   * Runs the work in a transaction and commits when the work resolves. When the work rejects, a statement fails or the
   * connection is lost, rolls back and rejects with the first error.
   */
  begin: <T>(work: Work<T>, mode?: string) => Promise<T>
  /** Calls `onNotification` for each notification, and `onListening` when notifications may have been missed. */
  listen: (
    channel: string,
    onNotification: (payload: string) => void,
    onListening: () => void,
  ) => Promise<void>
  /** Closes the pool after waiting up to `timeoutMs` for work in flight. */
  end: (options?: { timeoutMs?: number }) => Promise<void>
}

type Waiting = {
  isReserving: boolean
  resolve: (session: Session) => void
  reject: (error: unknown) => void
}

/** Creates a pool; connections are opened on demand. */
export function openPool(options: PoolOptions): Pool {
  const sessions = new Set<Session>()
  const opening = new Set<Promise<void>>()
  const waiting: Waiting[] = []
  const statementNames = new Map<string, string>()
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>()
  let isEnding = false
  let retryAt = 0
  let retryTimer: NodeJS.Timeout | undefined
  let nameCount = 0

  /** Returns the least busy session; undefined when the caller must wait for one to be opened or to become free. */
  function acquireSession(isReserving: boolean): Session | undefined {
    let best: Session | undefined
    for (const session of sessions) {
      if (session.isReserved || session.isOld) continue
      if (!best || session.pending < best.pending) best = session
      if (best.pending === 0) break
    }
    if (!best || best.pending >= MAX_PIPELINED) return undefined
    if (best.pending > 0 && sessions.size + opening.size < options.max) return undefined
    if (isReserving) best.isReserved = true
    return best
  }

  function acquire(isReserving: boolean): Session | Promise<Session> {
    if (isEnding) return Promise.reject(new ConnectionError('CONNECTION_ENDED', 'The pool is closed.'))
    const session = waiting.length === 0 ? acquireSession(isReserving) : undefined
    if (session) return session
    if (waiting.length >= MAX_WAITING) {
      return Promise.reject(
        new ConnectionError('POOL_FULL', 'Too many statements are waiting for a connection.'),
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<Session>()
    waiting.push({ isReserving, resolve, reject })
    openMore()
    return promise
  }

  function serveWaiting(): void {
    while (waiting.length > 0) {
      const session = acquireSession(waiting[0]!.isReserving)
      if (!session) break
      waiting.shift()!.resolve(session)
    }
    openMore()
    if (isEnding && isIdle()) resolveEnded()
  }

  const isIdle = (): boolean =>
    waiting.length === 0 && [...sessions].every(({ isReserved, pending }) => !isReserved && pending === 0)

  function openMore(): void {
    if (retryTimer || opening.size >= waiting.length || sessions.size + opening.size >= options.max) return
    const delayMs = retryAt - performance.now()
    if (delayMs > 0) {
      retryTimer = setTimeout(() => {
        retryTimer = undefined
        openMore()
      }, delayMs)
      return
    }
    const attempt = open().finally(() => {
      opening.delete(attempt)
      serveWaiting()
    })
    opening.add(attempt)
    openMore()
  }

  async function open(): Promise<void> {
    try {
      const session = await Session.open(options)
      sessions.add(session)
      const timer = setTimeout(() => {
        session.isOld = true
        releaseSession(session)
      }, options.lifetimeMs ?? DEFAULT_LIFETIME_MS).unref()
      session.onLoss(() => {
        clearTimeout(timer)
        sessions.delete(session)
        serveWaiting()
      })
    } catch (error) {
      retryAt = performance.now() + MAX_BACKOFF_MS * (0.3 + 0.7 * Math.random())
      // While another session is open, the waiting statements use that one.
      if (sessions.size === 0) for (const { reject } of waiting.splice(0)) reject(error)
    }
  }

  function releaseSession(session: Session): void {
    if (session.isOld && session.pending === 0 && !session.isReserved) void session.end()
    if (waiting.length > 0 || isEnding) serveWaiting()
  }

  function getStatementName(text: string, parameters: unknown[] | undefined): string | undefined {
    if (!options.usesPreparedStatements || !parameters) return undefined
    const known = statementNames.get(text)
    if (known || statementNames.size >= MAX_PREPARED) return known
    nameCount += 1
    statementNames.set(text, `s${nameCount}`)
    return `s${nameCount}`
  }

  async function runIn(
    session: Session,
    ...[text, parameters]: Parameters<RunStatement>
  ): Promise<Rows<SqlRow[]>> {
    try {
      return await session.run(text, parameters, getStatementName(text, parameters))
    } catch (error) {
      if (isStale(error)) statementNames.delete(text)
      // The error was created while reading the socket. Only the stack captured here leads to the caller.
      if (!(error instanceof ConnectionError)) Error.captureStackTrace(error as Error)
      throw error
    } finally {
      releaseSession(session)
    }
  }

  const run: RunStatement = async (text, parameters) => {
    const session = acquire(false)
    try {
      return await runIn(session instanceof Session ? session : await session, text, parameters)
    } catch (error) {
      if (!isStale(error)) throw error
      // Safe to repeat: the statement was rejected before it ran.
      return await runIn(await acquire(false), text, parameters)
    }
  }

  async function begin<T>(work: Work<T>, mode = ''): Promise<T> {
    const session = await acquire(true)
    const { pipelinesBegin } = options
    const run: RunStatement = (text, parameters) => runIn(session, text, parameters)
    try {
      return await runTransaction(session, { run, mode, pipelinesBegin }, work)
    } finally {
      session.isReserved = false
      releaseSession(session)
    }
  }

  const listener = openListener(() => Session.open(options))

  async function end({ timeoutMs = 5_000 } = {}): Promise<void> {
    isEnding = true
    clearTimeout(retryTimer)
    if (!isIdle()) {
      const timer = new AbortController()
      await Promise.race([ended, sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})])
      timer.abort()
    }
    for (const { reject } of waiting.splice(0)) {
      reject(new ConnectionError('CONNECTION_ENDED', 'The pool is closed.'))
    }
    await Promise.all(opening)
    await Promise.all([listener.end(), ...[...sessions].map(session => session.end())])
  }

  return Object.assign(createSql(run), { begin, listen: listener.listen, end }) as Pool
}

/** Returns whether a prepared statement is gone or outdated, as after a migration or `discard all`. */
function isStale(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}
