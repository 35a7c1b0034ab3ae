import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../contract/index.ts'
import { audit } from '../accounts/audit-log.ts'
import { defaultCountryOf } from '../accounts/default-country.ts'
import { authorize, type Context } from '../context.ts'
import type { Fragment, Sql } from '../db.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import { canonicalPhone } from '../identity/phone.ts'
import { findJson, type Json } from '../json.ts'
import { fromCursor, inOrder, listPage } from '../page.ts'
import { editableRep } from '../reps/reps.ts'

const assistantJson = (sql: Sql): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', a.id,
    'objectType', 'assistant',
    'createdAt', api_time(a.created_at),
    'updatedAt', api_time(a.updated_at),
    'name', a.name,
    'provider', a.provider,
    'repId', a.rep_id,
    'fromNumber', a.from_number,
    'firstMessage', a.first_message,
    'dailyCap', a.daily_cap,
    'dailyCapPerNumber', a.daily_cap_per_number))::text as json`

export const listAssistants = (
  ctx: Context,
  input: Input<'listAssistants'>,
): Promise<Json<Output<'listAssistants'>>> =>
  listPage(
    ctx,
    'listAssistants',
    input,
    page => ctx.sql`
      select a.id, api_time(a.created_at) as at, ${assistantJson(ctx.sql)}
        from assistants a
       where a.account_id = s.account_id
         ${fromCursor(ctx.sql, page, 'a.created_at', 'a.id')}
         ${inOrder(ctx.sql, page, 'a.created_at', 'a.id')}`,
  )

const getAssistant = (ctx: Context, assistantId: string): Promise<Json<Output<'createAssistant'>>> =>
  findJson(
    ctx,
    'assistant',
    ctx.sql`
      select ${assistantJson(ctx.sql)}
        from assistants a
       where a.account_id = s.account_id and a.id = ${assistantId}`,
  )

export async function createAssistant(
  ctx: Context,
  { name, repId, fromNumber, firstMessage, dailyCap, dailyCapPerNumber }: Input<'createAssistant'>,
): Promise<Json<Output<'createAssistant'>>> {
  await checkRep(ctx, repId, invalid('repId', 'is no rep of this account'))
  const assistantId = randomUUIDv7()
  await ctx.sql`
    insert into assistants (account_id, id, name, rep_id, from_number, first_message, daily_cap, daily_cap_per_number)
    values (${ctx.accountId}, ${assistantId}, ${name}, ${repId ?? null}, ${await readNumber(ctx, fromNumber)},
            ${firstMessage ?? null}, ${dailyCap}, ${dailyCapPerNumber})`
  await audit(ctx, 'create', 'assistant', assistantId)
  return getAssistant(ctx, assistantId)
}

export async function updateAssistant(
  ctx: Context,
  { assistantId, name, fromNumber, firstMessage, dailyCap, dailyCapPerNumber }: Input<'updateAssistant'>,
): Promise<Json<Output<'updateAssistant'>>> {
  const { sql } = ctx
  const [assistant] = await sql<{ repId: string | null }[]>`
    select rep_id as "repId" from assistants where account_id = ${ctx.accountId} and id = ${assistantId} for update`
  if (!assistant) throw notFound('assistant')
  await checkRep(ctx, assistant.repId)
  await sql`
    update assistants
       set name          = coalesce(${name ?? null}, name),
           daily_cap     = coalesce(${dailyCap ?? null}, daily_cap),
           daily_cap_per_number = coalesce(${dailyCapPerNumber ?? null}, daily_cap_per_number),
           from_number   = coalesce(${fromNumber ? await readNumber(ctx, fromNumber) : null}, from_number),
           first_message = ${firstMessage === undefined ? sql`first_message` : firstMessage},
           updated_at    = now()
     where account_id = ${ctx.accountId} and id = ${assistantId}`
  await audit(ctx, 'update', 'assistant', assistantId)
  return getAssistant(ctx, assistantId)
}

/** One that calls for no rep is the whole account's, beyond whoever reaches only their own reps. */
async function checkRep(
  ctx: Context,
  repId: string | null | undefined,
  unknown = notFound('rep'),
): Promise<void> {
  if (repId) await editableRep(ctx, repId, unknown)
  else if (authorize(ctx, 'Rep.EditRep') === 'own') throw forbidden('Rep.EditRep')
}

async function readNumber(ctx: Context, fromNumber: string): Promise<string> {
  const number = canonicalPhone(fromNumber, await defaultCountryOf(ctx))
  if (!number)
    throw invalid('fromNumber', 'is no phone number; best give it in E.164 form, as in +442079460018')
  return number
}
