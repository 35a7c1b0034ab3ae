import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { decrypt } from '../../kernel/crypto.ts'
import { AppError, conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { findMissingScopes, type MailClient } from '../../protocols/mail-oauth/provider.ts'
import {
  readIdentity,
  redeemCode,
  type SignedIn,
  type Tokens,
} from '../../protocols/mail-oauth/request-token.ts'
import { toTokenError } from '../../protocols/mail-oauth/token-error.ts'
import { audit } from '../accounts/audit-log.ts'
import { type ConnectionSecret, hashState, toSecretContext } from './connect-mailbox.ts'
import { getProviderServers, requireMailClient } from './grant-mailbox.ts'
import { storeGrantImap } from './imap-settings.ts'
import { findGrant, type StoredGrant, storeConnection } from './mailbox-grants.ts'
import { lockEditableMailbox } from './mailboxes.ts'
import { getRedirectUri } from './redirect-uri.ts'
import type { StoredMailbox } from './transport.ts'
import { type ExpediteRetries, verifyMailbox } from './verify-mailbox.ts'

type PendingConnection = { mailbox: StoredMailbox; client: MailClient; secret: ConnectionSecret }

/** Obtains the tokens between two transactions, so that no transaction waits for the provider. */
export async function completeMailboxConnection(
  ctx: Context,
  { state, code, error }: Input<'completeMailboxConnection'>,
  expediteRetries: ExpediteRetries,
): Promise<Json<Output<'completeMailboxConnection'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const connection = await inTransaction(tx => consumeConnection(tx, state))
  try {
    if (error || !code) throw conflict(describeRefusal(error))
    const { tokens, signedIn } = await obtainTokens(ctx, connection, code)
    await inTransaction(async tx => {
      await store(tx, connection, tokens, signedIn)
      await deleteConnection(tx, state)
    })
  } catch (cause) {
    if (cause instanceof AppError) await inTransaction(tx => recordFailure(tx, state, cause.message))
    throw cause
  }
  return verifyMailbox(ctx, { mailboxId: connection.mailbox.id }, expediteRetries)
}

const UNKNOWN_STATE =
  'This sign-in was already completed, is older than 30 minutes, or was started by someone else. Connect the mailbox again.'

/** Consumes the sign-in that the same user and session began, so that it can be completed only once. */
async function consumeConnection(tx: Context, state: string): Promise<PendingConnection> {
  const { accountId, app } = tx
  const [connection] = await tx.sql<
    { mailboxId: string; kind: 'google' | 'microsoft'; clientId: string; secret: Uint8Array }[]
  >`
    update mailbox_connections
       set used_at = now()
     where account_id = ${accountId} and state_hash = ${hashState(state)} and user_id = ${tx.userId}
       and (session is null or session = ${tx.actor}) and expires_at > ${app.now()} and used_at is null
    returning mailbox_id as "mailboxId", kind, client_id as "clientId", secret`
  if (!connection)
    // Users read the message too, and the name of the field means nothing to them.
    throw new AppError('ValidationError', UNKNOWN_STATE, {
      details: [{ path: 'state', message: UNKNOWN_STATE }],
    })
  const mailbox = await lockEditableMailbox(tx, connection.mailboxId)
  const client = await requireMailClient(tx, connection.kind)
  if (client.clientId !== connection.clientId)
    throw conflict('The OAuth client was changed. Connect the mailbox again.')
  const secret = decrypt(app.keys, connection.secret, toSecretContext(accountId, mailbox.id))
  return { mailbox, client, secret: JSON.parse(secret) }
}

const deleteConnection = ({ sql, accountId }: Context, state: string) => sql`
  delete from mailbox_connections where account_id = ${accountId} and state_hash = ${hashState(state)}`

const recordFailure = ({ sql, accountId }: Context, state: string, reason: string) => sql`
  update mailbox_connections set error = ${reason}
   where account_id = ${accountId} and state_hash = ${hashState(state)}`

