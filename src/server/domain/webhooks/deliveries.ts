import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { getWebhook, webhookJson } from './webhooks.ts'

const MAX_REPLAYED = 100_000

const deliveryJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', d.id,
    'objectType', 'webhook_delivery',
    'createdAt', api_time(d.created_at),
    'updatedAt', api_time(d.updated_at),
    'webhookId', d.webhook_id,
    'eventId', d.event_id,
    'eventType', d.event_type,
    'status', d.status,
    'attempts', d.attempts,
    'attemptedAt', api_time(d.attempted_at),
    'nextAttemptAt', case when d.status = 'pending' and d.due_at > '-infinity' then api_time(d.due_at) end,
    'data', left(d.data, 1000),
    'responseStatus', d.response_status,
    'response', d.response,
    'error', d.error))::text as json`

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

export async function testWebhook(
  ctx: Context,
  { webhookId }: Input<'testWebhook'>,
): Promise<Json<Output<'testWebhook'>>> {
  const { isEnabled } = await lockWebhook(ctx, webhookId)
  if (!isEnabled) throw conflict('The webhook is switched off. Switch it on first.')
  const deliveryId = randomUUIDv7()
  await ctx.sql`
    insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, data)
    select account_id, ${deliveryId}, id, ${randomUUIDv7()}, 'webhook.test', id, json
      from (select w.account_id, w.id, ${webhookJson(ctx.sql)}
              from webhooks w
             where w.account_id = ${ctx.accountId} and w.id = ${webhookId}) webhook`
  await audit(ctx, 'test', 'webhook', webhookId)
  return findJson(
    ctx,
    'webhook delivery',
    ctx.sql`
      select ${deliveryJson(ctx.sql)}
        from webhook_deliveries d
       where d.account_id = s.account_id and d.id = ${deliveryId}`,
  )
}

export async function replayWebhook(
  ctx: Context,
  { webhookId, deliveryId, since }: Input<'replayWebhook'>,
): Promise<Output<'replayWebhook'>> {
  const { sql } = ctx
  await lockWebhook(ctx, webhookId)
  const which = deliveryId
    ? sql`and d.id = ${deliveryId}`
    : since
      ? sql`and d.created_at >= ${new Date(since)}`
      : sql`and d.status = 'failed'`
  const { count } = await sql`
    update webhook_deliveries
       set status = 'pending', attempts = 0, due_at = '-infinity', updated_at = now()
     where account_id = ${ctx.accountId}
       and id = any(array(select d.id
                            from webhook_deliveries d
                           where d.account_id = ${ctx.accountId} and d.webhook_id = ${webhookId} ${which}
                           order by d.created_at, d.id
                           limit ${MAX_REPLAYED}))`
  if (deliveryId && count === 0) throw invalid('deliveryId', 'is no delivery to this webhook')
  await audit(ctx, 'replay', 'webhook', webhookId)
  return { replayed: count }
}

async function lockWebhook(ctx: Context, webhookId: string): Promise<{ isEnabled: boolean }> {
  const [webhook] = await ctx.sql<{ isEnabled: boolean }[]>`
    select is_enabled as "isEnabled"
      from webhooks
     where account_id = ${ctx.accountId} and id = ${webhookId}
       for key share`
  if (!webhook) throw notFound('webhook')
  return webhook
}
