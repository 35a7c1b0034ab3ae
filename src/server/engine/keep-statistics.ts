import type { App } from '../context.ts'
import { hasSlept } from './has-slept.ts'

const EVERY_MS = 2_000

/** Lets PostgreSQL know of tables that grow, long before it would look by itself: a first import is worked on at once. */
export async function keepStatistics({ db, log }: App, until: AbortSignal): Promise<void> {
  while (await hasSlept(EVERY_MS, until)) {
    try {
      await db.engine`select analyze_grown_tables()`
    } catch (err) {
      log.warn({ err }, 'engine: tables that grew were not looked at; the next time tries again')
    }
  }
}
