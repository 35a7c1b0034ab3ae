import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../../src/server/kernel/db/database.ts'
import type { TestApp } from '../app.ts'

/** Reports whether a transaction waits for a lock that another transaction holds. */
export async function isWaitingForLock(app: TestApp): Promise<boolean> {
  const waiting = await app.owner`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`
  return waiting.count > 0
}

export async function waitForLock(app: TestApp): Promise<void> {
  while (!(await isWaitingForLock(app))) await sleep(20)
}

/** Makes PostgreSQL roll back the other transaction when this one takes part in a deadlock. */
export const winDeadlock = (tx: Sql) => tx`select set_config('deadlock_timeout', '60s', true)`
