/** Runs work as it comes, so many pieces at a time; what is over waits for its turn. */
export function atMost(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = places
  const waiting: (() => void)[] = []
  return async work => {
    if (free === 0) await new Promise<void>(resolve => waiting.push(resolve))
    else free -= 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
