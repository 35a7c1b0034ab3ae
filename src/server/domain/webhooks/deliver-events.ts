import { type App, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import type { ClaimedWebhook } from './claim-webhooks.ts'
import { readEventData } from './event-data.ts'
import { type PostResult, postWebhook } from './post-webhook.ts'
import { getNextAttempt } from './retry-schedule.ts'
import { toSignedHeaders } from './sign-webhook.ts'
import { decryptWebhookSecret } from './webhook-secrets.ts'

const DISABLED_AFTER_MS = 5 * 86_400_000
const BATCH_SIZE = 50

/** A claimed webhook and its due deliveries, first attempts first. */
export type DueDeliveries = {
  claim: ClaimedWebhook
  url: string
  secrets: string[]
  failures: number
  deliveries: DueDelivery[]
}

type DueDelivery = {
  id: string
  eventId: string
  eventType: string
  objectId: string
  createdAt: Date
  attempts: number
  data: string
}

type StoredDelivery = Omit<DueDelivery, 'data'> & { data: string | null }

/** Finds due deliveries except those in flight. Returns undefined when the claim is void or the webhook is disabled. */
export async function findDueDeliveries(
  app: App,
  claim: ClaimedWebhook,
  inFlight: readonly string[],
): Promise<DueDeliveries | undefined> {
  const { accountId, webhookId, epoch } = claim
  const now = app.now()
  const [webhook, due] = await inAccount(app.db.work, accountId, tx =>
    Promise.all([
      tx<{ url: string; failures: number; secret: Buffer; previousSecret: Buffer | null }[]>`
        select url, failures, secret,
               case when previous_secret_ends_at > ${now} then previous_secret end as "previousSecret"
          from webhooks
         where account_id = ${accountId} and id = ${webhookId} and epoch = ${epoch} and is_enabled`.then(
        ([found]) => found,
      ),
      tx<StoredDelivery[]>`
        select id, event_id as "eventId", event_type as "eventType", object_id as "objectId",
               created_at as "createdAt", attempts, data
          from webhook_deliveries
         where account_id = ${accountId} and webhook_id = ${webhookId} and status = 'pending' and due_at <= ${now}
           and id <> all(${[...inFlight]}::uuid[])
         order by due_at, id
         limit ${BATCH_SIZE}`,
    ]),
  )
  if (!webhook) return undefined
  const data = await readEventData({ app, sql: app.db.work, accountId }, due)
  const { url, failures, secret, previousSecret } = webhook
  return {
    claim,
    url,
    failures,
    secrets: [secret, ...(previousSecret ? [previousSecret] : [])].flatMap(encrypted =>
      tryDecryptSecret(app, encrypted, claim),
    ),
    deliveries: due.map((each, index) => ({ ...each, data: data[index]! })),
  }
}

/** Decrypts a webhook secret; returns an empty list if it was encrypted with a different server secret. */
function tryDecryptSecret(app: App, encrypted: Buffer, claim: ClaimedWebhook): string[] {
  try {
    return [decryptWebhookSecret(app.keys, encrypted, claim)]
  } catch (err) {
    app.log.error({ webhookId: claim.webhookId, err }, 'a webhook secret could not be decrypted')
    return []
  }
}

/** Makes one attempt and records its result. After a crash in between, the attempt is repeated with the same ID. */
export async function deliver(app: App, due: DueDeliveries, delivery: DueDelivery): Promise<void> {
  const { eventId: id, eventType, createdAt, data } = delivery
  const at = app.now()
  const body = `{"type":"${eventType}","timestamp":"${createdAt.toISOString()}","data":${data}}`
  const headers = toSignedHeaders({ id, at, body }, due.secrets)
  const posted =
    due.secrets.length > 0
      ? await postWebhook(due.url, { headers, body }, app.config.privateHosts)
      : { error: 'The secret can’t be decrypted, so nothing was posted. Rotate the secret.' }
  await failpoint('webhook.answered', due.claim.webhookId)
  const outcome = getOutcome(posted)
  await inAccount(app.db.work, due.claim.accountId, tx =>
    outcome === 'delivered'
      ? recordDelivered(tx, due.claim, delivery, posted, at)
      : recordFailed(tx, due.claim, delivery, posted, at, outcome),
  )
  app.metrics.webhookAttempts.inc({ outcome })
  await failpoint('webhook.recorded', due.claim.webhookId)
}

type Outcome = 'delivered' | 'failed' | 'gone'

const getOutcome = ({ status }: PostResult): Outcome =>
  status === 410 ? 'gone' : status && status >= 200 && status < 300 ? 'delivered' : 'failed'

/** Stores the attempt, unless another worker recorded one after this claim was lost. */
const storeAttempt = (
  tx: Sql,
  { id, attempts, data }: DueDelivery,
  posted: PostResult,
  at: Date,
  next: { status: 'delivered' | 'failed' } | { dueAt: Date },
) => tx`
  update webhook_deliveries
     set data = ${data}, attempts = attempts + 1, attempted_at = ${at},
         status = ${'status' in next ? next.status : 'pending'},
         due_at = ${'dueAt' in next ? next.dueAt : tx`due_at`},
         response_status = ${posted.status ?? null}, response = ${posted.status ? posted.head : null},
         error = ${describeError(posted)}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'pending' and attempts = ${attempts}`

const describeError = (posted: PostResult): string | null =>
  posted.status === undefined
    ? posted.error
    : getOutcome(posted) === 'delivered'
      ? null
      : `The receiver responded with ${posted.status}`

async function recordDelivered(
  tx: Sql,
  { webhookId }: ClaimedWebhook,
  delivery: DueDelivery,
  posted: PostResult,
  at: Date,
): Promise<void> {
  await storeAttempt(tx, delivery, posted, at, { status: 'delivered' })
  // Writes at most once a minute while the webhook works.
  await tx`
    update webhooks
       set failures = 0, failing_since = null, last_error = null, last_delivered_at = ${at}
     where account_id = current_account_id() and id = ${webhookId}
       and (failures > 0 or last_delivered_at is null or last_delivered_at <= ${new Date(at.getTime() - 60_000)})`
}

async function recordFailed(
  tx: Sql,
  { webhookId }: ClaimedWebhook,
  delivery: DueDelivery,
  posted: PostResult,
  at: Date,
  outcome: Exclude<Outcome, 'delivered'>,
): Promise<void> {
  const dueAt = outcome === 'gone' ? undefined : getNextAttempt(delivery.attempts, at, posted)
  const stored = await storeAttempt(tx, delivery, posted, at, dueAt ? { dueAt } : { status: 'failed' })
  if (stored.count === 0) return
  const disabled = await tx`
    update webhooks
       set failures = failures + 1, failing_since = coalesce(failing_since, ${at}), last_error = ${describeError(posted)}
     where account_id = current_account_id() and id = ${webhookId}
    returning is_enabled and (${outcome === 'gone'} or failing_since <= ${new Date(at.getTime() - DISABLED_AFTER_MS)}) as "shouldDisable"`
  if (disabled[0]?.shouldDisable) await disable(tx, webhookId, outcome === 'gone' ? 'gone' : 'failing')
}

async function disable(tx: Sql, webhookId: string, reason: 'gone' | 'failing'): Promise<void> {
  await tx`
    update webhooks
       set is_enabled = false, disabled_reason = ${reason}, updated_at = now()
     where account_id = current_account_id() and id = ${webhookId}`
  await auditEngine(tx, `disable_${reason}`, 'webhook', webhookId)
}
