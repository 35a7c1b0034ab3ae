import { claimWebhooks } from '../../domain/webhooks/claim-webhooks.ts'
import { serveWebhook, WEBHOOK_LEASE_MS } from '../../domain/webhooks/serve-webhook.ts'
import { openTurns } from '../../kernel/async/worker.ts'
import type { App } from '../../kernel/context.ts'
import { failpoint } from '../../kernel/failpoints.ts'

/** Gives each webhook that events are due for its turn. Disposing claims no more and lets what is under way end. */
export const openWebhookTurns = (app: App): AsyncDisposable =>
  openTurns(app, {
    what: 'webhooks',
    claimMs: 250,
    leaseMs: WEBHOOK_LEASE_MS,
    // Each posts some events at a time, and a slow one waits for itself alone.
    most: 50,
    claim: limit => claimWebhooks(app.db.engine, { now: app.now(), limit, leaseMs: WEBHOOK_LEASE_MS }),
    begin: ({ webhookId }) => failpoint('webhook.claimed', webhookId),
    take: (claim, signal) => serveWebhook(app, claim, signal),
    logFault: ({ webhookId }, err) =>
      app.log.error({ webhookId, err }, 'engine: a turn failed; its lease will end'),
  })
