import { randomUUIDv7 } from 'node:crypto'
import type { consentKinds } from '../../../../contract/consents.ts'
import type { Input, Output } from '../../../../contract/index.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../../kernel/db/json-object.ts'
import { invalid } from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { requirePhone } from '../../../protocols/identity/phone.ts'
import { audit } from '../../accounts/audit-log.ts'
import { getDefaultCountry } from '../../accounts/default-country.ts'

export type ConsentKind = (typeof consentKinds)[number]

const consentJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('c.id'),
    objectType: 'consent',
    createdAt: timestamp('c.created_at'),
    updatedAt: timestamp('c.updated_at'),
    phoneNumber: sql`c.phone`,
    name: sql`c.name`,
    kind: sql`c.kind`,
    covers: sql`c.covers`,
    proof: sql`c.proof`,
    source: sql`c.source`,
    givenAt: timestamp('c.given_at'),
    recordedById: uuid('c.recorded_by_id'),
    withdrawnAt: timestamp('c.withdrawn_at'),
    withdrawnById: uuid('c.withdrawn_by_id'),
    withdrawalReason: sql`c.withdrawal_reason`,
  })} as json`

export async function listConsents(
  ctx: Context,
  { phoneNumber, ...input }: Input<'listConsents'>,
): Promise<Json<Output<'listConsents'>>> {
  const phone = phoneNumber && (await parsePhone(ctx, phoneNumber))
  return listPage(ctx, 'listConsents', { ...input, phone }, page => {
    const { sql } = ctx
    const at = page.filters.updatedSince ? 'c.updated_at' : 'c.created_at'
    return sql`
      select c.id, api_time(${sql.identifier(at)}) as at, ${consentJson(sql)}
        from consents c
       where c.account_id = s.account_id
         ${page.filters.phone ? sql`and c.phone = ${page.filters.phone}` : sql``}
         ${isUpdatedSince(sql, page, at)}
         ${afterCursor(sql, page, at, 'c.id')}
         ${orderAndLimit(sql, page, at, 'c.id')}`
  })
}

const getConsent = (ctx: Context, consentId: string): Promise<Json<Output<'recordConsent'>>> =>
  findJson(
    ctx,
    'consent',
    ctx.sql`
      select ${consentJson(ctx.sql)}
        from consents c
       where c.account_id = s.account_id and c.id = ${consentId}`,
  )

export async function recordConsent(
  ctx: Context,
  { phoneNumber, name, kind, covers, proof, source, givenAt }: Input<'recordConsent'>,
): Promise<Json<Output<'recordConsent'>>> {
  const phone = await parsePhone(ctx, phoneNumber)
  const now = ctx.app.now()
  if (givenAt && new Date(givenAt) > now) throw invalid('givenAt', 'must not be in the future')
  const consentId = randomUUIDv7()
  await ctx.sql`
    insert into consents (account_id, id, phone, name, kind, covers, proof, source, given_at, recorded_by_id)
    values (${ctx.accountId}, ${consentId}, ${phone}, ${name ?? null}, ${kind}, ${covers}, ${proof}, ${source ?? null},
            ${givenAt ?? now}, ${ctx.userId})`
  await audit(ctx, 'record', 'consent', consentId)
  return getConsent(ctx, consentId)
}

/** Withdraws a consent. Idempotent: the first withdrawal is kept. */
export async function withdrawConsent(
  ctx: Context,
  { consentId, reason }: Input<'withdrawConsent'>,
): Promise<Json<Output<'withdrawConsent'>>> {
  const { count } = await ctx.sql`
    update consents
       set withdrawn_at = ${ctx.app.now()}, withdrawn_by_id = ${ctx.userId}, withdrawal_reason = ${reason ?? null},
           updated_at = now()
     where account_id = ${ctx.accountId} and id = ${consentId} and withdrawn_at is null`
  if (count > 0) await audit(ctx, 'withdraw', 'consent', consentId)
  return getConsent(ctx, consentId)
}

/** Parses a phone number to E.164. A number without a country code belongs to the account's default country. */
export const parsePhone = async (ctx: Context, phoneNumber: string): Promise<string> =>
  requirePhone(phoneNumber, await getDefaultCountry(ctx))

/** Lists the kinds of consent to marketing by an AI voice that are in force for a number. */
export const findConsentKinds = async (
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  phone: string,
): Promise<ConsentKind[]> => {
  const rows = await sql<{ kind: ConsentKind }[]>`
    select distinct kind
      from consents
     where account_id = ${accountId} and phone = ${phone} and withdrawn_at is null and covers = 'ai_voice_marketing'`
  return rows.map(({ kind }) => kind)
}
