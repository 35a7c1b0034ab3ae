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

/** Holds the loop for that much CPU. */
export function burn(ms: number): void {
  const until = threadMs() + ms
  while (threadMs() < until);
}
