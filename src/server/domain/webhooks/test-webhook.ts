import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { deliveryJson } from './deliveries.ts'
import { lockWebhook, webhookJson } from './webhooks.ts'

export async function testWebhook(
  ctx: Context,
  { webhookId }: Input<'testWebhook'>,
): Promise<Json<Output<'testWebhook'>>> {
  const { isEnabled } = await lockWebhook(ctx, webhookId)
  if (!isEnabled) throw conflict('The webhook is disabled. Enable it first.')
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
