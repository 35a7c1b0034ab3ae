import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import { lockUser } from '../accounts/users.ts'
import { generateToken, parseToken } from './api-token-format.ts'

/** Creates a token. It is only returned here: the database stores its SHA-256, which is enough for 178 random bits. */
export async function createApiToken(
  auth: Sql,
  {
    userId,
    name,
    expiresAt,
    isReadOnly = false,
    parentId,
  }: {
    userId: string
    name: string
    expiresAt?: Date | undefined
    isReadOnly?: boolean | undefined
    parentId?: string | undefined
  },
): Promise<{ id: string; token: string }> {
  const id = randomUUIDv7()
  const token = generateToken()
  const { prefix, hash } = parseToken(token)!
  await auth`
    insert into api_tokens (id, user_id, name, prefix, token_hash, is_read_only, expires_at, parent_id)
    values (${id}, ${userId}, ${name}, ${prefix}, ${hash}, ${isReadOnly}, ${expiresAt ?? null}, ${parentId ?? null})`
  return { id, token }
}

export type ApiToken = {
  id: string
  prefix: string
  name: string
  email: string
  isReadOnly: boolean
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** Lists the tokens of one user or of all users, newest first. */
export const listApiTokens = (auth: Sql, { userId }: { userId?: string | undefined } = {}) => auth<
  ApiToken[]
>`
  select t.id, t.prefix, t.name, u.email, t.is_read_only as "isReadOnly", t.created_at as "createdAt",
         t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", t.revoked_at as "revokedAt"
    from api_tokens t
    join users u on u.id = t.user_id
   ${userId ? auth`where t.user_id = ${userId}` : auth``}
   order by t.created_at desc, t.id desc`

/**
 * Revokes a token and its descendants; returns the IDs of those that were not revoked before. Locks the user, as
 * creating a token does, so that no descendant is created in the meantime.
 */
export async function revokeTokenTree(
  sql: Sql,
  { id, userId }: { id: string; userId: string },
): Promise<string[]> {
  await lockUser(sql, userId)
  const revoked = await sql<{ id: string }[]>`
    with recursive tree as (
      select id from api_tokens where id = ${id} and user_id = ${userId}
      union all
      select child.id from api_tokens child join tree on child.parent_id = tree.id)
    update api_tokens
       set revoked_at = now(), updated_at = now()
     where id in (select id from tree) and revoked_at is null
 returning id`
  return revoked.map(token => token.id)
}

/** Revokes a token of any user with its descendants. Idempotent. */
export async function revokeApiToken(
  auth: Sql,
  tokenId: string,
): Promise<{ userId: string; revokedAt: Date; revokedIds: string[] }> {
  const [owner] = await auth<{ userId: string }[]>`
    select user_id as "userId" from api_tokens where id = ${tokenId}`
  if (!owner) throw notFound('API token')
  const { userId } = owner
  const revokedIds = await revokeTokenTree(auth, { id: tokenId, userId })
  const [token] = await auth<[{ revokedAt: Date }]>`
    select revoked_at as "revokedAt" from api_tokens where id = ${tokenId}`
  return { userId, revokedAt: token.revokedAt, revokedIds }
}
