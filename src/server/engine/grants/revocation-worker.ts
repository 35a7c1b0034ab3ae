import {
  claimRevocations,
  performRevocation,
  REVOCATION_LEASE_MS,
} from '../../domain/mailboxes/revoke-grants.ts'
import { openWorker } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'

/** Revokes grants of removed mailboxes at their provider. */
export const openRevocationWorker = (app: App): AsyncDisposable =>
  openWorker(app, {
    queue: 'revocations',
    pollMs: 5_000,
    leaseMs: REVOCATION_LEASE_MS,
    concurrency: 2,
    claim: limit => claimRevocations(app.db.engine, { now: app.now(), limit }),
    prepare: () => undefined,
    perform: claim => performRevocation(app, claim),
    logError: (claim, err) =>
      app.log.error({ ...claim, err }, 'engine: revoking a grant failed; retrying after the lease'),
  })
