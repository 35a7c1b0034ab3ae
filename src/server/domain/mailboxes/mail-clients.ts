import type { Input, Output } from '../../../contract/index.ts'
import { ADMIN_CONSENT_STATE, mailClientKinds } from '../../../contract/mail-clients.ts'
import { type App, type Context, withAccount } from '../../kernel/context.ts'
import { encrypt } from '../../kernel/crypto.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { buildAdminConsentUrl, isGoogle, type MailClient } from '../../protocols/mail-oauth/provider.ts'
import { serviceAccountKey } from '../../protocols/mail-oauth/request-token.ts'
import { audit } from '../accounts/audit-log.ts'
import { getInstallationClient, toSecretContext } from './find-mail-client.ts'
import { findRedirectUriProblem, getRedirectUri } from './redirect-uri.ts'

type Client = Output<'setMailClient'>

const DAY_MS = 24 * 60 * 60_000
/** Secrets that expire within this time are reported. */
export const EXPIRY_WARNING_DAYS = 30

export async function listMailClients(
  ctx: Context,
  _input: Input<'listMailClients'>,
): Promise<Output<'listMailClients'>> {
  const ownClients = await findOwnClients(ctx)
  const installationClients = mailClientKinds
    .map(kind => getInstallationClient(ctx.app, kind))
    .filter(client => client !== undefined)
    .filter(({ kind }) => !ownClients.some(client => client.kind === kind))
    .map(({ kind, clientId, tenant }) =>
      addDerivedFields(ctx.app, { kind, clientId, ...(tenant && { tenant }), source: 'installation' }),
    )
  const redirectUriProblem = findRedirectUriProblem(ctx.app)
  return {
    redirectUri: getRedirectUri(ctx.app),
    ...(redirectUriProblem && { redirectUriProblem }),
    data: [...ownClients, ...installationClients],
  }
}

const findOwnClients = async (ctx: Context): Promise<Client[]> => {
  const rows = await ctx.sql<{ json: Omit<Client, 'source'> }[]>`
    select json_strip_nulls(json_build_object(
             'kind', c.kind,
             'clientId', c.client_id,
             'tenant', c.tenant,
             'publishingStatus', c.publishing_status,
             'secretExpiresOn', c.secret_expires_on)) as json
      from ${withAccount(ctx)} cross join lateral (
           select * from mail_clients where account_id = s.account_id order by kind) c`
  return rows.map(({ json }) => addDerivedFields(ctx.app, { ...json, source: 'account' }))
}

/** Adds the consent URL and the warning. */
function addDerivedFields(app: App, client: Omit<Client, 'adminConsentUrl' | 'warning'>): Client {
  // The state is constant, because the response is only shown and nothing depends on it.
  const adminConsentUrl = buildAdminConsentUrl(
    client,
    { redirectUri: getRedirectUri(app), state: ADMIN_CONSENT_STATE },
    app.config,
  )
  const warning = findWarning(client, app.now())
  return { ...client, ...(adminConsentUrl && { adminConsentUrl }), ...(warning && { warning }) }
}

function findWarning({ publishingStatus, secretExpiresOn }: Client, now: Date): string | undefined {
  if (publishingStatus === 'testing')
    return 'Google revokes access for clients in testing after 7 days. Publish the client, then reconnect its mailboxes.'
  if (!secretExpiresOn) return undefined
  const leftMs = Date.parse(secretExpiresOn) - now.getTime()
  if (leftMs < -DAY_MS)
    return `The client secret expired on ${secretExpiresOn}. Create a new secret and save it.`
  return leftMs < EXPIRY_WARNING_DAYS * DAY_MS
    ? `The client secret expires on ${secretExpiresOn}. Create a new secret and save it before that day.`
    : undefined
}

export async function setMailClient(ctx: Context, input: Input<'setMailClient'>): Promise<Client> {
  const { sql, accountId, app } = ctx
  const { kind, secret, tenant, publishingStatus, secretExpiresOn } = input
  const [stored] = await sql<{ clientId: string; secret: Uint8Array }[]>`
    select client_id as "clientId", secret
      from mail_clients where account_id = ${accountId} and kind = ${kind} for update`
  const clientId =
    kind === 'google_service_account' ? (readKeyFile(secret) ?? stored?.clientId) : input.clientId
  if (!clientId) throw invalid('secret', 'is required: the JSON key file of the service account')
  if (!secret && stored?.clientId !== clientId)
    throw invalid('secret', 'is required the first time and with a different client ID')
  const isMicrosoft = !isGoogle(kind)
  const encrypted = secret ? encrypt(app.keys, secret, toSecretContext(accountId, kind)) : stored!.secret
  await sql`
    insert into mail_clients (account_id, kind, client_id, secret, tenant, publishing_status, secret_expires_on)
    values (${accountId}, ${kind}, ${clientId}, ${encrypted}, ${isMicrosoft ? tenant! : null},
            ${kind === 'google' ? publishingStatus! : null}, ${(isMicrosoft && secretExpiresOn) || null}::date)
    on conflict (account_id, kind) do update
       set client_id = excluded.client_id, secret = excluded.secret, tenant = excluded.tenant,
           publishing_status = excluded.publishing_status, secret_expires_on = excluded.secret_expires_on,
           updated_at = now()`
  await retryGrants(ctx, kind)
  await audit(ctx, 'set', 'mail_client', accountId)
  return (await findOwnClients(ctx)).find(client => client.kind === kind)!
}

/** Returns the numeric client ID of a service account; undefined without a file. Throws when it isn't a key file. */
function readKeyFile(file: string | undefined): string | undefined {
  if (!file) return undefined
  try {
    return serviceAccountKey.parse(JSON.parse(file)).client_id
  } catch {
    throw invalid('secret', 'must be the JSON key file of a service account')
  }
}

export async function deleteMailClient(
  ctx: Context,
  { kind }: Input<'deleteMailClient'>,
): Promise<Output<'deleteMailClient'>> {
  const deleted = await ctx.sql`
    delete from mail_clients where account_id = ${ctx.accountId} and kind = ${kind}`
  if (deleted.count === 0) throw notFound('OAuth client')
  await audit(ctx, 'delete', 'mail_client', ctx.accountId)
  return { ok: true }
}

/** Makes grants due for a retry immediately if they failed because of the client. */
const retryGrants = ({ sql, accountId }: Context, kind: MailClient['kind']) => sql`
  update mailbox_grants set retry_at = null
   where account_id = ${accountId} and kind = ${kind} and error_class = 'operator'`
