import type { FastifyReply } from 'fastify'
import { AppError } from './errors.ts'

export const WINDOW_SECONDS = 60

/** How full one bucket is after a request was counted in it. */
export type Bucket = { name: string; limit: number; remaining: number; resetSeconds: number }

/** The buckets that counted a request; `isOver` when one of them was full already. */
export type Counted = { buckets: Bucket[]; isOver: boolean }

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('TooManyRequests', 'Rate limit exceeded. Please retry after 60 seconds.', {
    retryAfterSeconds,
  })

/** Until the full ones among them are empty again. */
export const secondsToWait = ({ buckets }: Counted): number =>
  Math.max(...buckets.filter(({ remaining }) => remaining === 0).map(({ resetSeconds }) => resetSeconds))

/** The answer tells which buckets counted its request; throws TooManyRequests when one was full. */
export function tellBuckets(reply: FastifyReply, counted: Counted): void {
  reply.headers(rateLimitHeaders(counted.buckets))
  if (counted.isOver) throw tooManyRequests(secondsToWait(counted))
}

/** The headers of the IETF draft for every bucket, and the older ones for the bucket nearest to empty. */
function rateLimitHeaders(buckets: Bucket[]): Record<string, string | number> {
  const tightest = buckets.toSorted((a, b) => a.remaining - b.remaining)[0]
  if (!tightest) return {}
  return {
    'ratelimit-policy': buckets
      .map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`)
      .join(', '),
    ratelimit: buckets
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
    'ratelimit-limit': tightest.limit,
    'ratelimit-remaining': tightest.remaining,
    'ratelimit-reset': tightest.resetSeconds,
  }
}
