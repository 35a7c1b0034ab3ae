import type { App } from '../context.ts'
import { failpoint } from '../failpoints.ts'
import { waitAtMost } from '../wait-at-most.ts'
import { claimWebhooks } from '../webhooks/claim-webhooks.ts'
import { serveWebhook, WEBHOOK_LEASE_MS } from '../webhooks/serve-webhook.ts'
import { hasSlept } from './has-slept.ts'

const CLAIM_MS = 250
const FAULT_MS = 2_000
/** Each posts some events at a time, and a slow one waits for itself alone. */
const MAX_TURNS = 50

/** Gives each webhook that events are due for its turn. Disposing claims no more and lets what is under way end. */
export function openWebhookTurns(app: App): AsyncDisposable {
  const stop = new AbortController()
  const turns = new Set<Promise<void>>()
  const claiming = run()

  async function run(): Promise<void> {
    let waitMs = CLAIM_MS
    while (await hasSlept(waitMs, stop.signal)) {
      try {
        waitMs = CLAIM_MS
        if (!(await waitAtMost(WEBHOOK_LEASE_MS, claim()))) app.log.error('engine: claiming webhooks hangs')
      } catch (err) {
        waitMs = FAULT_MS
        app.log.error({ err }, 'engine: webhooks were not claimed; the next time tries again')
      }
    }
  }

  async function claim(): Promise<void> {
    const limit = MAX_TURNS - turns.size
    if (limit === 0) return
    const due = { now: app.now(), limit, leaseMs: WEBHOOK_LEASE_MS }
    for (const claim of await claimWebhooks(app.db.engine, due)) {
      await failpoint('webhook.claimed', claim.webhookId)
      const turn = serveWebhook(app, claim, stop.signal)
        .catch(err =>
          app.log.error({ webhookId: claim.webhookId, err }, 'engine: a turn failed; its lease will end'),
        )
        .finally(() => turns.delete(turn))
      turns.add(turn)
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await claiming
      await Promise.all(turns)
    },
  }
}
