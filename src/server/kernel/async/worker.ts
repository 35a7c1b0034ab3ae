import type { App } from '../context.ts'
import { hasSlept } from './sleep.ts'
import { waitAtMost } from './with-timeout.ts'

const FAULT_MS = 2_000
/** A turn ends within its lease; what a fault of ours lets hang gives up its place after so many. */
const LEASES = 10

export type TurnsOf<Claim> = {
  /** What is claimed, as the log names it. */
  what: string
  claimMs: number
  leaseMs: number
  /** So many at a time. */
  most: number
  claim: (limit: number, underWay: readonly Claim[]) => Promise<Claim[]>
  /** Before the turns begin, one after the other. */
  begin: (claim: Claim) => Promise<void> | undefined
  take: (claim: Claim, signal: AbortSignal) => Promise<void>
  logFault: (claim: Claim, err: unknown) => void
}

/** Gives each claimed piece of work its turn beside the others. Disposing claims no more, and tells the turns to end. */
export function openTurns<Claim>(app: App, of: TurnsOf<Claim>): AsyncDisposable {
  const stop = new AbortController()
  const turns = new Map<Promise<void>, Claim>()
  const claiming = run()

  async function run(): Promise<void> {
    let waitMs = of.claimMs
    while (await hasSlept(waitMs, stop.signal)) {
      try {
        waitMs = of.claimMs
        if (!(await waitAtMost(of.leaseMs, claim()))) app.log.error(`engine: claiming ${of.what} hangs`)
      } catch (err) {
        waitMs = FAULT_MS
        app.log.error({ err }, `engine: ${of.what} were not claimed; the next time tries again`)
      }
    }
  }

  async function claim(): Promise<void> {
    const limit = of.most - turns.size
    if (limit === 0) return
    for (const claimed of await of.claim(limit, [...turns.values()])) {
      await of.begin(claimed)
      const turn = take(claimed).finally(() => turns.delete(turn))
      turns.set(turn, claimed)
    }
  }

  async function take(claimed: Claim): Promise<void> {
    try {
      const isDone = await waitAtMost(LEASES * of.leaseMs, of.take(claimed, stop.signal))
      if (!isDone) of.logFault(claimed, new Error('the turn hangs, and is waited for no longer'))
    } catch (err) {
      of.logFault(claimed, err)
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await claiming
      await Promise.all(turns.keys())
    },
  }
}
