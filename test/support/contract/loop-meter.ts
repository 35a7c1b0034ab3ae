/** A longer interval would add earlier and later turns to the measured turn. */
const INTERVAL_MS = 1

/**
 * A meter of this process's event-loop turns, in CPU time of the main thread. Unlike elapsed time, CPU time doesn't
 * depend on other load, and other threads don't block the loop.
 */
export type LoopMeter = Disposable & {
  /** Returns the CPU milliseconds of the longest turn since the last call, including the current turn. */
  takeLongestMs: () => number
}

export function openLoopMeter(): LoopMeter {
  let last = threadMs()
  let longest = 0
  const measure = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  // A due timer runs once in every turn of the loop.
  const timer = setInterval(measure, INTERVAL_MS).unref()
  return {
    takeLongestMs: () => {
      measure()
      const taken = longest
      longest = 0
      return taken
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Returns the CPU milliseconds of this thread, user and kernel. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU milliseconds of the fixed work below on an idle machine of the kind for which the limits were set. */
const IDLE_WORK_MS = 55
const fixedText = JSON.stringify('"a\\é'.repeat(250_000))

/**
 * Returns how many times longer than usual a fixed amount of work takes now, at least 1. On a busy machine, the same
 * work takes more CPU time, because caches and cores are shared.
 */
export function measureSlowness(): number {
  const before = threadMs()
  for (let round = 0; round < 4; round++) JSON.parse(fixedText).replace(/"a/g, 'b')
  return Math.max(1, (threadMs() - before) / IDLE_WORK_MS)
}

/** Blocks the loop for this much CPU time. */
export function burn(ms: number): void {
  const until = threadMs() + ms
  while (threadMs() < until);
}
