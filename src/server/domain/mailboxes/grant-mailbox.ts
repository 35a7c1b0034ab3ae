import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { type MailServers, parseMailServers } from '../../kernel/mail-servers.ts'
import { isApplicationKind, isGoogle, type MailClientKind } from '../../protocols/mail-oauth/provider.ts'
import { findMailClient } from './find-mail-client.ts'
import { storeGrantImap } from './imap-settings.ts'
import { storeConnection } from './mailbox-grants.ts'
import { requireRedirectUri } from './redirect-uri.ts'

/**
 * Returns the provider's servers. Only the operator can change them: tokens are never sent to a host that a user chose.
 */
export function getProviderServers(
  { app: { config } }: Pick<Context, 'app'>,
  kind: MailClientKind,
): MailServers {
  return parseMailServers(isGoogle(kind) ? config.googleMailServers : config.microsoftMailServers)!
}

/**
 * Prepares the grant of a new mailbox. Throws when there is no client to connect it through. Only administrators may
 * choose an application, which opens every mailbox of the organization without its owner.
 */
export async function createGrant(
  ctx: Context,
  {
    mailboxId,
    email,
    kind,
    isShared,
  }: { mailboxId: string; email: string; kind: MailClientKind; isShared: boolean },
): Promise<void> {
  const key = { accountId: ctx.accountId, mailboxId }
  if (isApplicationKind(kind)) {
    const reason =
      'an application opens mailboxes without the consent of their owners. Ask an owner or admin to add it'
    authorize(ctx, 'Account.ManageSettings', reason)
  } else requireRedirectUri(ctx.app)
  const client = await requireMailClient(ctx, kind)
  if (!isApplicationKind(kind)) {
    await ctx.sql`
      insert into mailbox_grants (account_id, mailbox_id, kind, is_shared)
      values (${ctx.accountId}, ${mailboxId}, ${kind}, ${isShared})`
    return
  }
  const connection = { kind, clientId: client.clientId, subject: null, login: email, tokens: undefined }
  await storeConnection(ctx.app, ctx.sql, key, connection, ctx.app.now())
  await storeGrantImap(ctx, key, { ...getProviderServers(ctx, kind).imap, user: email })
}

export async function requireMailClient(ctx: Context, kind: MailClientKind) {
  const client = await findMailClient(ctx.app, ctx.sql, { accountId: ctx.accountId, kind })
  if (client) return client
  throw invalid('provider', 'has no OAuth client yet: an administrator must add one in the settings')
}

/**
 * Selects the grant of mailbox `b` as JSON; null if it has none. Uses a subselect, because PostgreSQL's planner could
 * run a join before `withAccount` has set the account.
 */
export const connectionJson = (sql: Sql): Fragment => sql`
  (select json_build_object(
            'provider', g.kind,
            'isShared', g.is_shared,
            'user', g.login,
            'connectedAt', api_time(g.connected_at),
            'error', case when g.error_class is not null then json_build_object(
              'resolvedBy', case g.error_class when 'transient' then 'nobody' else g.error_class end,
              'reason', g.error_reason,
              'since', api_time(g.error_since)) end)
     from mailbox_grants g
    where g.account_id = b.account_id and g.mailbox_id = b.id)`

/** A process that exchanges a code for tokens ends within this time, or was killed. */
const EXCHANGE_SECONDS = 60
const INTERRUPTED = 'The sign-in was interrupted. Connect the mailbox again.'

/** Selects the pending or failed sign-in of mailbox `b` as JSON; null if there is none. */
export const signInJson = (sql: Sql): Fragment => sql`
  (select json_build_object(
            'expiresAt', api_time(c.expires_at),
            'error', coalesce(c.error, case when c.used_at < now() - make_interval(secs => ${EXCHANGE_SECONDS})
                                            then ${INTERRUPTED} end))
     from mailbox_connections c
    where c.account_id = b.account_id and c.mailbox_id = b.id)`

/** Deletes the grant of a removed mailbox, or keeps it until the provider has revoked it. */
export async function removeGrant(ctx: Context, mailboxId: string): Promise<void> {
  await ctx.sql`
    delete from mailbox_connections where account_id = ${ctx.accountId} and mailbox_id = ${mailboxId}`
  await ctx.sql`
    delete from mailbox_grants
     where account_id = ${ctx.accountId} and mailbox_id = ${mailboxId}
       and (kind <> 'google' or refresh_token is null)`
  await ctx.sql`
    update mailbox_grants
       set revoke_at = ${ctx.app.now()}, access_token = null, access_expires_at = null, epoch = epoch + 1
     where account_id = ${ctx.accountId} and mailbox_id = ${mailboxId}`
}
