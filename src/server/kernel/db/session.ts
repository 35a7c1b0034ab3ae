import { Socket } from 'node:net'
import pg from 'pg'
import type { Rows, SqlRow } from './sql.ts'

/** Server and database to connect to; `host` may be a socket directory. */
export type ConnectionOptions = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export type SessionOptions = {
  connection: { url: string } | { options: ConnectionOptions }
  /** Sent as start-up parameters, so that the session never has other settings or another role. */
  settings: Record<string, string | number>
  connectTimeoutMs: number
  /** Maximum time without data from the server while a statement is pending; 0 means no limit. */
  responseTimeoutMs: number
}

const TERMINATE_TIMEOUT_MS = 1_000

type ConnectionErrorCode = 'CONNECTION_CLOSED' | 'CONNECT_TIMEOUT' | 'RESPONSE_TIMEOUT' | 'CONNECTION_ENDED'

/** Error for an unreachable server or a lost connection; pending statements may or may not have run. */
export class ConnectionError extends Error {
  readonly code: string

  constructor(code: ConnectionErrorCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectionError'
    this.code = code
  }
}

const toConnectionError = (cause: unknown): ConnectionError =>
  cause instanceof ConnectionError
    ? cause
    : new ConnectionError(
        /^E[A-Z]+$/.test((cause as { code?: string }).code ?? '')
          ? (cause as { code: string }).code
          : 'CONNECTION_CLOSED',
        'The connection to PostgreSQL was lost.',
        { cause },
      )

const types = new pg.TypeOverrides()
const { INT8, DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = pg.types.builtins
const parseTextArray = pg.types.getTypeParser(1009 as never) as (text: string) => (string | null)[]
/** Registers `parse` for a type and for arrays of it. */
function setParser(parse: (text: string) => unknown, type: number, arrayType: number): void {
  types.setTypeParser(type, parse)
  types.setTypeParser(arrayType, text =>
    parseTextArray(text).map(each => (each === null ? null : parse(each))),
  )
}
setParser(BigInt, INT8, 1016)
setParser(text => new Date(text), DATE, 1182)
setParser(text => new Date(text), TIMESTAMP, 1115)
setParser(text => new Date(text), TIMESTAMPTZ, 1185)
setParser(text => text, INTERVAL, 1187)

declare module 'pg' {
  interface Query {
    /** Prepares the statement under this name. */
    name?: string | undefined
  }
  interface ClientBase {
    /** Start-up parameters; the public options cover only some of them. */
    getStartupConf(): Record<string, string>
  }
}

class Client extends pg.Client {
  settings: SessionOptions['settings'] = {}

  override getStartupConf(): Record<string, string> {
    const settings = Object.entries(this.settings).map(([name, value]) => [name, String(value)])
    return { ...super.getStartupConf(), ...Object.fromEntries(settings) }
  }
}

/** One connection. Statements are pipelined and run in the order they are sent. */
export class Session {
  /** Number of statements in flight. */
  pending = 0
  /** True while a transaction owns the session. */
  isReserved = false
  /** Set once the connection is lost or ended. */
  error: ConnectionError | undefined
  /** True once the session is to be replaced; it takes no further statements. */
  isOld = false
  readonly #client: Client
  readonly #socket: Socket
  readonly #lossListeners = new Set<(error: ConnectionError) => void>()

  private constructor(client: Client, socket: Socket) {
    this.#client = client
    this.#socket = socket
    client.on('error', error => this.#lose(error))
    client.on('end', () =>
      this.#lose(new ConnectionError('CONNECTION_CLOSED', 'PostgreSQL closed the connection.')),
    )
  }

  static async open({
    connection,
    settings,
    connectTimeoutMs,
    responseTimeoutMs,
  }: SessionOptions): Promise<Session> {
    const socket = new Socket()
    const client = new Client({
      ...('url' in connection ? { connectionString: withLibpqTls(connection.url) } : connection.options),
      stream: () => socket,
      pipeline: true,
      types,
      connectionTimeoutMillis: connectTimeoutMs,
      // Keepalive detects a dead idle connection, such as the listener's, about ten seconds after the first probe.
      keepAlive: true,
      keepAliveInitialDelayMillis: 20_000,
    })
    client.settings = settings
    const session = new Session(client, socket)
    try {
      await client.connect()
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      throw message === 'timeout expired'
        ? new ConnectionError(
            'CONNECT_TIMEOUT',
            `PostgreSQL did not respond within ${connectTimeoutMs / 1000} s.`,
          )
        : error instanceof pg.DatabaseError
          ? error
          : new ConnectionError(code ?? 'CONNECTION_CLOSED', message, { cause: error })
    }
    if (responseTimeoutMs > 0) {
      socket.setTimeout(responseTimeoutMs)
      socket.on('timeout', () => {
        if (session.pending === 0) return
        const message = `PostgreSQL has not responded for ${responseTimeoutMs / 1000} s.`
        socket.destroy(new ConnectionError('RESPONSE_TIMEOUT', message))
      })
    }
    return session
  }

  /** Calls the listener once when the connection is lost or ended. Returns a function that removes the listener. */
  onLoss(listener: (error: ConnectionError) => void): () => void {
    this.#lossListeners.add(listener)
    return () => void this.#lossListeners.delete(listener)
  }

  /** Runs a statement; with a `name` it stays prepared in this session. */
  run(text: string, parameters: unknown[] | undefined, name?: string | undefined): Promise<Rows<SqlRow[]>> {
    if (this.error) return Promise.reject(this.error)
    const { promise, resolve, reject } = Promise.withResolvers<Rows<SqlRow[]>>()
    let isSettled = false
    this.pending += 1
    // node-postgres may call back twice when a parameter can't be serialized.
    const onResponse = (error: Error | null, result: pg.QueryResult | pg.QueryResult[]): void => {
      if (isSettled) return
      isSettled = true
      this.pending -= 1
      if (error) reject(this.#toQueryError(error, text))
      else resolve(toRows(result))
    }
    const query = new pg.Query(text, parameters, onResponse as () => void)
    // Set here because a config object would be cloned for each statement.
    query.name = name
    this.#client.query(query)
    return promise
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload = '' }) => listener(channel, payload))
  }

  /** Closes the connection; statements in flight fail. */
  async end(): Promise<void> {
    this.#lose(new ConnectionError('CONNECTION_ENDED', 'The connection was closed by this process.'))
    // On a network that drops everything, an orderly termination would wait forever.
    const timer = setTimeout(() => this.#socket.destroy(), this.pending > 0 ? 0 : TERMINATE_TIMEOUT_MS)
    await this.#client.end()
    clearTimeout(timer)
  }

  #lose(error: Error): void {
    if (this.error) return
    this.error = toConnectionError(error)
    for (const listener of this.#lossListeners) listener(this.error)
    this.#lossListeners.clear()
  }

  #toQueryError(error: Error, text: string): Error {
    if (!(error instanceof pg.DatabaseError)) return toConnectionError(this.error ?? error)
    return Object.assign(error, { query: text })
  }
}

/**
 * Returns a URL that makes node-postgres interpret `sslmode` like libpq: `require` encrypts without verifying the
 * certificate, `verify-full` verifies it.
 */
function withLibpqTls(text: string): string {
  const url = new URL(text)
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** Returns the rows of the last statement. */
function toRows(result: pg.QueryResult | pg.QueryResult[]): Rows<SqlRow[]> {
  const { rows, rowCount, fields } = Array.isArray(result) ? result.at(-1)! : result
  return Object.defineProperties(rows, {
    count: { value: rowCount ?? 0 },
    columns: { value: fields },
  }) as Rows<SqlRow[]>
}
