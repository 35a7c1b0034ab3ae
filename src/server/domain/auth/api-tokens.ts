import type { Input, Output } from '../../../contract/index.ts'
import { type Context, isApplication } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError, conflict, invalid, notFound, unauthorized } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { forgetAccessAfterCommit } from '../accounts/access-cache.ts'
import { auditInAllAccounts } from '../accounts/audit-log.ts'
import { asUser, lockUser } from '../accounts/users.ts'
import { createApiToken, revokeTokenTree } from './stored-api-tokens.ts'

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
    'revokedAt', api_time(t.revoked_at),
    'parentId', t.parent_id))`

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
         ${afterCursor(ctx.sql, page, 't.created_at', 't.id')}
         ${orderAndLimit(ctx.sql, page, 't.created_at', 't.id')}`,
  )

/** Selects API tokens without their hash, which this database role may not read. */
const ownTokens = (sql: Sql): Fragment => sql`(
  select id, user_id, name, prefix, is_read_only, expires_at, last_used_at, revoked_at, parent_id, created_at,
         updated_at
    from api_tokens)`

export async function createOwnApiToken(
  ctx: Context,
  { name, expiresAt: requestedExpiry, isReadOnly }: Input<'createApiToken'>,
): Promise<Output<'createApiToken'>> {
  const expiresAt = requestedExpiry === undefined ? undefined : new Date(requestedExpiry)
  if (expiresAt && expiresAt <= ctx.app.now()) throw invalid('expiresAt', 'must be in the future')
  await asUser(ctx)
  await lockUser(ctx.sql, ctx.userId)
  await checkTokenLimit(ctx)
  const parent = await readCreator(ctx)
  if (expiresAt && parent?.expiresAt && expiresAt > parent.expiresAt) {
    throw invalid(
      'expiresAt',
      `must not be after ${parent.expiresAt.toISOString()}, when its parent token expires`,
    )
  }
  const created = await createApiToken(ctx.sql, {
    userId: ctx.userId,
    name,
    expiresAt: expiresAt ?? parent?.expiresAt ?? undefined,
    isReadOnly,
    parentId: parent?.id,
  })
  await auditInAllAccounts(ctx, 'create', 'api_token', created.id)
  return { ...(await readToken(ctx, created.id)), token: created.token }
}

/** Throws Conflict at the limit. Revoked and expired tokens are not counted. */
async function checkTokenLimit({ sql, userId, app }: Context): Promise<void> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count
      from api_tokens
     where user_id = ${userId} and revoked_at is null and (expires_at is null or expires_at > ${app.now()})`
  if (count >= MAX_TOKENS) throw conflict(`You already have ${count} API tokens. Revoke one first.`)
}

/**
 * Returns the token that authenticated the request; undefined for a session. Throws if the token or session has been
 * revoked since. The caller must have locked the user, as revocations do, so that none can happen in the meantime.
 */
async function readCreator(ctx: Context): Promise<{ id: string; expiresAt: Date | null } | undefined> {
  if (isApplication(ctx)) throw new AppError('Forbidden', 'An application cannot create API tokens.')
  const { sql, userId } = ctx
  const [, by, id = ''] = /^(token|session):(.*)$/.exec(ctx.actor) ?? []
  if (!by) return undefined
  const [creator] =
    by === 'token'
      ? await sql<{ id: string; expiresAt: Date | null }[]>`
          select id, expires_at as "expiresAt"
            from api_tokens where id = ${id} and user_id = ${userId} and revoked_at is null`
      : await sql<{ id: string; expiresAt: null }[]>`
          select id, null as "expiresAt" from sessions where id = ${id} and user_id = ${userId}`
  if (!creator) throw unauthorized(`This ${by} was revoked.`)
  return by === 'token' ? creator : undefined
}

/** Revokes one of the caller's tokens and all tokens that were created with it. Idempotent. */
export async function revokeOwnApiToken(
  ctx: Context,
  { apiTokenId }: Input<'revokeApiToken'>,
): Promise<Output<'revokeApiToken'>> {
  await asUser(ctx)
  for (const id of await revokeTokenTree(ctx.sql, { id: apiTokenId, userId: ctx.userId })) {
    await auditInAllAccounts(ctx, 'revoke', 'api_token', id)
  }
  forgetAccessAfterCommit(ctx)
  return readToken(ctx, apiTokenId)
}

async function readToken({ sql, userId }: Context, id: string): Promise<Output<'revokeApiToken'>> {
  const [found] = await sql<{ json: Output<'revokeApiToken'> }[]>`
    select ${tokenJson(sql)} as json from ${ownTokens(sql)} t where t.id = ${id} and t.user_id = ${userId}`
  if (!found) throw notFound('API token')
  return found.json
}
