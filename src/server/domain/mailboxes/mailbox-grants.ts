import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { MailClientKind } from '../../protocols/mail-oauth/provider.ts'
import type { Tokens } from '../../protocols/mail-oauth/request-token.ts'
import type { TokenError } from '../../protocols/mail-oauth/token-error.ts'

export type GrantKey = { accountId: string; mailboxId: string }

/** A mailbox's grant as stored, its tokens still encrypted. */
export type StoredGrant = GrantKey & {
  kind: MailClientKind
  isShared: boolean
  email: string
  subject: string | null
  login: string | null
  clientId: string | null
  refreshToken: Uint8Array | null
  accessToken: Uint8Array | null
  accessExpiresAt: Date | null
  refreshingUntil: Date | null
  epoch: bigint
  errorClass: TokenError['class'] | null
  errorCode: string | null
  errorReason: string | null
  failureCount: number
  retryAt: Date | null
}

/** Finds a mailbox's grant. Runs in the account's transaction. */
export async function findGrant(
  tx: Sql,
  mailboxId: string,
  lock: 'none' | 'update' = 'none',
): Promise<StoredGrant | undefined> {
  const [grant] = await tx<StoredGrant[]>`
    select g.account_id as "accountId", g.mailbox_id as "mailboxId", g.kind, g.is_shared as "isShared", b.email,
           g.subject, g.login, g.client_id as "clientId", g.refresh_token as "refreshToken", g.access_token as "accessToken",
           g.access_expires_at as "accessExpiresAt", g.refreshing_until as "refreshingUntil", g.epoch,
           g.error_class as "errorClass", g.error_code as "errorCode", g.error_reason as "errorReason",
           g.failure_count as "failureCount", g.retry_at as "retryAt"
      from mailbox_grants g
      join mailboxes b on b.account_id = g.account_id and b.id = g.mailbox_id and b.removed_at is null
     where g.account_id = current_account_id() and g.mailbox_id = ${mailboxId}
       ${lock === 'update' ? tx`for update of g` : tx``}`
  return grant
}

/** The identity that signed in at the provider, and the OAuth client that it used. */
export type Connection = {
  kind: MailClientKind
  /** True when the identity is that of a user who opens a shared mailbox. */
  isShared?: boolean
  clientId: string
  subject: string | null
  login: string
  tokens: Tokens | undefined
}

/**
 * Stores the tokens of a mailbox that was connected or reconnected. Replaces both tokens, so that no token of an
 * earlier grant remains, and voids a refresh in progress.
 */
export async function storeConnection(
  app: Pick<App, 'keys'>,
  tx: Sql,
  key: GrantKey,
  { kind, isShared = false, clientId, subject, login, tokens }: Connection,
  now: Date,
): Promise<void> {
  const refreshToken =
    tokens?.refreshToken && encryptGrantToken(app, key, 'refresh_token', tokens.refreshToken)
  const accessToken = tokens && encryptGrantToken(app, key, 'access_token', tokens.accessToken)
  await tx`
    insert into mailbox_grants as g (account_id, mailbox_id, kind, is_shared, subject, login, client_id, refresh_token,
                                     access_token, access_expires_at, connected_at)
    values (current_account_id(), ${key.mailboxId}, ${kind}, ${isShared}, ${subject}, ${login}, ${clientId},
            ${refreshToken ?? null}, ${accessToken ?? null}, ${tokens ? new Date(now.getTime() + tokens.lifetimeMs) : null}, ${now})
    on conflict (account_id, mailbox_id) do update
       set kind = excluded.kind, is_shared = excluded.is_shared, subject = excluded.subject, login = excluded.login,
           client_id = excluded.client_id, refresh_token = excluded.refresh_token, access_token = excluded.access_token,
           access_expires_at = excluded.access_expires_at, connected_at = excluded.connected_at,
           refreshing_until = null, epoch = g.epoch + 1, error_class = null, error_code = null, error_reason = null,
           error_since = null, failure_count = 0, retry_at = null, updated_at = now()`
}

/** Claims the refresh until the lease ends. Returns the epoch of the claim. */
export async function claimRefresh(tx: Sql, mailboxId: string, until: Date): Promise<bigint> {
  const [claimed] = await tx<{ epoch: bigint }[]>`
    update mailbox_grants set refreshing_until = ${until}, epoch = epoch + 1
     where account_id = current_account_id() and mailbox_id = ${mailboxId}
    returning epoch`
  return claimed!.epoch
}

/** Extends the lease of a claim that still holds and has no result yet. */
export const renewRefresh = (tx: Sql, { mailboxId, epoch }: GrantKey & { epoch: bigint }, until: Date) => tx`
  update mailbox_grants set refreshing_until = ${until}
   where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}
     and refreshing_until is not null`

/**
 * Stores refreshed tokens; returns false when the claim is lost, because the mailbox was connected again or the lease
 * ended.
 */
export async function storeRefresh(
  app: Pick<App, 'keys'>,
  tx: Sql,
  claim: GrantKey & { epoch: bigint },
  { accessToken, refreshToken, lifetimeMs }: Tokens,
  now: Date,
): Promise<boolean> {
  const stored = await tx`
    update mailbox_grants
       set access_token = ${encryptGrantToken(app, claim, 'access_token', accessToken)},
           access_expires_at = ${new Date(now.getTime() + lifetimeMs)},
           refresh_token = coalesce(${refreshToken ? encryptGrantToken(app, claim, 'refresh_token', refreshToken) : null}::bytea,
                                    refresh_token),
           refreshing_until = null, error_class = null, error_code = null, error_reason = null, error_since = null,
           failure_count = 0, retry_at = null, updated_at = now()
     where account_id = current_account_id() and mailbox_id = ${claim.mailboxId} and epoch = ${claim.epoch}`
  return stored.count === 1
}

/** Records why no token can be obtained, and ends the claim. Returns false when the claim is lost. */
export async function storeError(
  tx: Sql,
  { mailboxId, epoch }: GrantKey & { epoch: bigint },
  error: TokenError,
  { now, retryAt }: { now: Date; retryAt: Date },
): Promise<boolean> {
  const endsAccess = error.class !== 'transient'
  const stored = await tx`
    update mailbox_grants
       set error_class = ${error.class}, error_code = ${error.code}, error_reason = ${error.reason},
           error_since = case when error_class = ${error.class} then error_since else ${now} end,
           failure_count = failure_count + 1, retry_at = ${retryAt}, refreshing_until = null,
           access_token = case when ${endsAccess} then null else access_token end,
           access_expires_at = case when ${endsAccess} then null else access_expires_at end,
           updated_at = now()
     where account_id = current_account_id() and mailbox_id = ${mailboxId} and epoch = ${epoch}`
  return stored.count === 1
}

export const encryptGrantToken = (
  { keys }: Pick<App, 'keys'>,
  grant: GrantKey,
  column: 'access_token' | 'refresh_token',
  token: string,
): Buffer => encrypt(keys, token, toSecretContext(grant, column))

/** Returns undefined when the token was encrypted with a different secret. */
export function decryptGrantToken(
  { keys }: Pick<App, 'keys'>,
  grant: GrantKey,
  column: 'access_token' | 'refresh_token',
  token: Uint8Array,
): string | undefined {
  try {
    return decrypt(keys, token, toSecretContext(grant, column))
  } catch {
    return undefined
  }
}

const toSecretContext = ({ accountId, mailboxId }: GrantKey, column: string): string =>
  `mailbox_grant ${accountId} ${mailboxId} ${column}`
