import type { App, Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { setBounded } from '../../kernel/set-bounded.ts'

const MAX_ENTRIES = 10_000
/** Limits how stale an entry gets while the database's notifications are cut off. */
const MAX_AGE_MS = 1_000

/** Functions that clear this process's caches, by connection pool. */
const clearers = new WeakMap<Sql, Set<() => void>>()

/** Clears the caches of this process. Call this after revoking access, instead of waiting for the notification. */
export function forgetAccess({ db }: Pick<App, 'db'>): void {
  for (const clear of clearers.get(db.access) ?? []) clear()
}

/** Clears the caches once the request's transaction has committed, before the response is sent. */
export const forgetAccessAfterCommit = ({ app, afterCommit }: Pick<Context, 'app' | 'afterCommit'>): void =>
  afterCommit(async () => forgetAccess(app))

/**
 * Opens a cache of lookups: returns a function that reads from the cache or calls `read`. Entries live for at most a
 * second and are all dropped when the database notifies that access changed. A lookup that began before the change
 * stores its result in the discarded map.
 */
export async function openAccessCache<T>({
  db,
  now,
}: Pick<App, 'db' | 'now'>): Promise<
  (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>
> {
  let entries = new Map<string, { found: Promise<T | undefined>; readAt: number }>()
  const clear = () => {
    entries = new Map()
  }
  const poolClearers = clearers.get(db.access) ?? new Set()
  clearers.set(db.access, poolClearers.add(clear))
  // Also clears after each reconnect, because notifications sent in the meantime are lost.
  await db.access.listen('access_changed', clear, clear)
  return (key, read) => {
    const entry = entries.get(key)
    const age = entry ? now().getTime() - entry.readAt : -1
    // A clock that was set back must not make an entry live longer.
    if (entry && age >= 0 && age < MAX_AGE_MS) return entry.found
    const current = entries
    const found = read()
    setBounded(current, key, { found, readAt: now().getTime() }, MAX_ENTRIES)
    const remove = () => {
      if (current.get(key)?.found === found) current.delete(key)
    }
    found.then(value => value === undefined && remove(), remove)
    return found
  }
}
