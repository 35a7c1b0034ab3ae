/**
 * Resolves to true when the work is done, or to false after `ms`; the work itself continues. Rejects when the work
 * rejects.
 */
export async function withTimeout(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: timedOut, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), timedOut])
  } finally {
    clearTimeout(timer)
  }
}
