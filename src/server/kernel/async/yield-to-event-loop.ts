import { setImmediate as nextTurn } from 'node:timers/promises'

const MAX_BLOCKED_MS = 10

/**
 * Returns a function that a long loop awaits on each iteration. It yields to the event loop once the loop has run for
 * 10 ms, so that other requests are served in the meantime. Until then, it only reads the clock.
 */
export function createYielder(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BLOCKED_MS) return
    await nextTurn()
    since = performance.now()
  }
}
