import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, nextAttemptAt } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { isApplicationKind, type MailClient } from '../../protocols/mail-oauth/provider.ts'
import {
  obtainAppToken,
  refreshAccess,
  TOKEN_TIMEOUT_MS,
  type TokenResult,
} from '../../protocols/mail-oauth/request-token.ts'
import type { TokenError, TokenErrorClass } from '../../protocols/mail-oauth/token-error.ts'
import { expediteProbe } from './circuit-breaker.ts'
import { findMailClient } from './find-mail-client.ts'
import {
  claimRefresh,
  decryptGrantToken,
  findGrant,
  type GrantKey,
  renewRefresh,
  type StoredGrant,
  storeError,
  storeRefresh,
} from './mailbox-grants.ts'

/** A token is refreshed this long before it expires, so that it doesn't expire between a sign-in and the email. */
const REFRESH_MARGIN_MS = 5 * 60_000
/** Lease of a refresh: a live process renews the lease, and a killed process loses it after this time. */
export const REFRESH_LEASE_MS = 2 * TOKEN_TIMEOUT_MS
/** Interval between renewals of a lease: two in a row may fail before the lease ends. */
const RENEW_INTERVAL_MS = 6_000
/** The longest wait for another process that is refreshing the same grant. */
const WAIT_MS = REFRESH_LEASE_MS + TOKEN_TIMEOUT_MS
/** Time between polls while another process refreshes the grant; doubled each time up to the maximum. */
const [FIRST_POLL_MS, MAX_POLL_MS] = [100, 800]

const backoffs: Record<TokenErrorClass, Backoff> = {
  transient: { baseMs: 1_000, maxMs: 30_000 },
  operator: { baseMs: 60_000, maxMs: 15 * 60_000 },
  admin: { baseMs: 5 * 60_000, maxMs: 60 * 60_000 },
  user: { baseMs: 15 * 60_000, maxMs: 6 * 60 * 60_000 },
}

/** A token, or why there is none and when to try again. */
export type Access = { token: string } | { error: TokenError; retryAt: Date }

export type AccessOptions = {
  /** A token that the mail server rejected although it should be valid. */
  rejected?: string | undefined
  /** Contacts the provider even if a recent attempt failed, because a person requested it. */
  ignoresBackoff?: boolean | undefined
}

type Claim = { grant: StoredGrant; epoch: bigint; client: MailClient; refreshToken: string | undefined }

/** Calls in flight in this process: callers with the same parameters share a result. */
const inFlight = new WeakMap<App, Map<string, Promise<Access>>>()

/**
 * Returns an access token for a mailbox, refreshed if it expires soon. If several processes need one, the first claims
 * the row and contacts the provider; the others wait for the result that it stores. No transaction waits for the
 * provider.
 */
export function getAccessToken(app: App, key: GrantKey, options: AccessOptions = {}): Promise<Access> {
  const calls = inFlight.getOrInsertComputed(app, () => new Map())
  const call = JSON.stringify([key.mailboxId, options.rejected, options.ignoresBackoff])
  return calls.getOrInsertComputed(call, () =>
    obtainAccess(app, key, options).finally(() => calls.delete(call)),
  )
}

async function obtainAccess(app: App, key: GrantKey, options: AccessOptions): Promise<Access> {
  const endsAt = performance.now() + WAIT_MS
  for (let pollMs = FIRST_POLL_MS; performance.now() < endsAt; pollMs = Math.min(2 * pollMs, MAX_POLL_MS)) {
    const found = await findOrClaim(app, key, options)
    if (found === 'busy') await sleep(pollMs)
    else if (!('claim' in found)) return found
    else {
      const access = await refresh(app, found.claim, options)
      if (access) return access
    }
  }
  return { error: takesTooLong, retryAt: getRetryAt(app, takesTooLong, 0) }
}

/**
 * Returns the mailbox's token or its error, a claim on refreshing it, or `busy` while another process has the claim.
 */
