import type { FastifyReply } from 'fastify'
import { AppError } from './errors.ts'

export const WINDOW_SECONDS = 60

/** How full one bucket is after a request was counted in it. */
export type Bucket = { name: string; limit: number; remaining: number; resetSeconds: number }

/** The buckets that counted a request; `isOver` when one of them was full already. */
export type RateLimitCount = { buckets: Bucket[]; isOver: boolean }

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('TooManyRequests', 'Rate limit exceeded. Please retry after 60 seconds.', {
    retryAfterSeconds,
  })

/** Until the full ones among them are empty again. */
export const getRetryAfterSeconds = ({ buckets }: RateLimitCount): number =>
  Math.max(...buckets.filter(({ remaining }) => remaining === 0).map(({ resetSeconds }) => resetSeconds))

const told = new WeakMap<FastifyReply, Bucket[]>()

/**
 * The answer tells which buckets counted its request, beside those that it tells already; of two with one name, as those
 * of an address and of a user who signs in, the one nearer to empty. Throws TooManyRequests when one was full.
 */
export function reportBuckets(reply: FastifyReply, counted: RateLimitCount): void {
  const all = Map.groupBy([...(told.get(reply) ?? []), ...counted.buckets], ({ name }) => name)
  const buckets = Array.from(all.values(), tightestOf)
  told.set(reply, buckets)
  if (buckets.length > 0) reply.headers(rateLimitHeaders(buckets))
  if (counted.isOver) throw tooManyRequests(getRetryAfterSeconds(counted))
}

const tightestOf = (buckets: Bucket[]): Bucket =>
  buckets.reduce((least, bucket) => (bucket.remaining < least.remaining ? bucket : least))

/** The headers of the IETF draft for every bucket, and the older ones for the bucket nearest to empty. */
function rateLimitHeaders(buckets: Bucket[]): Record<string, string | number> {
  const tightest = tightestOf(buckets)
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
