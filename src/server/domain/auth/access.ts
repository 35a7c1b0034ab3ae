import { timingSafeEqual } from 'node:crypto'
import type { Role } from '../../../contract/permissions.ts'
import type { App, Identity } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { unauthorized } from '../../kernel/errors.ts'
import { openAccessCache } from '../accounts/access-cache.ts'
import { hashSessionToken, IDLE_MS } from './sessions.ts'
import { type ParsedToken, parseToken } from './stored-api-tokens.ts'

/** What a token or a session opens. */
export type Access = {
  by: 'token' | 'session'
  id: string
  userId: string
  isReadOnly: boolean
  /** When the person of a session last proved who they are, if that is known. */
  authenticatedAt?: Date | null
  /** The accounts of its user, the one joined first in front. */
  memberships: { accountId: string; role: Role }[]
}

export type AccessFinder = AsyncDisposable & {
  /** Undefined when the text is no token, or a revoked or expired one. A fault of the database is thrown as such. */
  find: (text: string) => Promise<Access | undefined>
  /** The same for the token of a session. */
  findSession: (text: string) => Promise<Access | undefined>
}

/** What is shown, ready to be looked up: a session is found by its hash, an API token by its public part. */
type Credential = { by: 'session'; hash: Buffer } | ({ by: 'token' } & ParsedToken)

type Entry = { access: Access; expiresAt: number }

const MAX_NOTED = 10_000
const TOUCH_EVERY_MS = 60_000

/**
 * Finds what tokens and sessions open. It remembers for at most a second, and drops everything the moment the
 * database tells that one of them or a membership changed, so a revocation counts in every process with the next request.
 */
export async function openAccess({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>): Promise<AccessFinder> {
  const findCached = await openAccessCache<Entry>({ db, now })
  const lastUse = openLastUse({ db, now, log })

  const find = async (credential: Credential | undefined): Promise<Access | undefined> => {
    if (!credential) return undefined
    const key = `${credential.by} ${credential.hash.toString('base64')}`
    const entry = await findCached(key, () => readAccess(db.access, credential))
    if (!entry || entry.expiresAt <= now().getTime()) return undefined
    lastUse.note(entry.access)
    return entry.access
  }

  return {
    find: async text => {
      const token = parseToken(text)
      return find(token && { by: 'token', ...token })
    },
    findSession: async text => {
      const hash = hashSessionToken(text)
      return find(hash && { by: 'session', hash })
    },
    // The listening connection ends with its pool.
    [Symbol.asyncDispose]: () => lastUse.settle(),
  }
}

/** Keeps a bounded map in the order of writing, so that the oldest goes first. */
function remember(map: Map<string, number>, key: string, value: number): void {
  map.delete(key)
  if (map.size >= MAX_NOTED) map.delete(map.keys().next().value!)
  map.set(key, value)
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

/** Notes when a token or session was last used: in the background, at most once a minute each over all processes. */
function openLastUse({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>) {
  const notedAt = new Map<string, number>()
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
      log.warn({ err: error, [`${by}Id`]: id }, `access: the last use of a ${by} could not be noted`)
    }
  }

  return {
    note: (access: Access): void => {
      const at = now().getTime()
      if (at - (notedAt.get(access.id) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
      remember(notedAt, access.id, at)
      const writing = write(access, at).finally(() => writes.delete(writing))
      writes.add(writing)
    },
    settle: async (): Promise<void> => {
      await Promise.all(writes)
    },
  }
}

/**
 * The account a request acts on: the one its header names, or the only one; with a session the one joined first.
 * Throws Unauthorized with the reason.
 */
export function resolveAccount(access: Access, accountId: string | undefined): Identity {
  const { by, id, userId, isReadOnly, authenticatedAt, memberships } = access
  const [first, second] = memberships
  if (!first) throw unauthorized(`The user of this ${by} is in no account.`)
  if (!accountId && second && by === 'token') {
    throw unauthorized('You have several accounts. Say which one in the header x-account-id.')
  }
  const member = accountId
    ? memberships.find(membership => membership.accountId === accountId.toLowerCase())
    : first
  if (!member) throw unauthorized('The header x-account-id names no account of yours.')
  const { role } = member
  return { accountId: member.accountId, userId, role, actor: `${by}:${id}`, isReadOnly, authenticatedAt }
}
