/** False when the work was not done by then; it goes on, and nobody waits for it. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: isOver, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), isOver])
  } finally {
    clearTimeout(timer)
  }
}
