import { setTimeout as sleep } from 'node:timers/promises'
import { openListener } from './listen.ts'
import { ConnectionError, Session, type SessionOptions } from './session.ts'
import { createSql, type Rows, type RunStatement, type Sql, type SqlRow } from './sql.ts'
import { runTransaction, type Work } from './transaction.ts'

/** A statement waits behind so many on one connection, and the others wait for any. */
const MAX_PIPELINED = 32
const MAX_WAITING = 10_000
/** Texts beyond that many are planned each time: they are made up anew for each call. */
const MAX_PREPARED = 1_000
const MAX_BACKOFF_MS = 600
/** A session keeps memory for all that it ever did. */
const LIFETIME_MS = 45 * 60_000

export type PoolOptions = SessionOptions & {
  /** The most connections at a time. */
  max: number
  /** Not where the next statement may reach another session of the server, as behind a pooler. */
  usesPreparedStatements: boolean
  /** Sends what follows `begin` without waiting for its answer. Only where that does no harm outside a transaction. */
  pipelinesBegin: boolean
}

/** Several connections under one role. Statements share them; a transaction has one alone. */
export interface Pool extends Sql {
  /**
   * Runs the work in one transaction: commits when it resolves, rolls back when it rejects, when any of its statements
   * failed, or when the connection is lost, and then rejects with the first fault.
   */
  begin: <T>(work: Work<T>, mode?: string) => Promise<T>
  /** Calls `onNotification` for each notification, and `onListening` whenever some may have been missed. */
  listen: (channel: string, onNotification: () => void, onListening: () => void) => Promise<void>
  /** Lets what is under way end, for so long. */
  end: (options?: { timeoutMs?: number }) => Promise<void>
}

type Waiting = {
  isReserving: boolean
  resolve: (session: Session) => void
  reject: (fault: unknown) => void
}

/** Opens no connection until the first statement. */
export function openPool(options: PoolOptions): Pool {
  const sessions = new Set<Session>()
  const opening = new Set<Promise<void>>()
  const waiting: Waiting[] = []
  const names = new Map<string, string>()
  const { promise: ended, resolve: tellEnded } = Promise.withResolvers<void>()
  let isEnding = false
  let retryAt = 0
  let retry: NodeJS.Timeout | undefined
  let namesMade = 0

  /** The session with the least to do, unless a further one may be opened instead. */
  function take(isReserving: boolean): Session | undefined {
    let best: Session | undefined
    for (const session of sessions) {
      if (session.isReserved || isOld(session)) continue
      if (!best || session.pending < best.pending) best = session
      if (best.pending === 0) break
    }
    if (!best || best.pending >= MAX_PIPELINED) return undefined
    if (best.pending > 0 && sessions.size + opening.size < options.max) return undefined
    if (isReserving) best.isReserved = true
    return best
  }

  function acquire(isReserving: boolean): Session | Promise<Session> {
    if (isEnding) return Promise.reject(new ConnectionError('CONNECTION_ENDED', 'The pool was ended.'))
    const session = waiting.length === 0 ? take(isReserving) : undefined
    if (session) return session
    if (waiting.length >= MAX_WAITING) {
      return Promise.reject(new ConnectionError('POOL_FULL', 'Too many statements wait for a connection.'))
    }
    const { promise, resolve, reject } = Promise.withResolvers<Session>()
    waiting.push({ isReserving, resolve, reject })
    grow()
    return promise
  }

  function serveWaiting(): void {
    while (waiting.length > 0) {
      const session = take(waiting[0]!.isReserving)
      if (!session) break
      waiting.shift()!.resolve(session)
    }
    grow()
    if (isEnding && isIdle()) tellEnded()
  }

  const isIdle = (): boolean =>
    waiting.length === 0 && [...sessions].every(({ isReserved, pending }) => !isReserved && pending === 0)

  function grow(): void {
    if (retry || opening.size >= waiting.length || sessions.size + opening.size >= options.max) return
    const delayMs = retryAt - performance.now()
    if (delayMs > 0) {
      retry = setTimeout(() => {
        retry = undefined
        grow()
      }, delayMs)
      return
    }
    const attempt = open().finally(() => {
      opening.delete(attempt)
      serveWaiting()
    })
    opening.add(attempt)
    grow()
  }

  async function open(): Promise<void> {
    try {
      const session = await Session.open(options)
      sessions.add(session)
      session.onLoss(() => {
        sessions.delete(session)
        serveWaiting()
      })
    } catch (fault) {
      retryAt = performance.now() + MAX_BACKOFF_MS * (0.3 + 0.7 * Math.random())
      // Others are connected: those who wait get one of these.
      if (sessions.size === 0) for (const { reject } of waiting.splice(0)) reject(fault)
    }
  }

  const isOld = ({ openedAt }: Session): boolean => performance.now() - openedAt > LIFETIME_MS

  function afterUse(session: Session): void {
    if (session.pending === 0 && !session.isReserved && isOld(session)) void session.end()
    if (waiting.length > 0 || isEnding) serveWaiting()
  }

  function nameOf(text: string, parameters: unknown[] | undefined): string | undefined {
    if (!options.usesPreparedStatements || !parameters) return undefined
    const known = names.get(text)
    if (known || names.size >= MAX_PREPARED) return known
    namesMade += 1
    names.set(text, `s${namesMade}`)
    return `s${namesMade}`
  }

  async function runIn(
    session: Session,
    ...[text, parameters]: Parameters<RunStatement>
  ): Promise<Rows<SqlRow[]>> {
    try {
      return await session.run(text, parameters, nameOf(text, parameters))
    } catch (fault) {
      if (isStale(fault)) names.delete(text)
      // The answer was read from the socket: the way to whoever asked is known only here.
      if (!(fault instanceof ConnectionError)) Error.captureStackTrace(fault as Error)
      throw fault
    } finally {
      afterUse(session)
    }
  }

  const run: RunStatement = async (text, parameters) => {
    const session = acquire(false)
    try {
      return await runIn(session instanceof Session ? session : await session, text, parameters)
    } catch (fault) {
      if (!isStale(fault)) throw fault
      // It was refused before it ran.
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
      afterUse(session)
    }
  }

  const listener = openListener(() => Session.open(options))

  async function end({ timeoutMs = 5_000 } = {}): Promise<void> {
    isEnding = true
    clearTimeout(retry)
    if (!isIdle()) {
      const patience = new AbortController()
      await Promise.race([ended, sleep(timeoutMs, undefined, { signal: patience.signal }).catch(() => {})])
      patience.abort()
    }
    for (const { reject } of waiting.splice(0)) {
      reject(new ConnectionError('CONNECTION_ENDED', 'The pool was ended.'))
    }
    await Promise.all(opening)
    await Promise.all([listener.end(), ...[...sessions].map(session => session.end())])
  }

  return Object.assign(createSql(run), { begin, listen: listener.listen, end }) as Pool
}

/** The server no longer has the prepared statement as it was: after a migration, or `discard all`. */
function isStale(fault: unknown): boolean {
  const { code, routine } = fault as { code?: string; routine?: string }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}
