import type { FastifyReply } from 'fastify'
import { AppError } from './errors.ts'

export const WINDOW_SECONDS = 60

/** The state of a rate limit bucket after counting a request. */
export type Bucket = { name: string; limit: number; remaining: number; resetSeconds: number }

/** The buckets that counted a request; `isOver` is true when one of them was already exhausted. */
export type RateLimitCount = { buckets: Bucket[]; isOver: boolean }

/**
 * Returns the error for an exceeded limit. The specification prescribes the text, whose 60 seconds are the length of
 * the window.
 */
export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('TooManyRequests', 'Rate limit exceeded. Please retry after 60 seconds.', {
    retryAfterSeconds,
  })

/** Returns the seconds until all exhausted buckets reset. */
export const getRetryAfterSeconds = ({ buckets }: RateLimitCount): number =>
  Math.max(...buckets.filter(({ remaining }) => remaining === 0).map(({ resetSeconds }) => resetSeconds))

const reported = new WeakMap<FastifyReply, Bucket[]>()

/**
 * Adds the buckets to the response headers. When two share a name, as for the address and the user of a sign-in,
 * reports the one with fewer requests remaining. Throws TooManyRequests when one was exhausted.
 */
export function reportBuckets(reply: FastifyReply, counted: RateLimitCount): void {
  const earlier = reported.get(reply)
  const buckets = earlier ? mergeBuckets([...earlier, ...counted.buckets]) : counted.buckets
  reported.set(reply, buckets)
  if (buckets.length > 0) reply.headers(rateLimitHeaders(buckets))
  if (counted.isOver) throw tooManyRequests(getRetryAfterSeconds(counted))
}

const mergeBuckets = (buckets: Bucket[]): Bucket[] =>
  Array.from(Map.groupBy(buckets, ({ name }) => name).values(), findTightest)

const findTightest = (buckets: Bucket[]): Bucket =>
  buckets.reduce((least, bucket) => (bucket.remaining < least.remaining ? bucket : least))

/** Returns the headers of the IETF draft for all buckets, and the older ones for the tightest bucket. */
function rateLimitHeaders(buckets: Bucket[]): Record<string, string | number> {
  const tightest = findTightest(buckets)
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