async function findOrClaim(
  app: App,
  key: GrantKey,
  options: AccessOptions,
): Promise<Access | 'busy' | { claim: Claim }> {
  const { accountId, mailboxId } = key
  // Reads without a lock, because most calls find a valid token and a row lock would make each of them wait for the
  // disk.
  const grant = await inAccount(app.db.work, accountId, tx => findGrant(tx, mailboxId))
  const state = getState(app, grant, options)
  return state === 'due' ? inClaim(app, key, tx => claim(app, tx, key, options)) : state
}

/**
 * Runs a transaction of a claim on the pool `gate`. Emails that wait for the token can occupy the pool `work`, and
 * queueing behind them could outlast the lease.
 */
const inClaim = <T>(app: App, { accountId }: GrantKey, work: (tx: Sql) => Promise<T>): Promise<T> =>
  inAccount(app.db.gate, accountId, work)

/** Reads the grant again under its lock, and claims the refresh if it is still due. */
async function claim(
  app: App,
  tx: Sql,
  { mailboxId }: GrantKey,
  options: AccessOptions,
): Promise<Access | 'busy' | { claim: Claim }> {
  const grant = await findGrant(tx, mailboxId, 'update')
  const state = getState(app, grant, options)
  if (!grant || state !== 'due') return state as Exclude<typeof state, 'due'>
  const prepared = await prepareRefresh(app, tx, grant)
  if ('error' in prepared) return failNow(app, tx, grant, prepared.error)
  const epoch = await claimRefresh(tx, mailboxId, getLeaseEnd(app))
  return { claim: { grant, epoch, ...prepared } }
}

/**
 * Returns a token that can be used or why there is none, `busy` during another refresh, or `due` if a refresh is
 * needed.
 */
function getState(
  app: App,
  grant: StoredGrant | undefined,
  { rejected, ignoresBackoff }: AccessOptions,
): Access | 'busy' | 'due' {
  if (!grant) return { error: notConnected, retryAt: getRetryAt(app, notConnected, 0) }
  const now = app.now()
  const token = getValidToken(app, grant, rejected)
  if (token && grant.accessExpiresAt!.getTime() - now.getTime() > REFRESH_MARGIN_MS) return { token }
  if (grant.refreshingUntil && grant.refreshingUntil > now) return token ? { token } : 'busy'
  const error = getStoredError(grant)
  if (error && grant.retryAt && grant.retryAt > now && !ignoresBackoff)
    return token ? { token } : { error, retryAt: grant.retryAt }
  return 'due'
}

/** Requests a token and stores the result. Returns undefined when the claim was lost, so that the row is read again. */
async function refresh(app: App, claim: Claim, options: AccessOptions): Promise<Access | undefined> {
  const { grant, epoch } = claim
  const renew = () =>
    inClaim(app, grant, tx => renewRefresh(tx, { ...grant, epoch }, getLeaseEnd(app))).catch(err =>
      app.log.warn({ mailboxId: grant.mailboxId, err }, 'mailbox: renewing a claim failed; retrying'),
    )
  const renewing = setInterval(renew, RENEW_INTERVAL_MS)
  try {
    return await requestAndStore(app, claim, options)
  } finally {
    clearInterval(renewing)
  }
}

async function requestAndStore(
  app: App,
  { grant, epoch, client, refreshToken }: Claim,
  { rejected }: AccessOptions,
): Promise<Access | undefined> {
  const result: TokenResult = refreshToken
    ? await refreshAccess(client, refreshToken, app.config)
    : await obtainAppToken(client, grant.email, { config: app.config, now: app.now() })
  const claim = { ...grant, epoch }
  if ('tokens' in result) {
    const isStored = await storeResult(app, grant, async tx => {
      const { mailboxId, errorReason: reason } = grant
      if (!(await storeRefresh(app, tx, claim, result.tokens, app.now()))) return false
      if (reason) await expediteProbe(tx, { mailboxId, reason, now: app.now() })
      return true
    })
    return isStored ? { token: result.tokens.accessToken } : undefined
  }
  const { error } = result
  const retryAt = getRetryAt(app, error, grant.failureCount)
  // Only the grant that was refused is marked: if it was replaced in the meantime, the new one is used.
  if (!(await storeResult(app, grant, tx => storeError(tx, claim, error, { now: app.now(), retryAt }))))
    return undefined
  const { accountId, mailboxId } = grant
  app.log.warn({ accountId, mailboxId, error }, 'mailbox: no access token')
  const token = error.class === 'transient' ? getValidToken(app, grant, rejected) : undefined
  return token ? { token } : { error, retryAt }
}

