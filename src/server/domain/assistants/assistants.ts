import { randomUUIDv7 } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { invalid, notFound, outOfScope } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { requirePhone } from '../../protocols/identity/phone.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { lockEditableRep } from '../reps/reps.ts'
import { encryptVoiceSecret, getCallbackBase, type StoredVoice, voiceColumns } from './voice-provider.ts'
import { checkDisclosure, toChangedVoiceSettings, toNewVoiceSettings } from './voice-settings.ts'

const assistantJson = ({ app, sql }: Context): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', a.id,
    'objectType', 'assistant',
    'createdAt', api_time(a.created_at),
    'updatedAt', api_time(a.updated_at),
    'name', a.name,
    'provider', a.provider,
    a.provider, case when a.provider <> 'simulated' then a.provider_settings end,
    'repId', a.rep_id,
    'fromNumber', a.from_number,
    'disclosure', a.disclosure,
    'firstMessage', a.first_message,
    'voicemailMessage', a.voicemail_message,
    'maxDurationSeconds', a.max_duration_seconds,
    'transferNumber', a.transfer_number,
    'dailyCap', a.daily_cap,
    'dailyCapPerNumber', a.daily_cap_per_number,
    'callbackUrl', case when a.provider <> 'simulated'
                        then ${getCallbackBase(app) ?? null}::text || a.account_id || '/' || a.id end,
    'status', a.status,
    'statusReason', a.status_reason,
    'verifiedAt', api_time(a.verified_at)))::text as json`

export const listAssistants = (
  ctx: Context,
  input: Input<'listAssistants'>,
): Promise<Json<Output<'listAssistants'>>> =>
  listPage(
    ctx,
    'listAssistants',
    input,
    page => ctx.sql`
      select a.id, api_time(a.created_at) as at, ${assistantJson(ctx)}
        from assistants a
       where a.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'a.created_at', 'a.id')}
         ${orderAndLimit(ctx.sql, page, 'a.created_at', 'a.id')}`,
  )

export const getAssistant = (
  ctx: Context,
  { assistantId }: Input<'getAssistant'>,
): Promise<Json<Output<'getAssistant'>>> =>
  findJson(
    ctx,
    'assistant',
    ctx.sql`
      select ${assistantJson(ctx)}
        from assistants a
       where a.account_id = s.account_id and a.id = ${assistantId}`,
  )

export async function createAssistant(
  ctx: Context,
  input: Input<'createAssistant'>,
): Promise<Json<Output<'createAssistant'>>> {
  const { name, repId, provider, disclosure, firstMessage, voicemailMessage, maxDurationSeconds } = input
  await checkRep(ctx, repId, invalid('repId', 'must be the ID of a rep in this account'))
  checkDisclosure(disclosure)
  const voice = toNewVoiceSettings(ctx.app.config.privateHosts, provider, input)
  const assistant = { accountId: ctx.accountId, id: randomUUIDv7() }
  await ctx.sql`
    insert into assistants (account_id, id, name, provider, rep_id, from_number, disclosure, first_message,
                            voicemail_message, max_duration_seconds, transfer_number, daily_cap,
                            daily_cap_per_number, provider_settings, api_key, callback_secret, status)
    values (${ctx.accountId}, ${assistant.id}, ${name}, ${provider}, ${repId ?? null},
            ${await parseNumber(ctx, 'fromNumber', input.fromNumber)}, ${disclosure ?? null}, ${firstMessage ?? null},
            ${voicemailMessage ?? null}, ${maxDurationSeconds ?? null},
            ${input.transferNumber ? await parseNumber(ctx, 'transferNumber', input.transferNumber) : null},
            ${input.dailyCap}, ${input.dailyCapPerNumber},
            ${voice.settings ? ctx.sql.json(voice.settings) : null},
            ${voice.apiKey ? encryptVoiceSecret(ctx.app, assistant, 'apiKey', voice.apiKey) : null},
            ${voice.callbackSecret ? encryptVoiceSecret(ctx.app, assistant, 'callbackSecret', voice.callbackSecret) : null},
            ${provider === 'simulated' ? 'active' : 'unverified'})`
  await audit(ctx, 'create', 'assistant', assistant.id)
  return getAssistant(ctx, { assistantId: assistant.id })
}

export async function updateAssistant(
  ctx: Context,
  input: Input<'updateAssistant'>,
  updateQueuedCalls: (tx: Sql, assistantId: string, now: Date) => Promise<unknown>,
): Promise<Json<Output<'updateAssistant'>>> {
  const { sql } = ctx
  const { name, disclosure, firstMessage, voicemailMessage, maxDurationSeconds } = input
  const assistant = await lockAssistant(ctx, input.assistantId)
  checkDisclosure(disclosure)
  const voice = toChangedVoiceSettings(ctx.app.config.privateHosts, assistant, input)
  const fromNumber = input.fromNumber && (await parseNumber(ctx, 'fromNumber', input.fromNumber))
  const transferNumber = input.transferNumber
    ? await parseNumber(ctx, 'transferNumber', input.transferNumber)
    : input.transferNumber
  const valueOr = <T>(column: Fragment, value: T | undefined) =>
    value === undefined ? column : sql`${value as string}`
  const encryptSecret = (secret: 'apiKey' | 'callbackSecret') =>
    voice[secret] && encryptVoiceSecret(ctx.app, assistant, secret, voice[secret])
  const needsVerification =
    voice.apiKey ||
    voice.callbackSecret ||
    (voice.settings && !isDeepStrictEqual(voice.settings, assistant.settings)) ||
    (fromNumber && fromNumber !== assistant.fromNumber)
  await sql`
    update assistants
       set name                 = coalesce(${name ?? null}, name),
           from_number          = coalesce(${fromNumber ?? null}, from_number),
           disclosure           = ${valueOr(sql`disclosure`, disclosure)},
           first_message        = ${valueOr(sql`first_message`, firstMessage)},
           voicemail_message    = ${valueOr(sql`voicemail_message`, voicemailMessage)},
           max_duration_seconds = ${valueOr(sql`max_duration_seconds`, maxDurationSeconds)},
           daily_cap            = coalesce(${input.dailyCap ?? null}, daily_cap),
           daily_cap_per_number = coalesce(${input.dailyCapPerNumber ?? null}, daily_cap_per_number),
           transfer_number      = ${valueOr(sql`transfer_number`, transferNumber)},
           provider_settings    = coalesce(${voice.settings ? sql.json(voice.settings) : null}, provider_settings),
           api_key              = coalesce(${encryptSecret('apiKey') ?? null}, api_key),
           callback_secret      = coalesce(${encryptSecret('callbackSecret') ?? null}, callback_secret),
           updated_at           = now()
     where account_id = ${ctx.accountId} and id = ${assistant.id}`
  if (fromNumber ?? input.dailyCap ?? input.dailyCapPerNumber)
    await updateQueuedCalls(sql, assistant.id, ctx.app.now())
  if (needsVerification && assistant.provider !== 'simulated') {
    await sql`
      update assistants set status = 'unverified', status_reason = null
       where account_id = ${ctx.accountId} and id = ${assistant.id}`
  }
  await audit(ctx, 'update', 'assistant', assistant.id)
  return getAssistant(ctx, { assistantId: assistant.id })
}

/** Locks the assistant; throws when the caller may not change it. Requires a transaction. */
export async function lockAssistant(
  ctx: Context,
  assistantId: string,
): Promise<StoredVoice & { fromNumber: string }> {
  const [assistant] = await ctx.sql<(StoredVoice & { repId: string | null; fromNumber: string })[]>`
    select ${voiceColumns(ctx.sql)}, a.rep_id as "repId", a.from_number as "fromNumber"
      from assistants a
     where a.account_id = ${ctx.accountId} and a.id = ${assistantId}
       for update`
  if (!assistant) throw notFound('assistant')
  await checkRep(ctx, assistant.repId)
  return assistant
}

/**
 * Checks access to the rep. An assistant without a rep belongs to the whole account; callers limited to their own reps
 * can’t change it.
 */
async function checkRep(
  ctx: Context,
  repId: string | null | undefined,
  error = notFound('rep'),
): Promise<void> {
  if (repId) await lockEditableRep(ctx, repId, error)
  else if (authorize(ctx, 'Rep.EditRep') === 'own')
    throw outOfScope('Rep.EditRep', 'an assistant without a rep belongs to the whole account')
}

const parseNumber = async (ctx: Context, field: string, text: string): Promise<string> =>
  requirePhone(text, await getDefaultCountry(ctx), field)
