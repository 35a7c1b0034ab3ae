import { setImmediate as nextTurn } from 'node:timers/promises'

const LONGEST_TURN_MS = 10

/**
 * Returns a function for long loops to await between two pieces of work. It lets other requests have their turn of the
 * event loop once this one has used it for 10 ms.
 */
export function yieldNowAndThen(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < LONGEST_TURN_MS) return
    await nextTurn()
    since = performance.now()
  }
}
