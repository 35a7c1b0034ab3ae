import type { App } from '../context.ts'
import { sleep } from './sleep.ts'
import { withTimeout } from './with-timeout.ts'

const ERROR_DELAY_MS = 2_000
/** Jobs end within their lease. A job that hangs because of a bug loses its slot after this many leases. */
const TIMEOUT_IN_LEASES = 10

export type WorkerOptions<Claim> = {
  /** The queue's name in the log. */
  queue: string
  pollMs: number
  leaseMs: number
  concurrency: number
  claim: (limit: number, inFlight: readonly Claim[]) => Promise<Claim[]>
  /** Awaited for each claim in turn, before its job starts. */
  prepare: (claim: Claim) => Promise<void> | undefined
  perform: (claim: Claim, signal: AbortSignal) => Promise<void>
  logError: (claim: Claim, err: unknown) => void
}

/**
 * Claims jobs from a queue and performs them concurrently. Disposing stops claiming, aborts the signal of the jobs in
 * flight and waits for them.
 */
export function openWorker<Claim>(app: App, options: WorkerOptions<Claim>): AsyncDisposable {
  const { queue, pollMs, leaseMs, concurrency } = options
  const stop = new AbortController()
  const jobs = new Map<Promise<void>, Claim>()
  const running = run()

  async function run(): Promise<void> {
    let delayMs = pollMs
    while (await sleep(delayMs, stop.signal)) {
      try {
        delayMs = pollMs
        if (!(await withTimeout(claimJobs(), leaseMs))) app.log.error(`engine: claiming ${queue} hangs`)
      } catch (err) {
        delayMs = ERROR_DELAY_MS
        app.log.error({ err }, `engine: claiming ${queue} failed; retrying`)
      }
    }
  }

  async function claimJobs(): Promise<void> {
    const limit = concurrency - jobs.size
    if (limit === 0) return
    for (const claim of await options.claim(limit, [...jobs.values()])) {
      await options.prepare(claim)
      const job = perform(claim).finally(() => jobs.delete(job))
      jobs.set(job, claim)
    }
  }

  async function perform(claim: Claim): Promise<void> {
    try {
      const isDone = await withTimeout(options.perform(claim, stop.signal), TIMEOUT_IN_LEASES * leaseMs)
      if (!isDone) options.logError(claim, new Error('The job hangs and has lost its slot'))
    } catch (err) {
      options.logError(claim, err)
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
      await Promise.all(jobs.keys())
    },
  }
}
