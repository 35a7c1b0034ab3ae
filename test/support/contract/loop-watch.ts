import type { TestApp } from '../app.ts'
import { type ServerProcess, startServer } from '../http/server-processes.ts'

/** Maximum CPU time of one event-loop turn, for any input. */
const MAX_TURN_MS = 100

/** A request to measure. `label` names the operation, the field and its value. `path` starts at the root. */
export type LoopRequest = {
  label: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
}

export type LoopResponse = { status: number; headers: Headers; text: string }

/** Server processes that each handle one request at a time, so that a slow turn can be attributed to a request. */
export type LoopWatch = AsyncDisposable & {
  servers: readonly ServerProcess[]
  send: (server: ServerProcess, request: LoopRequest) => Promise<LoopResponse>
  /** Runs every job once, on the next free server. */
  forAll: <T>(jobs: Iterable<T>, run: (server: ServerProcess, job: T) => Promise<unknown>) => Promise<void>
  /** Returns, and forgets, descriptions of the requests that blocked the loop for too long or returned status 500. */
  drainErrors: () => string[]
}

export async function openLoopWatch(app: TestApp, settings: Record<string, string> = {}): Promise<LoopWatch> {
  await using opened = new AsyncDisposableStack()
  const servers: ServerProcess[] = []
  for (let n = 0; n < 2; n++)
    servers.push(opened.use(await startServer(app, { OVERTURE_ROLE: 'all', ...settings })))
  let errors: string[] = []

  /** Each server's last exchange; the next exchange waits for it, so that each is measured alone. */
  const last = new Map<ServerProcess, Promise<unknown>>()
  const inTurn = <T>(server: ServerProcess, exchange: () => Promise<T>): Promise<T> => {
    const own = (last.get(server) ?? Promise.resolve()).then(exchange)
    last.set(
      server,
      own.catch(() => {}),
    )
    return own
  }
  const once = async (server: ServerProcess, { label, method, path, headers, body }: LoopRequest) => {
    try {
      const fetched = await fetch(server.url + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(60_000),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      })
      const response = { status: fetched.status, headers: fetched.headers, text: await fetched.text() }
      return { response, ms: await server.takeLongestTurn() }
    } catch (cause) {
      throw new Error(`${label}: no response`, { cause })
    }
  }
  const send = async (server: ServerProcess, request: LoopRequest): Promise<LoopResponse> => {
    const first = await inTurn(server, () => once(server, request))
    const { response, ms } = first
    if (response.status === 500) errors.push(`${request.label}: status 500`)
    if (ms > MAX_TURN_MS) await confirm(server, request, first)
    return response
  }
  /**
   * Repeats a slow request up to three times, immediately, because its response may change later. The other process
   * goes first, because these strings are new to it, too. Reports only a request that is slow every time, which
   * excludes compilation, garbage collection and time given to other processes. Judges a request that can't be
   * repeated, such as a change of password, by its first measurement, scaled to an idle machine.
   */
  const confirm = async (
    server: ServerProcess,
    request: LoopRequest,
    { response, ms }: { response: LoopResponse; ms: number },
  ): Promise<void> => {
    const other = servers.find(other => other !== server)!
    const atIdle = ms / (await inTurn(server, () => readSlowness(server)))
    const repeated: number[] = []
    for (const next of [other, server, other]) {
      const again = await inTurn(next, () => repeat(next, request))
      if (again.status !== response.status) continue
      repeated.push(again.ms)
      if (again.ms <= MAX_TURN_MS) return
    }
    const least = Math.min(...(repeated.length > 0 ? repeated : [atIdle]))
    if (least > MAX_TURN_MS)
      errors.push(`${request.label}: ${Math.round(least)} ms (status ${response.status})`)
  }
  /** Repeats a request. Scales its time to that of an idle machine by the slowness measured before and after. */
  const repeat = async (
    server: ServerProcess,
    request: LoopRequest,
  ): Promise<{ status: number; ms: number }> => {
    const before = await readSlowness(server)
    const { response, ms } = await once(server, request)
    const slowness = Math.min(before, await readSlowness(server))
    return { status: response.status, ms: ms / slowness }
  }
  /** Measures the slowness, and discards the turn of the measurement, which blocks the loop too. */
  const readSlowness = async (server: ServerProcess): Promise<number> => {
    const slowness = await server.measureSlowness()
    await server.takeLongestTurn()
    return slowness
  }
  const all = opened.move()
  return {
    servers,
    send,
    forAll: async (jobs, run) => {
      const left = jobs[Symbol.iterator]()
      await Promise.all(
        servers.map(async server => {
          for (let next = left.next(); !next.done; next = left.next()) await run(server, next.value)
        }),
      )
    },
    drainErrors: () => {
      const taken = errors
      errors = []
      return taken
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
