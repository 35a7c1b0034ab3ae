import type { Context } from './context.ts'

/**
 * Adds `inFlight` to the response of an operation that forbids sending. `count` runs after the commit. Workers commit
 * their intent to send before they check whether sending is forbidden, so a worker either sees the change or is
 * counted.
 */
export function withInFlight<T extends object>(
  { afterCommit }: Pick<Context, 'afterCommit'>,
  response: T,
  count: () => Promise<number>,
): T & { inFlight: number } {
  afterCommit(async () => ({ ...response, inFlight: await count() }))
  return { ...response, inFlight: 0 }
}
