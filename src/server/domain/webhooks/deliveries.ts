import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { getWebhook } from './webhooks.ts'

export const deliveryJson = (sql: Sql): Fragment => sql`
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
