const MAX_BLOCKED_MS = 20

/** Returns a function that a long loop awaits on each iteration, so that the page stays responsive. */
export function createYielder(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BLOCKED_MS) return
    await new Promise(resolve => setTimeout(resolve))
    since = performance.now()
  }
}
