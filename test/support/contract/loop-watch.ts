import type { TestApp } from '../app.ts'
import { type ServerProcess, startServer } from '../http/server-processes.ts'

/** Maximum CPU time of one event-loop turn, for any input. */
const MAX_TURN_MS = 100

/** `what` describes the request: the operation, the field and its value. `path` starts at the root. */
export type LoopRequest = {
  what: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
}

export type Reply = { status: number; headers: Headers; text: string }

type Suspect = { server: ServerProcess; request: LoopRequest; reply: Reply; ms: number }

/** Server processes that each handle one request at a time, so that a slow turn can be attributed to a request. */
export type LoopWatch = AsyncDisposable & {
  servers: readonly ServerProcess[]
  ask: (server: ServerProcess, request: LoopRequest) => Promise<Reply>
  /** Runs every job once, on the next free server. */
  forAll: <T>(jobs: Iterable<T>, run: (server: ServerProcess, job: T) => Promise<unknown>) => Promise<void>
  /** Returns descriptions of requests since the last call that blocked the loop for too long or returned status 500. */
  takeFaults: () => Promise<string[]>
}

export async function openLoopWatch(app: TestApp, settings: Record<string, string> = {}): Promise<LoopWatch> {
  await using opened = new AsyncDisposableStack()
  const servers: ServerProcess[] = []
  for (let n = 0; n < 2; n++)
    servers.push(opened.use(await startServer(app, { OVERTURE_ROLE: 'all', ...settings })))
  let faults: string[] = []
  let suspects: Suspect[] = []

  const once = async (server: ServerProcess, { what, method, path, headers, body }: LoopRequest) => {
    try {
      const response = await fetch(server.url + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(60_000),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      })
      const reply = { status: response.status, headers: response.headers, text: await response.text() }
      return { reply, ms: await server.takeLongestTurn() }
    } catch (cause) {
      throw new Error(`${what}: not answered`, { cause })
    }
  }
  const ask = async (server: ServerProcess, request: LoopRequest): Promise<Reply> => {
    const { reply, ms } = await once(server, request)
    if (ms > MAX_TURN_MS) suspects.push({ server, request, reply, ms })
    if (reply.status === 500) faults.push(`${request.what}: answered 500`)
    return reply
  }
  /**
   * Repeats the request up to three times, first on the other process, which hasn't seen these texts either: only a request
   * that is slow every time is reported, to exclude compilation and garbage collection. On a busy machine the limit rises
   * with the slowness measured before and after the request.
   */
  const confirm = async ({ server, request, reply, ms }: Suspect): Promise<void> => {
    const other = servers.find(other => other !== server)!
    let least = ms
    for (const next of [other, server, other]) {
      const before = await next.measureSlowness()
      await next.takeLongestTurn()
      const again = await once(next, request)
      const slowness = Math.min(before, await next.measureSlowness())
      await next.takeLongestTurn()
      if (again.reply.status === reply.status) least = Math.min(least, again.ms / slowness)
      if (least <= MAX_TURN_MS) return
    }
    faults.push(`${request.what}: ${Math.round(least)} ms (answered ${reply.status})`)
  }
  const all = opened.move()
  return {
    servers,
    ask,
    forAll: async (jobs, run) => {
      const left = jobs[Symbol.iterator]()
      await Promise.all(
        servers.map(async server => {
          for (let next = left.next(); !next.done; next = left.next()) await run(server, next.value)
        }),
      )
    },
    takeFaults: async () => {
      for (const suspect of suspects) await confirm(suspect)
      const taken = faults
      faults = []
      suspects = []
      return taken
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
