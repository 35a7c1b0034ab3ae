import { setImmediate as nextTurn } from 'node:timers/promises'

export type InFlight = {
  track: <T>(work: Promise<T>) => Promise<T>
  /** Resolves once no tracked work is pending, whether it succeeded or failed. */
  drain: () => Promise<void>
}

/**
 * Tracks requests that are being handled. A request continues after its caller disconnects, so resources that it uses
 * may be closed only once it has ended.
 */
export function trackInFlight(): InFlight {
  const pending = new Set<Promise<unknown>>()
  return {
    track: work => {
      pending.add(work)
      const untrack = () => pending.delete(work)
      work.then(untrack, untrack)
      return work
    },
    drain: async () => {
      do {
        await Promise.allSettled(pending)
        await nextTurn()
      } while (pending.size > 0)
    },
  }
}
