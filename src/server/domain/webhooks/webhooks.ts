import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import { findJson, Json } from '../../kernel/json.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { createWebhookSecret, encryptWebhookSecret } from './webhook-secrets.ts'

const MAX_WEBHOOKS = 20
const DAY_MS = 86_400_000

/** Builds the API's JSON of webhook `w`. */
export const webhookJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('w.id'),
    objectType: 'webhook',
    createdAt: timestamp('w.created_at'),
    updatedAt: timestamp('w.updated_at'),
    url: sql`w.url`,
    eventTypes: sql`w.event_types`,
    description: sql`w.description`,
    isEnabled: sql`w.is_enabled`,
    disabledReason: sql`w.disabled_reason`,
    failures: sql`w.failures`,
    failingSince: timestamp('w.failing_since'),
    lastError: sql`w.last_error`,
    lastDeliveredAt: timestamp('w.last_delivered_at'),
    previousSecretEndsAt: timestamp('w.previous_secret_ends_at'),
  })} as json`

export const listWebhooks = (
  ctx: Context,
  input: Input<'listWebhooks'>,
): Promise<Json<Output<'listWebhooks'>>> =>
  listPage(
    ctx,
    'listWebhooks',
    input,
    page => ctx.sql`
      select w.id, api_time(w.created_at) as at, ${webhookJson(ctx.sql)}
        from webhooks w
       where w.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'w.created_at', 'w.id')}
         ${orderAndLimit(ctx.sql, page, 'w.created_at', 'w.id')}`,
  )

export const getWebhook = (
  ctx: Context,
  { webhookId }: Input<'getWebhook'>,
): Promise<Json<Output<'getWebhook'>>> =>
  findJson(
    ctx,
    'webhook',
    ctx.sql`
      select ${webhookJson(ctx.sql)}
        from webhooks w
       where w.account_id = s.account_id and w.id = ${webhookId}`,
  )

export async function createWebhook(
  ctx: Context,
  { url, eventTypes, description, isEnabled }: Input<'createWebhook'>,
): Promise<Json<Output<'createWebhook'>>> {
  const webhookId = randomUUIDv7()
  const href = parseOutboundUrl('url', url, ctx.app.config.privateHosts)
  const secret = createWebhookSecret()
  // Serializes creation, so that concurrent requests cannot exceed the limit.
  await ctx.sql`select from accounts where id = ${ctx.accountId} for no key update`
  const [count] = await ctx.sql<{ webhooks: number }[]>`
    select count(*)::int as webhooks from webhooks where account_id = ${ctx.accountId}`
  if (count!.webhooks >= MAX_WEBHOOKS) {
    throw conflict(`The account has reached the limit of ${MAX_WEBHOOKS} webhooks. Remove one first.`)
  }
  await ctx.sql`
    insert into webhooks (account_id, id, url, event_types, description, is_enabled, secret)
    values (${ctx.accountId}, ${webhookId}, ${href}, ${eventTypes}, ${description ?? null}, ${isEnabled},
            ${encryptWebhookSecret(ctx.app.keys, secret, { accountId: ctx.accountId, webhookId })})`
  await audit(ctx, 'create', 'webhook', webhookId)
  return withSecret(await getWebhook(ctx, { webhookId }), secret)
}

/** Updates a webhook. Enabling it again resets its failures. */
export async function updateWebhook(
  ctx: Context,
  { webhookId, url, eventTypes, description, isEnabled }: Input<'updateWebhook'>,
): Promise<Json<Output<'updateWebhook'>>> {
  const { sql } = ctx
  const href = url && parseOutboundUrl('url', url, ctx.app.config.privateHosts)
  const updated = await sql`
    update webhooks
       set url             = coalesce(${href ?? null}, url),
           event_types     = coalesce(${eventTypes ?? null}, event_types),
           description     = ${description === undefined ? sql`description` : description},
           is_enabled      = coalesce(${isEnabled ?? null}, is_enabled),
           ${isEnabled ? sql`disabled_reason = null, failures = 0, failing_since = null, last_error = null,` : sql``}
           updated_at      = now()
     where account_id = ${ctx.accountId} and id = ${webhookId}`
  if (updated.count === 0) throw notFound('webhook')
  await audit(ctx, 'update', 'webhook', webhookId)
  return getWebhook(ctx, { webhookId })
}

export async function deleteWebhook(
  ctx: Context,
  { webhookId }: Input<'deleteWebhook'>,
): Promise<Output<'deleteWebhook'>> {
  const deleted =
    await ctx.sql`delete from webhooks where account_id = ${ctx.accountId} and id = ${webhookId}`
  if (deleted.count === 0) throw notFound('webhook')
  await audit(ctx, 'delete', 'webhook', webhookId)
  return { ok: true }
}

export async function rotateWebhookSecret(
  ctx: Context,
  { webhookId }: Input<'rotateWebhookSecret'>,
): Promise<Json<Output<'rotateWebhookSecret'>>> {
  const secret = createWebhookSecret()
  const rotated = await ctx.sql`
    update webhooks
       set previous_secret = secret, previous_secret_ends_at = ${new Date(ctx.app.now().getTime() + DAY_MS)},
           secret = ${encryptWebhookSecret(ctx.app.keys, secret, { accountId: ctx.accountId, webhookId })},
           updated_at = now()
     where account_id = ${ctx.accountId} and id = ${webhookId}`
  if (rotated.count === 0) throw notFound('webhook')
  await audit(ctx, 'rotate_secret', 'webhook', webhookId)
  return withSecret(await getWebhook(ctx, { webhookId }), secret)
}

const withSecret = (json: Json, secret: string) =>
  new Json<Output<'createWebhook'>>(`${json.text.slice(0, -1)},"secret":${JSON.stringify(secret)}}`)

/** Locks the webhook against deletion. Throws NotFound when there is none. */
export async function lockWebhook(ctx: Context, webhookId: string): Promise<{ isEnabled: boolean }> {
  const [webhook] = await ctx.sql<{ isEnabled: boolean }[]>`
    select is_enabled as "isEnabled"
      from webhooks
     where account_id = ${ctx.accountId} and id = ${webhookId}
       for key share`
  if (!webhook) throw notFound('webhook')
  return webhook
}
