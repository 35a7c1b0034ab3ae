/** A longer look would still see every turn, but count those before and after it into the turn. */
const LOOK_MS = 1

/**
 * Measures the turns of this process's event loop by what they take of the main thread's CPU. A busy machine makes a
 * turn last longer, but does not make it take more CPU; and what other threads do holds nobody up.
 */
export type LoopMeter = Disposable & {
  /** CPU milliseconds of the longest turn since the last call, the one that asks included. */
  takeLongestMs: () => number
}

export function openLoopMeter(): LoopMeter {
  let last = threadMs()
  let longest = 0
  const look = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  // Timers that are due get their turn once in every turn of the loop.
  const timer = setInterval(look, LOOK_MS).unref()
  return {
    takeLongestMs: () => {
      look()
      const taken = longest
      longest = 0
      return taken
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** CPU that this thread has used, in user code and in the kernel. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU milliseconds of the fixed work below on a quiet machine of the kind that the limits were set on. */
const USUAL_WORK_MS = 55
const fixedText = JSON.stringify('"a\\é'.repeat(250_000))

/**
 * Returns how many times longer than usual fixed work takes now, at least 1. Neighbours on a busy machine share caches
 * and cores, so the same work takes more CPU time beside them.
 */
export function measureSlowness(): number {
  const before = threadMs()
  for (let round = 0; round < 4; round++) JSON.parse(fixedText).replace(/"a/g, 'b')
  return Math.max(1, (threadMs() - before) / USUAL_WORK_MS)
}

/** Holds the loop for that much CPU. */
export function burn(ms: number): void {
  const until = threadMs() + ms
  while (threadMs() < until);
}
