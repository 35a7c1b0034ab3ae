import type { Sql } from '../../kernel/db/database.ts'

/** A claim on one webhook. A worker with an older epoch has lost it and stops. */
export type ClaimedWebhook = { accountId: string; webhookId: string; epoch: bigint }

/**
 * Claims webhooks of all accounts with due deliveries, least recently served first, so that a long queue of one
 * webhook does not delay the others. Requires the engine's role.
 */
export const claimWebhooks = (
  engine: Sql,
  { now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number },
): Promise<ClaimedWebhook[]> => engine<ClaimedWebhook[]>`
  with due as (
    select account_id, id
      from webhooks w
     where is_enabled and (lease_until is null or lease_until <= ${now})
       and exists (select from webhook_deliveries d
                    where d.account_id = w.account_id and d.webhook_id = w.id and d.status = 'pending'
                      and d.due_at <= ${now})
     order by served_at nulls first
     limit ${limit}
       for update skip locked)
  update webhooks w
     set lease_until = ${new Date(now.getTime() + leaseMs)}, served_at = ${now}, epoch = w.epoch + 1
    from due
   where w.account_id = due.account_id and w.id = due.id
  returning w.account_id as "accountId", w.id as "webhookId", w.epoch`

/** Releases the claim. */
export const releaseWebhook = (tx: Sql, { webhookId, epoch }: ClaimedWebhook) => tx`
  update webhooks
     set lease_until = null
   where account_id = current_account_id() and id = ${webhookId} and epoch = ${epoch}`
