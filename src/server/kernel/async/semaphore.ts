/** Returns a function that runs jobs in the order of its calls, at most `permits` at a time. */
export function createSemaphore(permits: number): <T>(work: () => Promise<T>) => Promise<T> {
  let available = permits
  const waiting: (() => void)[] = []
  return async work => {
    if (available === 0) await new Promise<void>(resolve => waiting.push(resolve))
    else available -= 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else available += 1
    }
  }
}