async function obtainTokens(
  { app }: Context,
  { client, mailbox, secret }: PendingConnection,
  code: string,
): Promise<{ tokens: Tokens; signedIn: SignedIn }> {
  const { verifier, nonce } = secret
  const result = await redeemCode(client, { code, verifier, redirectUri: getRedirectUri(app) }, app.config)
  if ('error' in result) {
    const isRefused = result.error.code === 'invalid_grant'
    throw conflict(
      isRefused
        ? 'The sign-in has expired or was already used. Connect the mailbox again.'
        : `The mailbox could not be connected. ${result.error.reason}.`,
    )
  }
  const { tokens } = result
  const signedIn = readIdentity(client, { idToken: tokens.idToken, nonce, now: app.now() })
  if (!signedIn) throw conflict('The provider did not say who signed in. Connect the mailbox again.')
  if (findMissingScopes(client.kind, tokens.scope ?? '').length > 0)
    throw conflict(
      'Overture was not allowed to read and send mail. Connect the mailbox again, and leave all permissions selected.',
    )
  if (!tokens.refreshToken)
    throw conflict(
      `The provider granted access to ${mailbox.email} for an hour only. Connect the mailbox again.`,
    )
  return { tokens, signedIn }
}

async function store(
  tx: Context,
  { mailbox: { id: mailboxId }, client, secret: { isShared } }: PendingConnection,
  tokens: Tokens,
  identity: SignedIn,
) {
  const { accountId, app } = tx
  const mailbox = await lockEditableMailbox(tx, mailboxId)
  const grant = await findGrant(tx.sql, mailboxId, 'update')
  if (!isShared) requireOwner(identity, mailbox, grant, client.kind)
  // For the same grant, `saves_sent_copies` may be the user's choice.
  const isOtherGrant = grant?.kind !== client.kind || grant.isShared !== isShared
  const { smtp, imap } = getProviderServers(tx, client.kind)
  await tx.sql`
    update mailboxes
       set smtp_host = ${smtp.host}, smtp_port = ${smtp.port}, smtp_tls = ${smtp.tls}, smtp_user = ${identity.login},
           smtp_password = null,
           saves_sent_copies = case when ${isOtherGrant} then ${isShared} else saves_sent_copies end, status = 'unverified', status_reason = null, failure_count = 0, retry_at = null,
           updated_at = now()
     where account_id = ${accountId} and id = ${mailboxId}`
  const key = { accountId, mailboxId }
  const { subject, login } = identity
  await storeConnection(
    app,
    tx.sql,
    key,
    { kind: client.kind, isShared, clientId: client.clientId, subject, login, tokens },
    app.now(),
  )
  await storeGrantImap(tx, key, { ...imap, user: isShared ? mailbox.email : login })
  await audit(tx, 'complete_connection', 'mailbox', mailboxId)
}

/** Throws unless the signed-in account is the one that connected the mailbox first, or has the mailbox's address. */
function requireOwner(
  identity: SignedIn,
  { email }: StoredMailbox,
  grant: StoredGrant | undefined,
  kind: MailClient['kind'],
): void {
  const isPinned = grant?.kind === kind && grant.subject !== null && !grant.isShared
  if (isPinned && grant.subject !== identity.subject)
    throw conflict(
      `You signed in as ${identity.login}, but ${email} was connected by ${grant.login}. Sign in with that account.`,
    )
  if (isPinned || identity.emails.some(each => canonicalEmail(each) === canonicalEmail(email))) return
  const orShare = kind === 'microsoft' ? ', or connect it as a shared mailbox' : ''
  throw conflict(
    `You signed in as ${identity.login}, which is not ${email}. Sign in with that account${orShare}.`,
  )
}

/** Explains why the provider sent the browser back without a code. */
function describeRefusal(error = ''): string {
  if (error === 'access_denied')
    return 'Access was not granted. If your organization requires the approval of an administrator, ask them to allow Overture.'
  const { reason } = toTokenError({ status: 400, body: { error } })
  return `The mailbox could not be connected. ${reason}.`
}
