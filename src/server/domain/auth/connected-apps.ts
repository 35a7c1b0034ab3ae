import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { forgetAccessAfterCommit } from '../accounts/access-cache.ts'
import { auditInAccount } from '../accounts/audit-log.ts'
import { asUser } from '../accounts/users.ts'

/** Lists the applications connected by the caller, in all accounts. */
export const listConnectedApps = (
  ctx: Context,
  input: Input<'listConnectedApps'>,
): Promise<Json<Output<'listConnectedApps'>>> =>
  listPage(
    ctx,
    'listConnectedApps',
    input,
    page => ctx.sql`
      select g.id, api_time(g.created_at) as at,
             json_strip_nulls(json_build_object(
               'id', g.id,
               'objectType', 'connected_app',
               'createdAt', api_time(g.created_at),
               'updatedAt', api_time(g.updated_at),
               'name', g.client_name,
               'host', g.client_host,
               'accountId', g.account_id,
               'scopes', g.scopes,
               'lastUsedAt', api_time(g.last_used_at),
               'expiresAt', api_time(g.expires_at)))::text as json
        from oauth_grants g
       where g.user_id = s.user_id and g.account_id is not null and g.revoked_at is null and g.expires_at > ${ctx.app.now()}
         ${afterCursor(ctx.sql, page, 'g.created_at', 'g.id')}
         ${orderAndLimit(ctx.sql, page, 'g.created_at', 'g.id')}`,
  )

/** Revokes the grant. This also invalidates the application's tokens, because each request checks the grant. */
export async function disconnectApp(
  ctx: Context,
  { connectedAppId }: Input<'disconnectApp'>,
): Promise<Output<'disconnectApp'>> {
  await asUser(ctx)
  const [revoked] = await ctx.sql<{ accountId: string }[]>`
    update oauth_grants set revoked_at = now(), updated_at = now()
     where id = ${connectedAppId} and user_id = ${ctx.userId} and account_id is not null and revoked_at is null
 returning account_id as "accountId"`
  if (!revoked) throw notFound('connected app')
  await auditInAccount(ctx, revoked.accountId, 'disconnect', 'oauth_grant', connectedAppId)
  forgetAccessAfterCommit(ctx)
  return { ok: true }
}
