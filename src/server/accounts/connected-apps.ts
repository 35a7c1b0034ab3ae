import type { Input, Output } from '../../contract/index.ts'
import { type Context, scope } from '../context.ts'
import { notFound } from '../errors.ts'
import { Json } from '../json.ts'
import { audit } from './audit-log.ts'
import { forgetAccess } from './remembered.ts'
import { asUser } from './users.ts'

/** The applications that act in the caller's name now. */
export async function listConnectedApps(
  ctx: Context,
  _input: Input<'listConnectedApps'>,
): Promise<Json<Output<'listConnectedApps'>>> {
  const [found] = await ctx.sql<{ json: string }[]>`
    select json_build_object('data', coalesce(json_agg(json_strip_nulls(json_build_object(
             'id', g.id,
             'objectType', 'connected_app',
             'createdAt', api_time(g.created_at),
             'updatedAt', api_time(g.updated_at),
             'name', g.client_name,
             'host', g.client_host,
             'scopes', g.scopes,
             'lastUsedAt', api_time(g.last_used_at),
             'expiresAt', api_time(g.expires_at))) order by g.created_at desc, g.id desc), '[]'))::text as json
      from ${scope(ctx)} cross join lateral (
        select id, client_name, client_host, scopes, created_at, updated_at, last_used_at, expires_at
          from oauth_grants
         where user_id = s.user_id and revoked_at is null and expires_at > ${ctx.app.now()}) g`
  return new Json(found!.json)
}

/** Ends the application's tokens too: each request asks whether its grant still holds. */
export async function disconnectApp(
  ctx: Context,
  { connectedAppId }: Input<'disconnectApp'>,
): Promise<Output<'disconnectApp'>> {
  await asUser(ctx)
  const ended = await ctx.sql`
    update oauth_grants set revoked_at = now(), updated_at = now()
     where id = ${connectedAppId} and user_id = ${ctx.userId} and revoked_at is null`
  if (ended.count === 0) throw notFound('connected app')
  await audit(ctx, 'disconnect', 'oauth_grant', connectedAppId)
  ctx.afterCommit(async answer => {
    forgetAccess(ctx.app)
    return answer
  })
  return { ok: true }
}
