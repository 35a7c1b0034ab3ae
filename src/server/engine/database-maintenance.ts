import { deleteOldDmarcReports } from '../domain/domains/store-dmarc-report.ts'
import { deleteOldCopies } from '../domain/mailboxes/sent-copies.ts'
import { deleteUnusedUploads } from '../domain/messages/stored-attachments.ts'
import { deleteExpiredExports } from '../domain/reports/exports.ts'
import { deleteOldDeliveries } from '../domain/webhooks/deliveries.ts'
import { deleteOldEvents, resetRestoredEvents } from '../domain/webhooks/events.ts'
import { sleep } from '../kernel/async/sleep.ts'
import type { App } from '../kernel/context.ts'
import { analyzeGrownTables, endFrozenSessions } from '../kernel/db/database.ts'

const INTERVAL_MS = 2_000

/**
 * Analyzes tables that have just grown, so that queries after a first import get suitable plans. Terminates sessions of
 * frozen processes, so that they hold their locks no longer than the statement timeout. PostgreSQL does both too late.
 * Also deletes expired data.
 */
export async function maintainDatabase({ db, log, now }: App, signal: AbortSignal): Promise<void> {
  let isReset = false
  while (await sleep(INTERVAL_MS, signal)) {
    try {
      if (!isReset) await resetRestoredEvents(db.engine)
      isReset = true
      await deleteOldEvents(db.engine, now())
      await deleteOldDeliveries(db.engine, now())
      await deleteOldDmarcReports(db.engine, now())
      await deleteExpiredExports(db.engine, now())
      await deleteUnusedUploads(db.engine, now())
      await deleteOldCopies(db.engine, now())
      await analyzeGrownTables(db.engine)
      const ended = await endFrozenSessions(db.engine)
      if (ended > 0) log.warn({ sessions: ended }, 'engine: ended database sessions of frozen processes')
    } catch (err) {
      log.warn({ err }, 'engine: database maintenance failed; retrying')
    }
  }
}
