import { type App, inAccount } from '../../kernel/context.ts'
import { type ClaimedWebhook, releaseWebhook } from './claim-webhooks.ts'
import { deliver, findDueDeliveries } from './deliver-events.ts'
import { POST_TIMEOUT_MS } from './post-webhook.ts'

const SERVE_MS = 5_000
/**
 * Longer than it takes to serve a webhook, including its last attempts. A killed process blocks its webhooks for this
 * long.
 */
export const WEBHOOK_LEASE_MS = SERVE_MS + POST_TIMEOUT_MS + 10_000
const MAX_CONCURRENT = 10
/** After this many consecutive failures, deliver serially until an attempt succeeds. */
const SERIAL_AFTER_FAILURES = 10

/** Serves a claimed webhook: posts due deliveries concurrently until none is left or its time is up. */
export async function serveWebhook(app: App, claim: ClaimedWebhook, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + SERVE_MS
  const isOver = () => signal.aborted || performance.now() > endsAt
  const inFlight = new Map<string, Promise<void>>()
  const begin = (id: string, work: Promise<void>) => {
    const ended = work
      .catch(err => app.log.error({ webhookId: claim.webhookId, err }, 'engine: a delivery was not recorded'))
      .finally(() => inFlight.delete(id))
    inFlight.set(id, ended)
  }
  while (!isOver()) {
    const due = await findDueDeliveries(app, claim, [...inFlight.keys()])
    if (!due) break
    const concurrency = due.failures >= SERIAL_AFTER_FAILURES ? 1 : MAX_CONCURRENT
    for (const delivery of due.deliveries) {
      while (inFlight.size >= concurrency) await Promise.race(inFlight.values())
      if (isOver()) break
      begin(delivery.id, deliver(app, due, delivery))
    }
    if (due.deliveries.length > 0) continue
    if (inFlight.size === 0) break
    await Promise.race(inFlight.values())
  }
  await Promise.all(inFlight.values())
  await inAccount(app.db.work, claim.accountId, tx => releaseWebhook(tx, claim))
}
