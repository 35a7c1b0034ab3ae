import type { Input, Output } from '../../contract/index.ts'
import { type Context, scope } from '../context.ts'
import type { Fragment, Sql } from '../db.ts'
import { invalid, notFound } from '../errors.ts'
import { Json } from '../json.ts'
import { createApiToken } from './api-tokens.ts'
import { asUser } from './users.ts'

const tokenJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', t.id,
    'objectType', 'api_token',
    'createdAt', api_time(t.created_at),
    'updatedAt', api_time(t.updated_at),
    'name', t.name,
    'prefix', t.prefix,
    'isReadOnly', t.is_read_only,
    'expiresAt', api_time(t.expires_at),
    'lastUsedAt', api_time(t.last_used_at),
    'revokedAt', api_time(t.revoked_at)))`

/** The caller's own. */
export async function listOwnApiTokens(
  ctx: Context,
  _input: Input<'listApiTokens'>,
): Promise<Json<Output<'listApiTokens'>>> {
  const [found] = await ctx.sql<{ json: string }[]>`
    select json_build_object('data', coalesce(json_agg(${tokenJson(ctx.sql)} order by t.created_at desc, t.id desc)
                                                filter (where t.id is not null), '[]'))::text as json
      from ${scope(ctx)} left join lateral (select * from ${ownTokens(ctx.sql)} own where user_id = s.user_id) t on true`
  return new Json(found!.json)
}

/** Without the hash, which the application may not read. */
const ownTokens = (sql: Sql): Fragment => sql`(
  select id, user_id, name, prefix, is_read_only, expires_at, last_used_at, revoked_at, created_at, updated_at
    from api_tokens)`

export async function createOwnApiToken(
  ctx: Context,
  { name, expiresAt, isReadOnly }: Input<'createApiToken'>,
): Promise<Output<'createApiToken'>> {
  const end = expiresAt === undefined ? undefined : new Date(expiresAt)
  if (end && end <= ctx.app.now()) throw invalid('expiresAt', 'is over already')
  await asUser(ctx)
  const made = await createApiToken(ctx.sql, { userId: ctx.userId, name, expiresAt: end, isReadOnly })
  return { ...(await readToken(ctx, made.id)), token: made.token }
}

/** Doing it again changes nothing. */
export async function revokeOwnApiToken(
  ctx: Context,
  { apiTokenId }: Input<'revokeApiToken'>,
): Promise<Output<'revokeApiToken'>> {
  await asUser(ctx)
  const revoked = await ctx.sql`
    update api_tokens
       set revoked_at = coalesce(revoked_at, now()), updated_at = now()
     where id = ${apiTokenId} and user_id = ${ctx.userId}`
  if (revoked.count === 0) throw notFound('api token')
  return readToken(ctx, apiTokenId)
}

async function readToken({ sql }: Context, id: string): Promise<Output<'revokeApiToken'>> {
  const [found] = await sql<{ json: Output<'revokeApiToken'> }[]>`
    select ${tokenJson(sql)} as json from ${ownTokens(sql)} t where t.id = ${id}`
  return found!.json
}
