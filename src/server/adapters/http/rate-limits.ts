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

/** However low the other limits are set. */
const LEAST_OPT_OUTS_PER_MINUTE = 100
const FAILED_SIGN_INS_PER_MINUTE = 60
const UNSUBSCRIBES_PER_MINUTE = 60
const INBOUND_PER_MINUTE = 600
/** Of one assistant and address: a few for each of the many calls a provider may have under way. */
const VOICE_CALLBACKS_PER_MINUTE = 3_000
const MCP_PER_MINUTE = 120
const SESSION_PER_MINUTE = 600
/** Of one address, whoever tries. */
const SIGN_INS_PER_MINUTE = 20
/** Wrong passwords for one user from one address; and from everywhere, or from one browser the user signed in with. */
const GUESSES_FROM_ADDRESS = 10
const GUESSES_AT_USER = 50
const GUESS_WINDOW_SECONDS = 15 * 60
/** As many wrong codes of an app, which has three right ones in a million: guessing opens one account in twenty a year. */
const CODE_WINDOW_SECONDS = 24 * 60 * 60
/** Mails with a link for one user, within the hour that a link works. */
const RESET_MAILS_PER_HOUR = 5
/** Generous, because assistants come from the few addresses of their makers. */
const STRANGERS_PER_MINUTE = 300
/** Clients that one address registers, and all addresses together. */
const REGISTRATIONS_PER_MINUTE = 20
const ALL_REGISTRATIONS_PER_MINUTE = 600
/** Of one user: an authorization that is allowed takes three, for its request, its consent and its return. */
const AUTHORIZATION_STEPS_PER_MINUTE = 20

export type RateLimits = AsyncDisposable & {
  /** Counts a request of the account in its buckets, or as many as came at once. */
  count: (
    accountId: string,
    rateLimit: RateLimitName | undefined,
    requests?: number,
  ) => Promise<RateLimitCount>
  /** The same for a request made with a session, in a bucket of its user alone. */
  countSession: (userId: string) => Promise<RateLimitCount>
  /** The same for what comes over MCP, in a bucket of its user and account. */
  countMcp: (key: string, requests: number) => Promise<RateLimitCount>
  /** Counts a request of an address to sign in, or for what leads there. */
  countSignIn: (address: string) => Promise<RateLimitCount>
  /** Counts a browser that comes back from an identity provider to its address; in a bucket of its own. */
  countSingleSignOn: (address: string) => Promise<RateLimitCount>
  /**
   * Counts a guess at a user's password before it is checked, so that guesses made at once are bounded too; throws
   * TooManyRequests. Call the returned function when the guess was right: only wrong ones keep counting.
   */
  countGuess: (guess: Guess) => Promise<() => Promise<void>>
  /** The same for a code of the user's authenticator app; also where the limits are switched off. */
  countCode: (guess: Guess) => Promise<() => Promise<void>>
  /**
   * Counts a mail with a link for a new password; undefined when the user has got enough links that still work. Call the
   * returned function when the mail could not be sent.
   */
  countResetMail: (user: string) => Promise<(() => Promise<void>) | undefined>
  /** Counts a failed authentication of an address. */
  countFailure: (address: string) => Promise<RateLimitCount>
  /** Counts a request of one unsubscribe link, or of an address that guesses links; throws TooManyRequests. */
  countUnsubscribe: (key: string) => Promise<void>
  /** Counts a mail that is pushed for one mailbox, or an address that guesses keys; throws likewise. */
  countInbound: (key: string) => Promise<void>
  /** Counts a callback of a voice provider; throws likewise. */
  countVoiceCallback: (key: string) => Promise<void>
  /** Counts what an address has stored or fetched before anybody knows who it is; throws likewise. */
  countStranger: (address: string) => Promise<void>
  /** Counts an OAuth client that an address registers; throws likewise. */
  countRegistration: (address: string) => Promise<void>
  /** Counts a step of a user's OAuth authorization; throws likewise. */
  countAuthorization: (userId: string) => Promise<void>
}

/** `device` is a browser that the user signed in with before: nobody else, at the same address either, uses up its guesses. */
export type Guess = { user: string; address: string; device?: string | undefined }

