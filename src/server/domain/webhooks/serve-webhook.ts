import { type App, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type ClaimedWebhook, releaseWebhook } from './claim-webhooks.ts'
import { deliver, findDueDeliveries } from './deliver-events.ts'
import { POST_TIMEOUT_MS } from './post-webhook.ts'

const TURN_MS = 5_000
/** Longer than a turn with its last attempts. A killed process holds up its webhooks for as long. */
export const WEBHOOK_LEASE_MS = TURN_MS + POST_TIMEOUT_MS + 10_000
const AT_ONCE = 10
/** From so many failures in a row on it is asked one by one, until it answers again. */
const FAILING = 10
const KEPT_MS = 30 * 86_400_000
const FORGOTTEN_AT_ONCE = 1_000

/** A claimed webhook's turn: what is due is posted, some at a time, until nothing is left or its time is over. */
export async function serveWebhook(app: App, claim: ClaimedWebhook, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + TURN_MS
  const isOver = () => signal.aborted || performance.now() > endsAt
  const underWay = new Map<string, Promise<void>>()
  const begin = (id: string, work: Promise<void>) => {
    const ended = work
      .catch(err => app.log.error({ webhookId: claim.webhookId, err }, 'engine: a delivery was not recorded'))
      .finally(() => underWay.delete(id))
    underWay.set(id, ended)
  }
  while (!isOver()) {
    const due = await findDueDeliveries(app, claim, [...underWay.keys()])
    if (!due) break
    const atOnce = due.failures >= FAILING ? 1 : AT_ONCE
    for (const delivery of due.deliveries) {
      while (underWay.size >= atOnce) await Promise.race(underWay.values())
      if (isOver()) break
      begin(delivery.id, deliver(app, due, delivery))
    }
    if (due.deliveries.length > 0) continue
    if (underWay.size === 0) break
    await Promise.race(underWay.values())
  }
  await Promise.all(underWay.values())
  await inAccount(app.db.work, claim.accountId, async tx => {
    await forgetOldDeliveries(tx, claim, new Date(app.now().getTime() - KEPT_MS))
    await releaseWebhook(tx, claim)
  })
}

/** What was delivered or given up, once it is old. */
const forgetOldDeliveries = (tx: Sql, { webhookId }: ClaimedWebhook, madeBefore: Date) => tx`
  delete from webhook_deliveries
   where account_id = current_account_id()
     and id = any(array(select id
                          from webhook_deliveries
                         where account_id = current_account_id() and webhook_id = ${webhookId}
                           and created_at < ${madeBefore} and status <> 'pending'
                         order by created_at, id
                         limit ${FORGOTTEN_AT_ONCE}))`
