import { Socket } from 'node:net'
import pg from 'pg'
import type { Rows, SqlRow } from './sql.ts'

/** How to reach a server and a database; `host` may be the folder of a socket. */
export type ConnectionOptions = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export type SessionOptions = {
  connection: { url: string } | { options: ConnectionOptions }
  /** Sent when the session starts, so there is no moment in which it has other settings, or another role. */
  settings: Record<string, string | number>
  connectTimeoutMs: number
  /** How long the server may owe an answer without sending anything; 0 means forever. */
  answerTimeoutMs: number
}

const GOODBYE_MS = 1_000

type ConnectionFaultCode = 'CONNECTION_CLOSED' | 'CONNECT_TIMEOUT' | 'ANSWER_TIMEOUT' | 'CONNECTION_ENDED'

/** The server cannot be reached, or no longer; whether it did what it was asked is unknown. */
export class ConnectionError extends Error {
  readonly code: string

  constructor(code: ConnectionFaultCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ConnectionError'
    this.code = code
  }
}

const connectionClosed = (cause: unknown): ConnectionError =>
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
const readTexts = pg.types.getTypeParser(1009 as never) as (text: string) => (string | null)[]
/** Has values of the type read by `read`, and arrays of them. */
function readAs(read: (text: string) => unknown, type: number, arrayType: number): void {
  types.setTypeParser(type, read)
  types.setTypeParser(arrayType, text => readTexts(text).map(each => (each === null ? null : read(each))))
}
readAs(BigInt, INT8, 1016)
readAs(text => new Date(text), DATE, 1182)
readAs(text => new Date(text), TIMESTAMP, 1115)
readAs(text => new Date(text), TIMESTAMPTZ, 1185)
readAs(text => text, INTERVAL, 1187)

declare module 'pg' {
  interface ClientBase {
    /** What node-postgres sends when a session starts; its options name only some of the settings. */
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

/** One connection. Statements may be sent before the answers to earlier ones are there; they run in that order. */
export class Session {
  /** How many statements wait for their answer. */
  pending = 0
  /** A transaction has it alone. */
  isReserved = false
  /** Why it is of no more use. */
  fault: ConnectionError | undefined
  readonly openedAt = performance.now()
  readonly #client: Client
  readonly #socket: Socket
  readonly #lossListeners = new Set<(fault: ConnectionError) => void>()

  private constructor(client: Client, socket: Socket) {
    this.#client = client
    this.#socket = socket
    client.on('error', error => this.#lose(error))
    client.on('end', () => this.#lose(new ConnectionError('CONNECTION_CLOSED', 'The connection has ended.')))
  }

  static async open({
    connection,
    settings,
    connectTimeoutMs,
    answerTimeoutMs,
  }: SessionOptions): Promise<Session> {
    const socket = new Socket()
    const client = new Client({
      ...('url' in connection ? { connectionString: withLibpqTls(connection.url) } : connection.options),
      stream: () => socket,
      pipeline: true,
      types,
      connectionTimeoutMillis: connectTimeoutMs,
      // A connection at rest, such as one that listens, is found dead ten seconds after that.
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
            `PostgreSQL did not answer for ${connectTimeoutMs / 1000} s.`,
          )
        : error instanceof pg.DatabaseError
          ? error
          : new ConnectionError(code ?? 'CONNECTION_CLOSED', message, { cause: error })
    }
    if (answerTimeoutMs > 0) {
      socket.setTimeout(answerTimeoutMs)
      socket.on('timeout', () => {
        if (session.pending === 0) return
        const message = `PostgreSQL has not answered for ${answerTimeoutMs / 1000} s.`
        socket.destroy(new ConnectionError('ANSWER_TIMEOUT', message))
      })
    }
    return session
  }

  /** Calls the listener once when the connection is lost or ended. Returns a function that takes it back. */
  onLoss(listener: (fault: ConnectionError) => void): () => void {
    this.#lossListeners.add(listener)
    return () => void this.#lossListeners.delete(listener)
  }

  /** `name` keeps the statement prepared in this session. */
  run(text: string, parameters: unknown[] | undefined, name?: string | undefined): Promise<Rows<SqlRow[]>> {
    if (this.fault) return Promise.reject(this.fault)
    const { promise, resolve, reject } = Promise.withResolvers<Rows<SqlRow[]>>()
    let isOver = false
    this.pending += 1
    // node-postgres may call back twice when a parameter cannot be written.
    const onAnswer = (error: Error | null, result: pg.QueryResult | pg.QueryResult[]): void => {
      if (isOver) return
      isOver = true
      this.pending -= 1
      if (error) reject(this.#explain(error, text))
      else resolve(toRows(result))
    }
    this.#client.query({ text, values: parameters, name } as pg.QueryConfig, onAnswer as () => void)
    return promise
  }

  onNotification(listener: (channel: string) => void): void {
    this.#client.on('notification', ({ channel }) => listener(channel))
  }

  /** Statements that still wait for their answer fail. */
  async end(): Promise<void> {
    this.#lose(new ConnectionError('CONNECTION_ENDED', 'The connection was ended.'))
    // A network that swallows everything would let the goodbye wait for ever.
    const patience = setTimeout(() => this.#socket.destroy(), this.pending > 0 ? 0 : GOODBYE_MS)
    await this.#client.end()
    clearTimeout(patience)
  }

  #lose(error: Error): void {
    if (this.fault) return
    this.fault = connectionClosed(error)
    for (const listener of this.#lossListeners) listener(this.fault)
    this.#lossListeners.clear()
  }

  #explain(error: Error, text: string): Error {
    if (!(error instanceof pg.DatabaseError)) return connectionClosed(this.fault ?? error)
    return Object.assign(error, { query: text })
  }
}

/** `sslmode` as libpq reads it: `require` encrypts and does not ask who the server is, `verify-full` does. */
function withLibpqTls(text: string): string {
  const url = new URL(text)
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** Of several statements the answer to the last. */
function toRows(result: pg.QueryResult | pg.QueryResult[]): Rows<SqlRow[]> {
  const { rows, rowCount, fields } = Array.isArray(result) ? result.at(-1)! : result
  return Object.defineProperties(rows, {
    count: { value: rowCount ?? 0 },
    columns: { value: fields },
  }) as Rows<SqlRow[]>
}
