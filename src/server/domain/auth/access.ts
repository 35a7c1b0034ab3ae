import { timingSafeEqual } from 'node:crypto'
import type { Role } from '../../../contract/permissions.ts'
import type { App, Identity } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { setBounded } from '../../kernel/set-bounded.ts'
import { openAccessCache } from '../accounts/access-cache.ts'
import { type ParsedToken, parseToken } from './api-token-format.ts'
import { hashSessionToken, IDLE_MS } from './sessions.ts'

/** The user and accounts that a token or session gives access to. */
export type Access = {
  by: 'token' | 'session'
  id: string
  userId: string
  isReadOnly: boolean
  /** The time at which the user of a session last authenticated; null when unknown. */
  authenticatedAt?: Date | null
  /** The user's accounts, in the order in which the user joined them. */
  memberships: { accountId: string; role: Role }[]
}

export type AccessFinder = AsyncDisposable & {
  /** Returns undefined if the token is malformed, unknown, revoked or expired. Rethrows database errors. */
  find: (text: string, use?: Use) => Promise<Access | undefined>
  /** Like `find`, for a session token. */
  findSession: (text: string, use?: Use) => Promise<Access | undefined>
}

/** Options of a lookup. With `countsAsUse: false`, it is not recorded as a use, so it does not prolong a session. */
type Use = { countsAsUse: boolean }

/** The key to look up: the hash of a session token, or the public prefix of an API token with its hash. */
type Credential = { by: 'session'; hash: Buffer } | ({ by: 'token' } & ParsedToken)

type Entry = { access: Access; expiresAt: number }

const MAX_RECORDED = 10_000
const TOUCH_EVERY_MS = 60_000

/**
 * Opens the lookup of what tokens and sessions give access to. It caches for at most a second, and clears the cache
 * when the database announces a change, so a revocation takes effect in every process with the next request.
 */
export async function openAccess({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>): Promise<AccessFinder> {
  const findCached = await openAccessCache<Entry>({ db, now })
  const lastUse = openLastUse({ db, now, log })

  const find = async (credential: Credential | undefined, { countsAsUse } = { countsAsUse: true }) => {
    if (!credential) return undefined
    const key = `${credential.by} ${credential.hash.toString('base64')}`
    const entry = await findCached(key, () => readAccess(db.access, credential))
    if (!entry || entry.expiresAt <= now().getTime()) return undefined
    if (countsAsUse) lastUse.record(entry.access)
    return entry.access
  }

  return {
    find: async (text, use) => {
      const token = parseToken(text)
      return find(token && { by: 'token', ...token }, use)
    },
    findSession: async (text, use) => {
      const hash = hashSessionToken(text)
      return find(hash && { by: 'session', hash }, use)
    },
    // The listening connection closes with its pool.
    [Symbol.asyncDispose]: () => lastUse.flush(),
  }
}

async function readAccess(sql: Sql, credential: Credential): Promise<Entry | undefined> {
  const memberships = sql`
    (select coalesce(json_agg(json_build_object('accountId', m.account_id, 'role', m.role)
                              order by m.created_at, m.account_id), '[]')
       from members m
      where m.user_id = c.user_id) as memberships`
  const [row] = await sql<(Omit<Access, 'by'> & { tokenHash: Buffer; expiresAt: Date | null })[]>`
    ${
      credential.by === 'token'
        ? sql`
    select c.id, c.user_id as "userId", c.is_read_only as "isReadOnly", c.token_hash as "tokenHash",
           c.expires_at as "expiresAt", ${memberships}
      from api_tokens c
     where c.prefix = ${credential.prefix} and c.revoked_at is null`
        : sql`
    select c.id, c.user_id as "userId", false as "isReadOnly", c.token_hash as "tokenHash",
           c.authenticated_at as "authenticatedAt",
           least(c.expires_at, c.last_seen_at + ${IDLE_MS} * interval '1 ms') as "expiresAt", ${memberships}
      from sessions c
     where c.token_hash = ${credential.hash}`
    }`
  if (!row || !timingSafeEqual(row.tokenHash, credential.hash)) return undefined
  const { tokenHash: _, expiresAt, ...access } = row
  return {
    access: { by: credential.by, ...access },
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * Records the last use of tokens and sessions in the background, at most once a minute for each across all processes.
 */
function openLastUse({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>) {
  const recordedAt = new Map<string, number>()
  const writes = new Set<Promise<void>>()

  const write = async ({ by, id }: Access, at: number): Promise<void> => {
    const before = new Date(at - TOUCH_EVERY_MS)
    try {
      await (by === 'token'
        ? db.auth`
        update api_tokens set last_used_at = ${new Date(at)}
         where id = ${id} and (last_used_at is null or last_used_at <= ${before})`
        : db.auth`update sessions set last_seen_at = ${new Date(at)} where id = ${id} and last_seen_at <= ${before}`)
    } catch (error) {
      log.warn({ err: error, [`${by}Id`]: id }, `access: the last use of a ${by} could not be recorded`)
    }
  }

  return {
    record: (access: Access): void => {
      const at = now().getTime()
      if (at - (recordedAt.get(access.id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
      setBounded(recordedAt, access.id, at, MAX_RECORDED)
      const writing = write(access, at).finally(() => writes.delete(writing))
      writes.add(writing)
    },
    flush: async (): Promise<void> => {
      await Promise.all(writes)
    },
  }
}

/**
 * Returns the account that a request acts on: the account named in its header. Without the header, returns the user's
 * only account or, for a session, the account that the user joined first. Throws Unauthorized with the reason.
 */
export function resolveAccount(access: Access, accountId: string | undefined): Identity {
  const { by, id, userId, isReadOnly, authenticatedAt, memberships } = access
  const [first, second] = memberships
  if (!first) throw unauthorized(`The user of this ${by} doesn't belong to any account.`)
  if (!accountId && second && by === 'token') {
    throw unauthorized('You have several accounts. Choose one with the x-account-id header.')
  }
  const member = accountId
    ? memberships.find(membership => membership.accountId === accountId.toLowerCase())
    : first
  if (!member) throw unauthorized('The x-account-id header must name an account that you belong to.')
  const { role } = member
  return { accountId: member.accountId, userId, role, actor: `${by}:${id}`, isReadOnly, authenticatedAt }
}
