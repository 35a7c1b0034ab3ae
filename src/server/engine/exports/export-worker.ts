import { claimExports } from '../../domain/reports/claim-exports.ts'
import { EXPORT_LEASE_MS, writeExport } from '../../domain/reports/write-export.ts'
import { openWorker } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'

/** Writes the exports that users started. Disposing stops after the current pages; another worker continues. */
export const openExportWorker = (app: App): AsyncDisposable =>
  openWorker(app, {
    queue: 'exports',
    pollMs: 1_000,
    leaseMs: EXPORT_LEASE_MS,
    concurrency: 2,
    claim: limit => claimExports(app.db.engine, { now: app.now(), limit, leaseMs: EXPORT_LEASE_MS }),
    prepare: () => undefined,
    perform: (claim, signal) => writeExport(app, claim, signal),
    logError: ({ exportId }, err) =>
      app.log.error({ exportId, err }, 'engine: writing an export failed; retrying after the lease'),
  })