/**
 * Stores a result, and retries while the database cannot be reached: the provider may have replaced the refresh token,
 * so the new one must not be lost. Harmless after the lease: a lost claim changes nothing.
 */
async function storeResult(app: App, key: GrantKey, store: (tx: Sql) => Promise<boolean>): Promise<boolean> {
  for (const endsAt = performance.now() + REFRESH_LEASE_MS; ; ) {
    try {
      return await inClaim(app, key, store)
    } catch (err) {
      if (!toDatabaseError(err) || performance.now() > endsAt) throw err
      app.log.warn({ mailboxId: key.mailboxId, err }, 'mailbox: an access token cannot be stored; retrying')
      await sleep(FIRST_POLL_MS)
    }
  }
}

async function prepareRefresh(
  app: App,
  tx: Sql,
  grant: StoredGrant,
): Promise<{ client: MailClient; refreshToken: string | undefined } | { error: TokenError }> {
  const client = await tryFindClient(app, tx, grant)
  if (!client) return { error: clientMissing }
  if (isApplicationKind(grant.kind)) return { client, refreshToken: undefined }
  if (!grant.refreshToken) return { error: notConnected }
  if (grant.clientId !== client.clientId) return { error: clientChanged }
  const refreshToken = decryptGrantToken(app, grant, 'refresh_token', grant.refreshToken)
  return refreshToken ? { client, refreshToken } : { error: secretChanged }
}

/** Records an error that is known without contacting the provider. */
async function failNow(app: App, tx: Sql, grant: StoredGrant, error: TokenError): Promise<Access> {
  const retryAt = getRetryAt(app, error, grant.failureCount)
  await storeError(tx, grant, error, { now: app.now(), retryAt })
  return { error, retryAt }
}

function getValidToken(app: App, grant: StoredGrant, rejected: string | undefined): string | undefined {
  const { accessToken, accessExpiresAt } = grant
  if (!accessToken || !accessExpiresAt || accessExpiresAt <= app.now()) return undefined
  const token = decryptGrantToken(app, grant, 'access_token', accessToken)
  return token === rejected ? undefined : token
}

/**
 * Finds the client; undefined if there is none or its secret was encrypted with a different server secret.
 */
const tryFindClient = (app: App, tx: Sql, grant: StoredGrant): Promise<MailClient | undefined> =>
  findMailClient(app, tx, grant).catch((error: unknown) => {
    app.log.error({ accountId: grant.accountId, err: error }, 'mailbox: the client cannot be read')
    return undefined
  })

const getStoredError = ({ errorClass, errorCode, errorReason }: StoredGrant): TokenError | undefined =>
  errorClass ? { class: errorClass, code: errorCode!, reason: errorReason! } : undefined

const getLeaseEnd = (app: App): Date => new Date(app.now().getTime() + REFRESH_LEASE_MS)

const getRetryAt = (app: App, error: TokenError, failureCount: number): Date =>
  nextAttemptAt(app.now(), failureCount, backoffs[error.class])

const notConnected: TokenError = {
  class: 'user',
  code: 'not_connected',
  reason: 'The mailbox is not connected yet',
}
const clientMissing: TokenError = {
  class: 'operator',
  code: 'client_missing',
  reason: 'The OAuth client through which the mailbox connects is missing or cannot be read',
}
const clientChanged: TokenError = {
  class: 'user',
  code: 'client_changed',
  reason: 'The mailbox was connected through another OAuth client',
}
const secretChanged: TokenError = {
  class: 'user',
  code: 'secret_changed',
  reason: 'The tokens were encrypted with a different server secret',
}
const takesTooLong: TokenError = {
  class: 'transient',
  code: 'busy',
  reason: 'Another process is still obtaining a token',
}
