import type { Context } from './context.ts'

/**
 * Adds `inFlight` to the answer to a change that forbids sending. `count` runs once the change is committed: workers
 * commit their intent to send before they read what forbids it, so one of the two always sees the other.
 */
export function withInFlight<T extends object>(
  { afterCommit }: Pick<Context, 'afterCommit'>,
  answer: T,
  count: () => Promise<number>,
): T & { inFlight: number } {
  afterCommit(async () => ({ ...answer, inFlight: await count() }))
  return { ...answer, inFlight: 0 }
}
