import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { audit } from '../accounts/audit-log.ts'
import { lockWebhook } from './webhooks.ts'

const MAX_REPLAYED = 100_000

export async function replayWebhook(
  ctx: Context,
  { webhookId, deliveryId, since }: Input<'replayWebhook'>,
): Promise<Output<'replayWebhook'>> {
  const { sql } = ctx
  await lockWebhook(ctx, webhookId)
  const filter = deliveryId
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
                           where d.account_id = ${ctx.accountId} and d.webhook_id = ${webhookId} ${filter}
                           order by d.created_at, d.id
                           limit ${MAX_REPLAYED}))`
  if (deliveryId && count === 0) throw invalid('deliveryId', 'must be the ID of a delivery of this webhook')
  await audit(ctx, 'replay', 'webhook', webhookId)
  return { replayed: count }
}
