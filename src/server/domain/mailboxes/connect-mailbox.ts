import { hash, randomBytes } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, isSession } from '../../kernel/context.ts'
import { encrypt } from '../../kernel/crypto.ts'
import { invalid } from '../../kernel/errors.ts'
import { buildAuthorizationUrl, isApplicationKind } from '../../protocols/mail-oauth/provider.ts'
import { audit } from '../accounts/audit-log.ts'
import { requireMailClient } from './grant-mailbox.ts'
import { findGrant } from './mailbox-grants.ts'
import { lockEditableMailbox } from './mailboxes.ts'
import { getRedirectUri, requireRedirectUri } from './redirect-uri.ts'

const LIFETIME_MS = 30 * 60_000

/** Secrets of a sign-in, stored encrypted until it is completed. */
export type ConnectionSecret = { verifier: string; nonce: string; isShared: boolean }

const newToken = (): string => randomBytes(32).toString('base64url')
export const hashState = (state: string): Buffer => hash('sha256', state, 'buffer')
export const toSecretContext = (accountId: string, mailboxId: string): string =>
  `mailbox_connection ${accountId} ${mailboxId} secret`

/** Begins a sign-in at the provider. Replaces an earlier one, so that only the last can be completed. */
export async function connectMailbox(
  ctx: Context,
  { mailboxId, provider, isShared: given }: Input<'connectMailbox'>,
): Promise<Output<'connectMailbox'>> {
  const { app, accountId } = ctx
  const mailbox = await lockEditableMailbox(ctx, mailboxId)
  if (mailbox.kind !== 'smtp') throw invalid('mailboxId', 'must not be a sandbox mailbox')
  const kind = provider ?? mailbox.grantKind
  if (!kind) throw invalid('provider', 'is required for a mailbox that signs in with a password')
  if (isApplicationKind(kind))
    throw invalid('provider', 'does not use a sign-in; create the mailbox with this provider, then verify it')
  if (given && kind !== 'microsoft')
    throw invalid('isShared', 'is allowed only with the provider `microsoft`')
  requireRedirectUri(app)
  const client = await requireMailClient(ctx, kind)
  const grant = await findGrant(ctx.sql, mailboxId)
  const isShared = kind === 'microsoft' && (given ?? grant?.isShared ?? false)
  const [state, verifier, nonce] = [newToken(), newToken(), newToken()]
  const secret: ConnectionSecret = { verifier, nonce, isShared }
  const expiresAt = new Date(app.now().getTime() + LIFETIME_MS)
  await ctx.sql`
    insert into mailbox_connections (account_id, mailbox_id, state_hash, user_id, session, kind, client_id, secret, expires_at)
    values (${accountId}, ${mailboxId}, ${hashState(state)}, ${ctx.userId}, ${isSession(ctx) ? ctx.actor : null}, ${kind},
            ${client.clientId},
            ${encrypt(app.keys, JSON.stringify(secret), toSecretContext(accountId, mailboxId))}, ${expiresAt})
    on conflict (account_id, mailbox_id) do update
       set state_hash = excluded.state_hash, user_id = excluded.user_id, session = excluded.session,
           kind = excluded.kind, client_id = excluded.client_id, secret = excluded.secret,
           used_at = null, error = null, expires_at = excluded.expires_at, created_at = now()`
  await audit(ctx, 'connect', 'mailbox', mailboxId)
  const authorization = {
    redirectUri: getRedirectUri(app),
    state,
    nonce,
    challenge: hash('sha256', verifier, 'base64url'),
    // Nobody signs in as a shared mailbox.
    user: isShared ? (grant?.isShared && grant.login) || undefined : mailbox.email,
    selectsAccount: mailbox.grantKind === kind,
  }
  return { url: buildAuthorizationUrl(client, authorization, app.config), expiresAt: expiresAt.toISOString() }
}
