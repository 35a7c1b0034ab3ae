import { timingSafeEqual } from 'node:crypto'
import type { Role } from '../../contract/permissions.ts'
import type { App, Identity } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { type ParsedToken, parseToken } from './api-tokens.ts'

/** What a token opens. */
export type Access = {
  tokenId: string
  userId: string
  isReadOnly: boolean
  /** The accounts of its user, the one joined first in front. */
  memberships: { accountId: string; role: Role }[]
}

export type AccessFinder = AsyncDisposable & {
  /** Undefined when the text is no token, or a revoked or expired one. A fault of the database is thrown as such. */
  find: (text: string) => Promise<Access | undefined>
}

type Entry = { access: Access; expiresAt: number; readAt: number }
/** What is known since the last change; a lookup that began before a change ends in what nobody reads any more. */
type Known = { entries: Map<string, Entry>; lookups: Map<string, Promise<Entry | undefined>> }

const MAX_ENTRIES = 10_000
/** Holds even when the database's notifications are cut off. */
const MAX_AGE_MS = 2_000
const TOUCH_EVERY_MS = 60_000

/**
 * Finds what tokens open. It remembers for at most two seconds, and drops everything the moment the database tells
 * that a token or a membership changed, so a revocation counts in every process with the next request.
 */
export async function openAccess({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>): Promise<AccessFinder> {
  let known: Known
  const forgetAll = () => {
    known = { entries: new Map(), lookups: new Map() }
  }
  forgetAll()
  // Also after each new connection, because what was told meanwhile is lost.
  await db.auth.listen('access_changed', forgetAll, forgetAll)
  const lastUse = openLastUse({ db, now, log })

  const isFresh = ({ readAt }: Entry): boolean => {
    const age = now().getTime() - readAt
    // A clock that was set back must not make an entry live longer.
    return age >= 0 && age < MAX_AGE_MS
  }

  const lookUp = async ({ entries, lookups }: Known, key: string, token: ParsedToken) => {
    try {
      const readAt = now().getTime()
      const entry = await readAccess(db.auth, token, readAt)
      if (entry) remember(entries, key, entry)
      return entry
    } finally {
      lookups.delete(key)
    }
  }

  const findEntry = (token: ParsedToken): Entry | undefined | Promise<Entry | undefined> => {
    const key = token.hash.toString('base64')
    const entry = known.entries.get(key)
    if (entry && isFresh(entry)) return entry
    const running = known.lookups.get(key)
    if (running) return running
    const lookup = lookUp(known, key, token)
    known.lookups.set(key, lookup)
    return lookup
  }

  return {
    find: async text => {
      const token = parseToken(text)
      const entry = token && (await findEntry(token))
      if (!entry || entry.expiresAt <= now().getTime()) return undefined
      lastUse.note(entry.access.tokenId)
      return entry.access
    },
    // The listening connection ends with its pool.
    [Symbol.asyncDispose]: () => lastUse.settle(),
  }
}

/** Keeps a bounded map in the order of writing, so that the oldest goes first. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value!)
  map.set(key, value)
}

async function readAccess(
  auth: App['db']['auth'],
  { prefix, hash }: ParsedToken,
  readAt: number,
): Promise<Entry | undefined> {
  const [row] = await auth<(Access & { tokenHash: Buffer; expiresAt: Date | null })[]>`
    select t.id as "tokenId", t.user_id as "userId", t.is_read_only as "isReadOnly",
           t.token_hash as "tokenHash", t.expires_at as "expiresAt",
           (select coalesce(json_agg(json_build_object('accountId', m.account_id, 'role', m.role)
                                     order by m.created_at, m.account_id), '[]')
              from members m
             where m.user_id = t.user_id) as memberships
      from api_tokens t
     where t.prefix = ${prefix} and t.revoked_at is null`
  if (!row || !timingSafeEqual(row.tokenHash, hash)) return undefined
  const { tokenId, userId, isReadOnly, memberships, expiresAt } = row
  return {
    access: { tokenId, userId, isReadOnly, memberships },
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    readAt,
  }
}

/** Notes when a token was last used: in the background, at most once a minute a token over all processes. */
function openLastUse({ db, now, log }: Pick<App, 'db' | 'now' | 'log'>) {
  const notedAt = new Map<string, number>()
  const writes = new Set<Promise<void>>()

  const write = async (tokenId: string, at: number): Promise<void> => {
    try {
      await db.auth`
        update api_tokens
           set last_used_at = ${new Date(at)}
         where id = ${tokenId} and (last_used_at is null or last_used_at <= ${new Date(at - TOUCH_EVERY_MS)})`
    } catch (error) {
      log.warn({ err: error, tokenId }, 'access: the last use of a token could not be noted')
    }
  }

  return {
    note: (tokenId: string): void => {
      const at = now().getTime()
      if (at - (notedAt.get(tokenId) ?? Number.NEGATIVE_INFINITY) < TOUCH_EVERY_MS) return
      remember(notedAt, tokenId, at)
      const writing = write(tokenId, at).finally(() => writes.delete(writing))
      writes.add(writing)
    },
    settle: async (): Promise<void> => {
      await Promise.all(writes)
    },
  }
}

/** The account a request acts on: the one its header names, or the only one. Throws Unauthorized with the reason. */
export function resolveAccount(access: Access, accountId: string | undefined): Identity {
  const { tokenId, userId, isReadOnly, memberships } = access
  const [first, second] = memberships
  if (!first) throw unauthorized('The user of this token is in no account.')
  if (!accountId && second) {
    throw unauthorized('You have several accounts. Say which one in the header x-account-id.')
  }
  const member = accountId
    ? memberships.find(membership => membership.accountId === accountId.toLowerCase())
    : first
  if (!member) throw unauthorized('The header x-account-id names no account of yours.')
  return {
    accountId: member.accountId,
    userId,
    role: member.role,
    actor: `token:${tokenId}`,
    isReadOnly,
  }
}
