import type { TestApp } from '../app.ts'

/** Reports whether a transaction waits for a lock that another one holds. */
export async function isWaitingForLock(app: TestApp): Promise<boolean> {
  const waiting = await app.owner`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
  return waiting.count > 0
}
