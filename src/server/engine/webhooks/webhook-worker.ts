import { claimWebhooks } from '../../domain/webhooks/claim-webhooks.ts'
import { serveWebhook, WEBHOOK_LEASE_MS } from '../../domain/webhooks/serve-webhook.ts'
import { openWorker } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'
import { failpoint } from '../../kernel/failpoints.ts'

/**
 * Delivers due events to webhooks. Each job posts some events to one webhook, so a slow receiver delays only itself.
 * Disposing stops claiming and waits for the posts in flight.
 */
export const openWebhookWorker = (app: App): AsyncDisposable =>
  openWorker(app, {
    queue: 'webhooks',
    pollMs: 250,
    leaseMs: WEBHOOK_LEASE_MS,
    concurrency: 50,
    claim: limit => claimWebhooks(app.db.engine, { now: app.now(), limit, leaseMs: WEBHOOK_LEASE_MS }),
    prepare: ({ webhookId }) => failpoint('webhook.claimed', webhookId),
    perform: (claim, signal) => serveWebhook(app, claim, signal),
    logError: ({ webhookId }, err) =>
      app.log.error({ webhookId, err }, 'engine: delivering webhook events failed; retrying after the lease'),
  })
