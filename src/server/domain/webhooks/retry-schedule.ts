import { withJitter } from '../../kernel/async/backoff.ts'
import type { PostResult } from './post-webhook.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** Delays after each failed attempt: ten attempts over about 76 hours, as Standard Webhooks recommends. */
const retryDelaysMs = [
  5 * SECOND_MS,
  300 * SECOND_MS,
  0.5 * HOUR_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/**
 * Returns when to retry after a failed attempt that followed `attempts` others, no earlier than the response's
 * `Retry-After`; undefined after the last attempt.
 */
export function getNextAttempt(attempts: number, at: Date, posted: PostResult): Date | undefined {
  const delayMs = retryDelaysMs[attempts]
  if (delayMs === undefined) return undefined
  const requestedMs = posted.status === undefined ? 0 : posted.retryAfterMs
  return new Date(at.getTime() + Math.max(withJitter(delayMs, 0.1), requestedMs))
}
