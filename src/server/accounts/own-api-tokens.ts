import type { Input, Output } from '../../contract/index.ts'
import type { Context } from '../context.ts'
import type { Fragment, Sql } from '../db.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import type { Json } from '../json.ts'
import { fromCursor, inOrder, listPage } from '../page.ts'
import { createApiToken } from './api-tokens.ts'
import { auditOwn } from './audit-log.ts'
import { asUser } from './users.ts'

const MAX_TOKENS = 100

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
export const listOwnApiTokens = (
  ctx: Context,
  input: Input<'listApiTokens'>,
): Promise<Json<Output<'listApiTokens'>>> =>
  listPage(
    ctx,
    'listApiTokens',
    input,
    page => ctx.sql`
      select t.id, api_time(t.created_at) as at, ${tokenJson(ctx.sql)}::text as json
        from ${ownTokens(ctx.sql)} t
       where t.user_id = s.user_id
         ${fromCursor(ctx.sql, page, 't.created_at', 't.id')}
         ${inOrder(ctx.sql, page, 't.created_at', 't.id')}`,
  )

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
  await checkRoom(ctx)
  const made = await createApiToken(ctx.sql, { userId: ctx.userId, name, expiresAt: end, isReadOnly })
  await auditOwn(ctx, 'create', 'api_token', made.id)
  return { ...(await readToken(ctx, made.id)), token: made.token }
}

/** Only tokens that work count. The user is locked, so that several made at once are counted. */
async function checkRoom({ sql, userId, app }: Context): Promise<void> {
  await sql`select from users where id = ${userId} for no key update`
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count
      from api_tokens
     where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${app.now()})`
  if (count >= MAX_TOKENS) throw conflict(`You have ${count} API tokens already. Revoke one first.`)
}

/** Doing it again changes nothing. */
export async function revokeOwnApiToken(
  ctx: Context,
  { apiTokenId }: Input<'revokeApiToken'>,
): Promise<Output<'revokeApiToken'>> {
  await asUser(ctx)
  const revoked = await ctx.sql`
    update api_tokens
       set revoked_at = now(), updated_at = now()
     where id = ${apiTokenId} and user_id = ${ctx.userId} and revoked_at is null`
  if (revoked.count > 0) await auditOwn(ctx, 'revoke', 'api_token', apiTokenId)
  return readToken(ctx, apiTokenId)
}

async function readToken({ sql, userId }: Context, id: string): Promise<Output<'revokeApiToken'>> {
  const [found] = await sql<{ json: Output<'revokeApiToken'> }[]>`
    select ${tokenJson(sql)} as json from ${ownTokens(sql)} t where t.id = ${id} and t.user_id = ${userId}`
  if (!found) throw notFound('api token')
  return found.json
}
