import { setTimeout as sleep } from 'node:timers/promises'

/** False when the work was not done by then; it goes on, and nobody waits for it. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(ms, false, { signal: over.signal }).catch(() => false),
    ])
  } finally {
    over.abort()
  }
}
