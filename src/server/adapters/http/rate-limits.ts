import { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { RateLimitName } from '../../../contract/operation.ts'
import type { Config } from '../../kernel/config.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/log.ts'
import {
  type Bucket,
  type RateLimitCount,
  tooManyRequests,
  WINDOW_SECONDS,
} from '../../kernel/rate-limit-buckets.ts'
import { toNetwork } from './to-network.ts'

/** Minimum for opt-outs, even when the other limits are set lower. */
const MIN_OPT_OUTS_PER_MINUTE = 100
const FAILED_SIGN_INS_PER_MINUTE = 60
const UNSUBSCRIBES_PER_MINUTE = 60
const INBOUND_PER_MINUTE = 600
/** Per assistant and address. A provider sends several callbacks for each of its concurrent calls. */
const VOICE_CALLBACKS_PER_MINUTE = 3_000
const MCP_PER_MINUTE = 120
const SESSION_PER_MINUTE = 600
/** Per address, for all users together. */
const SIGN_INS_PER_MINUTE = 20
/** Wrong passwords or codes for one user from one address. */
const GUESSES_PER_ADDRESS = 10
/** Wrong passwords or codes for one user from all unknown browsers together; each known browser has its own count. */
const GUESSES_PER_USER = 50
const PASSWORD_WINDOW_SECONDS = 15 * 60
/** Three in a million codes are valid at a time. Within a year, 50 guesses a day succeed for one account in twenty. */
const CODE_WINDOW_SECONDS = 24 * 60 * 60
/** Password reset emails per user. Their links are valid for an hour. */
const RESET_EMAILS_PER_HOUR = 5
/** High, because AI assistants connect from a few addresses of their vendors. */
const ANONYMOUS_REQUESTS_PER_MINUTE = 300
/** Client registrations per address, and from all addresses together. */
const REGISTRATIONS_PER_MINUTE = 20
const ALL_REGISTRATIONS_PER_MINUTE = 600
/** Per user. A granted authorization takes three steps: request, consent, return. */
const AUTHORIZATION_STEPS_PER_MINUTE = 20

export type RateLimits = AsyncDisposable & {
  /** Counts requests of an account in the buckets of `rateLimit`; one request by default. */
  count: (
    accountId: string,
    rateLimit: RateLimitName | undefined,
    requests?: number,
  ) => Promise<RateLimitCount>
  /** Counts a request made with a session, per user; opt-outs in their own bucket. */
  countSession: (userId: string, rateLimit: RateLimitName | undefined) => Promise<RateLimitCount>
  /** Counts MCP requests, per user and account. */
  countMcp: (key: string, requests: number) => Promise<RateLimitCount>
  /** Counts a sign-in request, including its preparatory steps, per address. */
  countSignIn: (address: string) => Promise<RateLimitCount>
  /** Counts a single sign-on callback per address, separately from other sign-in requests. */
  countSingleSignOn: (address: string) => Promise<RateLimitCount>
  /**
   * Counts a password attempt. Call it before the check, so that concurrent attempts are limited too. If the password
   * is correct, call the returned function, because only wrong passwords count. Throws TooManyRequests.
   */
  countGuess: (guess: Guess) => Promise<() => Promise<void>>
  /** Counts an authenticator app code like `countGuess`, even when rate limits are disabled. */
  countCode: (guess: Guess) => Promise<() => Promise<void>>
  /**
   * Counts a password reset email. Call the returned function if sending fails. Returns undefined over the limit: the
   * user then has enough valid links.
   */
  countResetEmail: (user: string) => Promise<(() => Promise<void>) | undefined>
  /** Counts a failed authentication per address. */
  countFailure: (address: string) => Promise<RateLimitCount>
  /** Counts a request per valid unsubscribe link, or per address for invalid links. Throws TooManyRequests. */
  countUnsubscribe: (key: string) => Promise<void>
  /** Counts an event pushed by a provider per mailbox or LinkedIn account, or per address. Throws TooManyRequests. */
  countInbound: (key: string) => Promise<void>
  /** Counts a callback of a voice provider. Throws TooManyRequests. */
  countVoiceCallback: (key: string) => Promise<void>
  /** Counts an unauthenticated request per address. Throws TooManyRequests. */
  countAnonymous: (address: string) => Promise<void>
  /** Counts the registration of an OAuth client per address and in total. Throws TooManyRequests. */
  countRegistration: (address: string) => Promise<void>
  /** Counts a step of an OAuth authorization per user. Throws TooManyRequests. */
  countAuthorization: (userId: string) => Promise<void>
}

/** `device` identifies a browser the user signed in with before. It has its own count, which others cannot use up. */
export type Guess = { user: string; address: string; device?: string | undefined }

/**
 * Opens the rate limits, which use fixed windows of a minute, except for guesses and reset emails. Processes share
 * counts in Redis, if configured. While Redis is unavailable, each process counts on its own: a limit that is too high
 * is better than refusing everyone. IPv6 addresses are counted by network.
 */
export function openRateLimits(config: Config, log: Log): RateLimits {
  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : undefined
  const limiter = (
    name: string,
    limit: number,
    windowSeconds = WINDOW_SECONDS,
  ): { name: string; limit: number; store: RateLimiterAbstract } => {
    const options = { points: limit, duration: windowSeconds, keyPrefix: `overture:${name}` }
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
  const optOuts = limiter('opt-outs', Math.max(MIN_OPT_OUTS_PER_MINUTE, config.rateLimitPerMinute))
  const addProspects = limiter('add-prospects', config.writeLimitPerMinute)
  const createDraft = limiter('create-draft', config.writeLimitPerMinute)
  // Opt-outs count only in their own bucket, so that other traffic never delays them.
  const limitersByName = {
    optOuts: [optOuts],
    addProspects: [general, addProspects],
    createDraft: [general, createDraft],
  }
  const generalOnly = [general]
  const failures = [limiter('failed-authentication', FAILED_SIGN_INS_PER_MINUTE)]
  const unsubscribes = limiter('unsubscribe', UNSUBSCRIBES_PER_MINUTE)
  const inbound = limiter('inbound', INBOUND_PER_MINUTE)
  const voiceCallbacks = limiter('voice-callbacks', VOICE_CALLBACKS_PER_MINUTE)
  const mcp = [limiter('mcp', MCP_PER_MINUTE)]
  const sessions = [limiter('session', SESSION_PER_MINUTE)]
  const signIns = [limiter('sign-in', SIGN_INS_PER_MINUTE)]
  const singleSignOns = [limiter('single-sign-on', SIGN_INS_PER_MINUTE)]
  const passwordGuesses = {
    perAddress: limiter('guesses-from-address', GUESSES_PER_ADDRESS, PASSWORD_WINDOW_SECONDS).store,
    perUser: limiter('guesses-at-user', GUESSES_PER_USER, PASSWORD_WINDOW_SECONDS).store,
  }
  const codeGuesses = {
    perAddress: limiter('codes-from-address', GUESSES_PER_ADDRESS, CODE_WINDOW_SECONDS).store,
    perUser: limiter('codes-at-user', GUESSES_PER_USER, CODE_WINDOW_SECONDS).store,
  }
  const resetEmails = limiter('reset-emails', RESET_EMAILS_PER_HOUR, 60 * 60)
  const anonymous = limiter('anonymous', ANONYMOUS_REQUESTS_PER_MINUTE)
  const registrations = limiter('registrations', REGISTRATIONS_PER_MINUTE)
  const allRegistrations = limiter('all-registrations', ALL_REGISTRATIONS_PER_MINUTE)
  const authorizations = limiter('authorizations', AUTHORIZATION_STEPS_PER_MINUTE)
  const isDisabled = config.rateLimitPerMinute === 0

  const countOne = async ({ store }: { store: RateLimiterAbstract }, key: string): Promise<void> => {
    if (isDisabled) return
    const { result, isRefused } = await consume(store, key)
    if (isRefused) throw tooManyRequests(Math.ceil(result.msBeforeNext / 1000))
  }

  const countAll = async (limiters: ReturnType<typeof limiter>[], key: string, requests = 1) => {
    const buckets: Bucket[] = []
    let isOver = false
    for (const { name, limit, store } of isDisabled ? [] : limiters) {
      const { result, isRefused } = await consume(store, key, requests)
      const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000))
      buckets.push({ name, limit, remaining: Math.max(0, result.remainingPoints), resetSeconds })
      isOver ||= isRefused
    }
    return { buckets, isOver }
  }

  const countAttempt = async (
    { perAddress, perUser }: typeof passwordGuesses,
    { user, address, device }: Guess,
    toError: (retryAfterSeconds: number) => AppError,
  ) => {
    const counted: [RateLimiterAbstract, string][] = device
      ? [[perUser, `device ${device}`]]
      : [
          [perAddress, `${toNetwork(address)} ${user}`],
          [perUser, `user ${user}`],
        ]
    // Counted one after the other, because attempts from a blocked address must not use up the user's limit.
    for (const [store, key] of counted) {
      const { result, isRefused } = await consume(store, key)
      if (isRefused) throw toError(Math.ceil(result.msBeforeNext / 1000))
    }
    return async () => {
      await Promise.all(counted.map(([store, key]) => store.reward(key)))
    }
  }

  return {
    count: (accountId, rateLimit, requests) =>
      countAll(rateLimit ? limitersByName[rateLimit] : generalOnly, accountId, requests),
    countSession: (userId, rateLimit) =>
      countAll(rateLimit === 'optOuts' ? limitersByName.optOuts : sessions, userId),
    countMcp: (key, requests) => countAll(mcp, key, requests),
    countSignIn: address => countAll(signIns, toNetwork(address)),
    countSingleSignOn: address => countAll(singleSignOns, toNetwork(address)),
    countGuess: async guess =>
      isDisabled ? async () => {} : countAttempt(passwordGuesses, guess, tooManyGuesses),
    countCode: guess => countAttempt(codeGuesses, guess, tooManyCodes),
    countResetEmail: async user => {
      if (isDisabled) return async () => {}
      if ((await consume(resetEmails.store, user)).isRefused) return undefined
      return async () => void (await resetEmails.store.reward(user))
    },
    countFailure: address => countAll(failures, toNetwork(address)),
    countUnsubscribe: key => countOne(unsubscribes, key),
    countInbound: key => countOne(inbound, key),
    countVoiceCallback: key => countOne(voiceCallbacks, key),
    countAnonymous: address => countOne(anonymous, toNetwork(address)),
    countRegistration: async address => {
      await countOne(registrations, toNetwork(address))
      await countOne(allRegistrations, 'all')
    },
    countAuthorization: userId => countOne(authorizations, userId),
    [Symbol.asyncDispose]: async () => redis?.disconnect(),
  }
}

function tooManyGuesses(retryAfterSeconds: number): AppError {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return new AppError(
    'TooManyRequests',
    `Too many failed sign-ins. Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}, or use a passkey or a browser in which you have signed in before.`,
    { retryAfterSeconds },
  )
}

const tooManyCodes = (retryAfterSeconds: number): AppError =>
  new AppError(
    'TooManyRequests',
    'Too many wrong codes in 24 hours. Use a recovery code, a passkey, or a browser in which you have signed in before.',
    { retryAfterSeconds },
  )

/** Consumes points. The library rejects with a result when the limit is exceeded, and with an error when it fails. */
async function consume(
  store: RateLimiterAbstract,
  key: string,
  requests = 1,
): Promise<{ result: RateLimiterRes; isRefused: boolean }> {
  try {
    return { result: await store.consume(key, requests), isRefused: false }
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { result: rejection, isRefused: true }
    throw rejection
  }
}

function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, { connectTimeout: 5_000, commandTimeout: 1_000, maxRetriesPerRequest: 1 })
  redis.on('error', error =>
    log.warn({ err: error }, 'rate limits: Redis is unavailable, so each process counts on its own'),
  )
  return redis
}
