import type { App, Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'

const MAX_ENTRIES = 10_000
/** Holds even when the database's notifications are cut off. */
const MAX_AGE_MS = 1_000

const memories = new WeakMap<Sql, Set<() => void>>()

/** For who has just ended something: this process must not wait until the database tells of it. */
export function forgetAccess({ db }: Pick<App, 'db'>): void {
  for (const forget of memories.get(db.access) ?? []) forget()
}

/** The same for a write: once it is committed, and before it is answered. */
export const forgetAccessAfterCommit = ({ app, afterCommit }: Pick<Context, 'app' | 'afterCommit'>): void =>
  afterCommit(async () => forgetAccess(app))

/**
 * What was found by a key, for a second at most; all of it is dropped the moment the database tells that access
 * changed. A look-up that began before a change ends in what nobody reads any more. `read` looks up what is not known
 * under that key.
 */
export async function openRemembered<T>({
  db,
  now,
}: Pick<App, 'db' | 'now'>): Promise<
  (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>
> {
  let known = new Map<string, { found: Promise<T | undefined>; readAt: number }>()
  const forgetAll = () => {
    known = new Map()
  }
  const beside = memories.get(db.access) ?? new Set()
  memories.set(db.access, beside.add(forgetAll))
  // Also after each new connection, because what was told meanwhile is lost.
  await db.access.listen('access_changed', forgetAll, forgetAll)
  return (key, read) => {
    const entry = known.get(key)
    const age = entry ? now().getTime() - entry.readAt : -1
    // A clock that was set back must not make an entry live longer.
    if (entry && age >= 0 && age < MAX_AGE_MS) return entry.found
    const ours = known
    const found = read()
    ours.delete(key)
    if (ours.size >= MAX_ENTRIES) ours.delete(ours.keys().next().value!)
    ours.set(key, { found, readAt: now().getTime() })
    const forget = () => {
      if (ours.get(key)?.found === found) ours.delete(key)
    }
    found.then(one => one === undefined && forget(), forget)
    return found
  }
}
