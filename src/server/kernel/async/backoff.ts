export type Backoff = {
  /** Delay before the first retry. */
  baseMs: number
  /** Maximum delay, before jitter. */
  maxMs: number
}

/** Returns the delay before the next attempt: `baseMs`, doubled for each earlier retry, with jitter. */
export const computeBackoffMs = (retries: number, { baseMs, maxMs }: Backoff): number =>
  withJitter(Math.min(maxMs, baseMs * 2 ** Math.min(retries, 40)))

/** Returns the time of the next attempt, `computeBackoffMs` from now. */
export const nextAttemptAt = (now: Date, retries: number, backoff: Backoff): Date =>
  new Date(now.getTime() + computeBackoffMs(retries, backoff))

/**
 * Varies a delay randomly by up to `fraction` in either direction, so that jobs that failed together are not retried
 * together.
 */
export const withJitter = (ms: number, fraction = 0.25): number =>
  ms * (1 + fraction * (2 * Math.random() - 1))
