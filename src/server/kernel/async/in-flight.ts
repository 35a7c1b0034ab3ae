import { setImmediate as nextTurn } from 'node:timers/promises'

export type UnderWay = {
  track: <T>(work: Promise<T>) => Promise<T>
  /** Ends once nothing is under way any more. */
  settle: () => Promise<void>
}

/** A request goes on when its caller hangs up: what it works on may be closed only after its end. */
export function openUnderWay(): UnderWay {
  const underWay = new Set<Promise<unknown>>()
  return {
    track: work => {
      underWay.add(work)
      const forget = () => underWay.delete(work)
      work.then(forget, forget)
      return work
    },
    settle: async () => {
      do {
        await Promise.allSettled(underWay)
        await nextTurn()
      } while (underWay.size > 0)
    },
  }
}
