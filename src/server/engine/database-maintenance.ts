import { hasSlept } from '../kernel/async/sleep.ts'
import type { App } from '../kernel/context.ts'
import { analyzeGrownTables, endFrozenSessions } from '../kernel/db/database.ts'

const EVERY_MS = 2_000

/**
 * What PostgreSQL does too late by itself: a first import is worked on at once, by plans for as many as it brought, and a
 * process that stands still keeps nobody from what it had locked for longer than a statement may take.
 */
export async function keepDatabase({ db, log }: App, until: AbortSignal): Promise<void> {
  while (await hasSlept(EVERY_MS, until)) {
    try {
      await analyzeGrownTables(db.engine)
      const ended = await endFrozenSessions(db.engine)
      if (ended > 0)
        log.warn({ sessions: ended }, 'engine: sessions of processes that stand still were ended')
    } catch (err) {
      log.warn({ err }, 'engine: the database was not looked after; the next time tries again')
    }
  }
}
