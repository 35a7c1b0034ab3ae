import type { TestApp } from './app.ts'
import { amount } from './environment.ts'
import { type ServerProcess, startServer } from './server-processes.ts'

/** What no input may exceed: CPU of one turn of the event loop. */
const MOST_MS = 100

/** EVENT_LOOP_EVERY=1 tries every input in every place, which takes half an hour; else each is tried in some places. */
const every = amount('EVENT_LOOP_EVERY', 8, 8)
export const triesAll = every === 1

/** `what` names the request: its operation, the field and what stands in it. `path` begins at the root. */
export type Asked = {
  what: string
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer | undefined
}

export type Reply = { status: number; headers: Headers; text: string }

/** Server processes that are asked one thing at a time, so that each turn has a request to answer for. */
export type LoopWatch = AsyncDisposable & {
  servers: readonly ServerProcess[]
  ask: (server: ServerProcess, asked: Asked) => Promise<Reply>
  /** Each of the jobs that EVENT_LOOP_EVERY leaves once, on whichever server is free. */
  forAll: <T>(jobs: Iterable<T>, run: (server: ServerProcess, job: T) => Promise<unknown>) => Promise<void>
  /** The requests since the last call that held the loop for too long, named. */
  takeSlow: () => string[]
  /** How many requests were answered with each status. */
  statuses: Map<number, number>
}

export async function openLoopWatch(app: TestApp, settings: Record<string, string> = {}): Promise<LoopWatch> {
  await using opened = new AsyncDisposableStack()
  const servers: ServerProcess[] = []
  for (let n = 0; n < 2; n++)
    servers.push(opened.use(await startServer(app, { OVERTURE_ROLE: 'all', ...settings })))
  let slow: string[] = []
  const statuses = new Map<number, number>()

  const once = async (server: ServerProcess, { what, method, path, headers, body }: Asked) => {
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
  const ask = async (server: ServerProcess, asked: Asked): Promise<Reply> => {
    const { reply, ms } = await once(server, asked)
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    let least = ms
    // What takes long each time does so by itself, and not because code was compiled or memory cleared just then.
    for (let repeat = 0; least > MOST_MS && repeat < 2; repeat++) {
      const again = await once(server, asked)
      if (again.reply.status !== reply.status) break
      least = Math.min(least, again.ms)
    }
    if (least > MOST_MS) slow.push(`${asked.what}: ${Math.round(least)} ms (answered ${reply.status})`)
    return reply
  }
  const all = opened.move()
  return {
    servers,
    statuses,
    ask,
    forAll: async (jobs, run) => {
      const left = [...jobs].filter((_job, n) => n % every === 0).values()
      await Promise.all(
        servers.map(async server => {
          for (let next = left.next(); !next.done; next = left.next()) await run(server, next.value)
        }),
      )
    },
    takeSlow: () => {
      const taken = slow
      slow = []
      return taken
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
