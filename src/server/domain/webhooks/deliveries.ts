import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { getWebhook } from './webhooks.ts'

const RETENTION_MS = 30 * 86_400_000
const DELETE_BATCH = 10_000

export const deliveryJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('d.id'),
    objectType: 'webhook_delivery',
    createdAt: timestamp('d.created_at'),
    updatedAt: timestamp('d.updated_at'),
    webhookId: uuid('d.webhook_id'),
    eventId: uuid('d.event_id'),
    eventType: sql`d.event_type`,
    status: sql`d.status`,
    attempts: sql`d.attempts`,
    attemptedAt: timestamp('d.attempted_at'),
    nextAttemptAt: sql`case when d.status = 'pending' and d.due_at > '-infinity' then api_time(d.due_at) end`,
    data: sql`left(d.data, 1000)`,
    responseStatus: sql`d.response_status`,
    response: sql`d.response`,
    error: sql`d.error`,
  })} as json`

export async function listWebhookDeliveries(
  ctx: Context,
  input: Input<'listWebhookDeliveries'>,
): Promise<Json<Output<'listWebhookDeliveries'>>> {
  const { sql } = ctx
  await getWebhook(ctx, input)
  return listPage(
    ctx,
    'listWebhookDeliveries',
    input,
    page => sql`
      select d.id, api_time(d.created_at) as at, ${deliveryJson(sql)}
        from webhook_deliveries d
       where d.account_id = s.account_id and d.webhook_id = ${page.filters.webhookId}
         ${page.filters.status ? sql`and d.status = ${page.filters.status}` : sql``}
         ${afterCursor(sql, page, 'd.created_at', 'd.id')}
         ${orderAndLimit(sql, page, 'd.created_at', 'd.id')}`,
  )
}

/**
 * Deletes deliveries older than 30 days, except those that an enabled webhook has yet to receive. Requires the engine's
 * role.
 */
export const deleteOldDeliveries = (engine: Sql, now: Date) => engine`
  delete from webhook_deliveries
   where (account_id, id) in (
           select d.account_id, d.id
             from webhooks w
            cross join lateral (
                  select account_id, id
                    from webhook_deliveries
                   where account_id = w.account_id and webhook_id = w.id
                     and created_at < ${new Date(now.getTime() - RETENTION_MS)}
                     and (status <> 'pending' or not w.is_enabled)
                   order by created_at
                   limit ${DELETE_BATCH}) d
            limit ${DELETE_BATCH})`