/**
 * Fixed windows, of a minute unless named: in this process when alone, in Redis when several share them. While Redis is
 * away each process counts for itself, because refusing everybody would be worse than counting a little too generously.
 * An IPv6 address counts as its network.
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
  const failures = [limiter('failed-authentication', FAILED_SIGN_INS_PER_MINUTE)]
  const unsubscribes = limiter('unsubscribe', UNSUBSCRIBES_PER_MINUTE)
  const inbound = limiter('inbound', INBOUND_PER_MINUTE)
  const voiceCallbacks = limiter('voice-callbacks', VOICE_CALLBACKS_PER_MINUTE)
  const mcp = [limiter('mcp', MCP_PER_MINUTE)]
  const sessions = [limiter('session', SESSION_PER_MINUTE)]
  const signIns = [limiter('sign-in', SIGN_INS_PER_MINUTE)]
  const singleSignOns = [limiter('single-sign-on', SIGN_INS_PER_MINUTE)]
  const guesses = {
    fromAddress: limiter('guesses-from-address', GUESSES_FROM_ADDRESS, GUESS_WINDOW_SECONDS).store,
    atUser: limiter('guesses-at-user', GUESSES_AT_USER, GUESS_WINDOW_SECONDS).store,
  }
  const codes = {
    fromAddress: limiter('codes-from-address', GUESSES_FROM_ADDRESS, CODE_WINDOW_SECONDS).store,
    atUser: limiter('codes-at-user', GUESSES_AT_USER, CODE_WINDOW_SECONDS).store,
  }
  const resetMails = limiter('reset-mails', RESET_MAILS_PER_HOUR, 60 * 60)
  const strangers = limiter('strangers', STRANGERS_PER_MINUTE)
  const registrations = limiter('registrations', REGISTRATIONS_PER_MINUTE)
  const allRegistrations = limiter('all-registrations', ALL_REGISTRATIONS_PER_MINUTE)
  const authorizations = limiter('authorizations', AUTHORIZATION_STEPS_PER_MINUTE)
  const isOff = config.rateLimitPerMinute === 0

  const countOne = async ({ store }: { store: RateLimiterAbstract }, key: string): Promise<void> => {
    if (isOff) return
    const { result, isRefused } = await consume(store, key)
    if (isRefused) throw tooManyRequests(Math.ceil(result.msBeforeNext / 1000))
  }

  const countAll = async (limiters: ReturnType<typeof limiter>[], key: string, requests = 1) => {
    const buckets: Bucket[] = []
    let isOver = false
    for (const { name, limit, store } of isOff ? [] : limiters) {
      const { result, isRefused } = await consume(store, key, requests)
      const resetSeconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000))
      buckets.push({ name, limit, remaining: Math.max(0, result.remainingPoints), resetSeconds })
      isOver ||= isRefused
    }
    return { buckets, isOver }
  }

  const countWrong = async (
    { fromAddress, atUser }: typeof guesses,
    { user, address, device }: Guess,
    refuse: (retryAfterSeconds: number) => AppError,
  ) => {
    const counted: [RateLimiterAbstract, string][] = device
      ? [[atUser, `device ${device}`]]
      : [
          [fromAddress, `${toNetwork(address)} ${user}`],
          [atUser, `user ${user}`],
        ]
    // One after the other: an address that is refused uses up nothing of the user's.
    for (const [store, key] of counted) {
      const { result, isRefused } = await consume(store, key)
      if (isRefused) throw refuse(Math.ceil(result.msBeforeNext / 1000))
    }
    return async () => {
      await Promise.all(counted.map(([store, key]) => store.reward(key)))
    }
  }

  return {
    count: (accountId, rateLimit, requests) =>
      countAll(rateLimit ? bucketsOf[rateLimit] : generalOnly, accountId, requests),
    countSession: userId => countAll(sessions, userId),
    countMcp: (key, requests) => countAll(mcp, key, requests),
    countSignIn: address => countAll(signIns, toNetwork(address)),
    countSingleSignOn: address => countAll(singleSignOns, toNetwork(address)),
    countGuess: async guess => (isOff ? async () => {} : countWrong(guesses, guess, tooManyGuesses)),
    countCode: guess => countWrong(codes, guess, tooManyCodes),
    countResetMail: async user => {
      if (isOff) return async () => {}
      if ((await consume(resetMails.store, user)).isRefused) return undefined
      return async () => void (await resetMails.store.reward(user))
    },
    countFailure: address => countAll(failures, toNetwork(address)),
    countUnsubscribe: key => countOne(unsubscribes, key),
    countInbound: key => countOne(inbound, key),
    countVoiceCallback: key => countOne(voiceCallbacks, key),
    countStranger: address => countOne(strangers, toNetwork(address)),
    countRegistration: async address => {
      await countOne(registrations, toNetwork(address))
      await countOne(allRegistrations, 'all')
    },
    countAuthorization: userId => countOne(authorizations, userId),
    [Symbol.asyncDispose]: async () => redis?.disconnect(),
  }
}

const tooManyGuesses = (retryAfterSeconds: number): AppError =>
  new AppError(
    'TooManyRequests',
    `Too many failed sign-ins. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes, use a browser that you signed in with before, or a passkey.`,
    { retryAfterSeconds },
  )

const tooManyCodes = (retryAfterSeconds: number): AppError =>
  new AppError(
    'TooManyRequests',
    'Too many wrong codes today. Use a recovery code, a browser that you signed in with before, or a passkey.',
    { retryAfterSeconds },
  )

/** The library tells a full bucket by rejecting with its result; anything else it rejects with is a fault. */
async function consume(
  store: RateLimiterAbstract,
  key: string,
  requests = 1,
): Promise<{ result: RateLimiterRes; isRefused: boolean }> {
  try {
    return { result: await store.consume(key, requests), isRefused: false }
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
