import type { Input, Output } from '../../../contract/index.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { decrypt, encrypt, type Keys } from '../../kernel/crypto.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { defaultBaseUrls } from '../../protocols/llm/ask-model.ts'
import { audit } from '../accounts/audit-log.ts'
import { endPendingReplies } from './replies.ts'

export type ReplyAgent = Output<'setReplyAgent'>

/** Returns the agent as the API shows it; works with and without a transaction. */
export async function readReplyAgent(ctx: Context): Promise<ReplyAgent | undefined> {
  const [found] = await ctx.sql<{ json: ReplyAgent }[]>`
    select json_strip_nulls(json_build_object(
             'id', a.account_id,
             'objectType', 'reply_agent',
             'createdAt', api_time(a.created_at),
             'updatedAt', api_time(a.updated_at),
             'provider', a.provider,
             'model', a.model,
             'baseUrl', a.base_url,
             'hasApiKey', a.api_key is not null,
             'isEnabled', a.is_enabled,
             'inputPrice', a.input_price,
             'outputPrice', a.output_price,
             'dailyReplies', a.daily_replies,
             'autopilot', json_build_object(
               'intents', a.autopilot_intents,
               'delayMinutes', a.autopilot_delay_minutes,
               'dailyCap', a.autopilot_daily_cap),
             'verifiedAt', api_time(a.verified_at))) as json
      from ${withAccount(ctx)} cross join lateral (select * from reply_agents where account_id = s.account_id) a`
  return found?.json
}

export async function getReplyAgent(
  ctx: Context,
  _input: Input<'getReplyAgent'>,
): Promise<Output<'getReplyAgent'>> {
  const replyAgent = await readReplyAgent(ctx)
  return { intentBy: replyAgent?.isEnabled ? 'model' : 'rules', ...(replyAgent && { replyAgent }) }
}

export async function setReplyAgent(
  ctx: Context,
  { provider, model, baseUrl, apiKey, isEnabled, ...rest }: Input<'setReplyAgent'>,
): Promise<ReplyAgent> {
  const { sql, app, accountId } = ctx
  const href = baseUrl ? parseBaseUrl(baseUrl, app.config.privateHosts) : undefined
  if (!href && provider === 'openai_compatible') {
    throw invalid('baseUrl', 'is required for openai_compatible; for example, http://localhost:11434/v1')
  }
  const [stored] = await sql<{ provider: string; baseUrl: string | null; apiKey: Uint8Array | null }[]>`
    select provider, base_url as "baseUrl", api_key as "apiKey"
      from reply_agents where account_id = ${accountId} for update`
  // Keeps the key only for the same server: otherwise, anyone who may change the agent could redirect it to their own
  // server.
  const isSameServer = stored?.provider === provider && stored.baseUrl === (href ?? null)
  const kept = isSameServer ? stored.apiKey : null
  const key = apiKey ? encrypt(app.keys, apiKey, toSecretContext(accountId)) : kept
  if (!key && provider !== 'openai_compatible') {
    const isKeyDiscarded = stored?.apiKey && !isSameServer
    const reason = isKeyDiscarded
      ? 'required again, because the provider or base URL has changed'
      : `required for ${provider}`
    throw invalid('apiKey', `is ${reason}`)
  }
  const { inputPrice = null, outputPrice = null, dailyReplies, autopilot } = rest
  const { intents, delayMinutes, dailyCap } = autopilot ?? { intents: [], delayMinutes: 30, dailyCap: 20 }
  await sql`
    insert into reply_agents ${sql.rows({
      account_id: accountId,
      provider,
      model,
      base_url: href ?? null,
      api_key: key,
      is_enabled: isEnabled,
      input_price: inputPrice,
      output_price: outputPrice,
      daily_replies: dailyReplies,
      autopilot_intents: [...new Set(intents)],
      autopilot_delay_minutes: delayMinutes,
      autopilot_daily_cap: dailyCap,
    })}
    on conflict (account_id) do update
       set provider = excluded.provider, model = excluded.model, base_url = excluded.base_url,
           api_key = excluded.api_key, is_enabled = excluded.is_enabled, input_price = excluded.input_price,
           output_price = excluded.output_price, daily_replies = excluded.daily_replies,
           autopilot_intents = excluded.autopilot_intents,
           autopilot_delay_minutes = excluded.autopilot_delay_minutes,
           autopilot_daily_cap = excluded.autopilot_daily_cap, verified_at = null, updated_at = now()`
  if (!isEnabled) await endPendingReplies(sql)
  await audit(ctx, 'set', 'reply_agent', accountId)
  return (await readReplyAgent(ctx))!
}

export async function deleteReplyAgent(
  ctx: Context,
  _input: Input<'deleteReplyAgent'>,
): Promise<Output<'deleteReplyAgent'>> {
  const deleted = await ctx.sql`delete from reply_agents where account_id = ${ctx.accountId}`
  if (deleted.count === 0) throw notFound('reply agent')
  await endPendingReplies(ctx.sql)
  await audit(ctx, 'delete', 'reply_agent', ctx.accountId)
  return { ok: true }
}

function parseBaseUrl(text: string, privateHosts: readonly string[]): string {
  const url = new URL(parseOutboundUrl('baseUrl', text, privateHosts))
  if (url.search) throw invalid('baseUrl', 'must not have a query string')
  return url.href.replace(/\/+$/, '')
}

const toSecretContext = (accountId: string): string => `reply_agent ${accountId} api_key`

export const decryptModelKey = (keys: Keys, accountId: string, bytes: Uint8Array): string =>
  decrypt(keys, bytes, toSecretContext(accountId))

export const getBaseUrl = (
  provider: keyof typeof defaultBaseUrls | 'openai_compatible',
  baseUrl: string | null,
) => baseUrl ?? (provider === 'openai_compatible' ? '' : defaultBaseUrls[provider])
