import { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { RateLimitName } from '../../contract/operation.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

const WINDOW_SECONDS = 60
/** However low the other limits are set. */
const LEAST_OPT_OUTS_PER_MINUTE = 100
const FAILED_SIGN_INS_PER_MINUTE = 60
const UNSUBSCRIBES_PER_MINUTE = 60
const INBOUND_PER_MINUTE = 600
/** Of one assistant and address: a few for each of the many calls a provider may have under way. */
const VOICE_CALLBACKS_PER_MINUTE = 3_000
const MCP_CALLS_PER_MINUTE = 120
const SESSION_PER_MINUTE = 600
/** Of one address, whoever tries; and for one user's address, from wherever. */
const SIGN_INS_PER_MINUTE = 20
/** Generous, because assistants come from the few addresses of their makers. */
const STRANGERS_PER_MINUTE = 300

/** How full one bucket is after a request was counted in it. */
export type Bucket = { name: string; limit: number; remaining: number; resetSeconds: number }

export type RateLimits = AsyncDisposable & {
  /** Counts a request of the account in its buckets and tells how full they are; `isOver` when one was full already. */
  count: (
    accountId: string,
    rateLimit: RateLimitName | undefined,
  ) => Promise<{ buckets: Bucket[]; isOver: boolean }>
  /** The same for a request made with a session, in a bucket of its user alone. */
  countSession: (userId: string) => Promise<{ buckets: Bucket[]; isOver: boolean }>
  /** Counts an attempt to sign in, or to ask for a link by mail; throws TooManyRequests when there were too many. */
  countSignIn: (key: string) => Promise<void>
  /** Counts a failed authentication of an address; throws TooManyRequests when it has too many. */
  countFailure: (address: string) => Promise<void>
  /** Counts a request of one unsubscribe link, or of an address that guesses links; throws likewise. */
  countUnsubscribe: (key: string) => Promise<void>
  /** Counts a mail that is pushed for one mailbox, or an address that guesses keys; throws likewise. */
  countInbound: (key: string) => Promise<void>
  /** Counts a callback of a voice provider; throws likewise. */
  countVoiceCallback: (key: string) => Promise<void>
  /** Counts what an address has stored or fetched before anybody knows who it is; throws likewise. */
  countStranger: (address: string) => Promise<void>
  /** Counts a call over MCP; gives the seconds to wait when there were too many, else undefined. */
  countMcpCall: (key: string) => Promise<number | undefined>
}

/**
 * Fixed windows of a minute: in this process when alone, in Redis when several share them. While Redis is away each
 * process counts for itself, because refusing everybody would be worse than counting a little too generously.
 */
export function openRateLimits(config: Config, log: Log): RateLimits {
  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : undefined
  const limiter = (
    name: string,
    limit: number,
  ): { name: string; limit: number; store: RateLimiterAbstract } => {
    const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix: `overture:${name}` }
    const memory = new RateLimiterMemory(options)
    const store = redis
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis,
          insuranceLimiter: memory,
          rejectIfRedisNotReady: true,
        })
      : memory
    return { name, limit, store }
  }
  const general = limiter('general', config.rateLimitPerMinute || 1)
  const optOuts = limiter('opt-outs', Math.max(LEAST_OPT_OUTS_PER_MINUTE, config.rateLimitPerMinute))
  const addProspects = limiter('add-prospects', config.writeLimitPerMinute)
  const createDraft = limiter('create-draft', config.writeLimitPerMinute)
  // Opt-outs have a bucket of their own alone, so that other traffic can never hold one up.
  const bucketsOf = {
    optOuts: [optOuts],
    addProspects: [general, addProspects],
    createDraft: [general, createDraft],
  }
  const generalOnly = [general]
  const failures = limiter('failed-authentication', FAILED_SIGN_INS_PER_MINUTE)
  const unsubscribes = limiter('unsubscribe', UNSUBSCRIBES_PER_MINUTE)
  const inbound = limiter('inbound', INBOUND_PER_MINUTE)
  const voiceCallbacks = limiter('voice-callbacks', VOICE_CALLBACKS_PER_MINUTE)
  const mcpCalls = limiter('mcp', MCP_CALLS_PER_MINUTE)
  const sessions = [limiter('session', SESSION_PER_MINUTE)]
  const signIns = limiter('sign-in', SIGN_INS_PER_MINUTE)
  const strangers = limiter('strangers', STRANGERS_PER_MINUTE)
  const isOff = config.rateLimitPerMinute === 0

  const countOne = async ({ store }: { store: RateLimiterAbstract }, key: string): Promise<void> => {
    if (isOff) return
    const { result, isRefused } = await consume(store, key)
    if (isRefused) throw tooManyRequests(Math.ceil(result.msBeforeNext / 1000))
  }

  const countAll = async (limiters: ReturnType<typeof limiter>[], key: string) => {
    const buckets: Bucket[] = []
    let isOver = false
    for (const { name, limit, store } of isOff ? [] : limiters) {
      const { result, isRefused } = await consume(store, key)
      const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000))
      buckets.push({ name, limit, remaining: Math.max(0, result.remainingPoints), resetSeconds })
      isOver ||= isRefused
    }
    return { buckets, isOver }
  }

  return {
    count: (accountId, rateLimit) => countAll(rateLimit ? bucketsOf[rateLimit] : generalOnly, accountId),
    countSession: userId => countAll(sessions, userId),
    countSignIn: key => countOne(signIns, key),
    countFailure: address => countOne(failures, address),
    countUnsubscribe: key => countOne(unsubscribes, key),
    countInbound: key => countOne(inbound, key),
    countVoiceCallback: key => countOne(voiceCallbacks, key),
    countStranger: address => countOne(strangers, address),
    countMcpCall: async key => {
      if (isOff) return undefined
      const { result, isRefused } = await consume(mcpCalls.store, key)
      return isRefused ? Math.max(1, Math.ceil(result.msBeforeNext / 1000)) : undefined
    },
    [Symbol.asyncDispose]: async () => redis?.disconnect(),
  }
}

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('TooManyRequests', 'Rate limit exceeded. Please retry after 60 seconds.', {
    retryAfterSeconds,
  })

/** The library tells a full bucket by rejecting with its result; anything else it rejects with is a fault. */
async function consume(
  store: RateLimiterAbstract,
  key: string,
): Promise<{ result: RateLimiterRes; isRefused: boolean }> {
  try {
    return { result: await store.consume(key), isRefused: false }
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { result: refusal, isRefused: true }
    throw refusal
  }
}

function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, { connectTimeout: 5_000, commandTimeout: 1_000, maxRetriesPerRequest: 1 })
  redis.on('error', error =>
    log.warn({ err: error }, 'rate limits: Redis is away, this process counts for itself'),
  )
  return redis
}

/** The headers of the IETF draft for every bucket, and the older ones for the bucket nearest to empty. */
export function rateLimitHeaders(buckets: Bucket[]): Record<string, string | number> {
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
