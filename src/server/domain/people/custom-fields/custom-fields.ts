import { randomUUIDv7 } from 'node:crypto'
import { templateVariables } from '../../../../contract/campaigns.ts'
import { maxCustomFields } from '../../../../contract/custom-fields.ts'
import type { Input, Output } from '../../../../contract/index.ts'
import { personFieldNames } from '../../../../contract/person-fields.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Fragment, Sql } from '../../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../../kernel/db/json-object.ts'
import { conflict, invalid, notFound } from '../../../kernel/errors.ts'
import { findJson, type Json } from '../../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../../kernel/page.ts'
import { audit } from '../../accounts/audit-log.ts'

type CustomField = Output<'createCustomField'>

const customFieldJson = (sql: Sql): Fragment => sql`
  ${jsonObject({
    id: uuid('f.id'),
    objectType: 'custom_field',
    createdAt: timestamp('f.created_at'),
    updatedAt: timestamp('f.updated_at'),
    key: sql`f.key`,
    label: sql`f.label`,
    appliesTo: sql`f.applies_to`,
    type: sql`f.type`,
    choices: sql`f.choices`,
  })} as json`

export const listCustomFields = (
  ctx: Context,
  input: Input<'listCustomFields'>,
): Promise<Json<Output<'listCustomFields'>>> =>
  listPage(
    ctx,
    'listCustomFields',
    input,
    page => ctx.sql`
      select f.id, api_time(f.created_at) as at, ${customFieldJson(ctx.sql)}
        from custom_fields f
       where f.account_id = s.account_id
         ${afterCursor(ctx.sql, page, 'f.created_at', 'f.id')}
         ${orderAndLimit(ctx.sql, page, 'f.created_at', 'f.id')}`,
  )

const getCustomField = (ctx: Context, customFieldId: string): Promise<Json<CustomField>> =>
  findJson(
    ctx,
    'custom field',
    ctx.sql`
      select ${customFieldJson(ctx.sql)}
        from custom_fields f
       where f.account_id = s.account_id and f.id = ${customFieldId}`,
  )

export async function createCustomField(
  ctx: Context,
  { key, label, appliesTo, type, choices }: Input<'createCustomField'>,
): Promise<Json<CustomField>> {
  const { sql, accountId } = ctx
  if (reservedKeys.has(key.toLowerCase()))
    throw invalid(
      'key',
      'must not be the name of a built-in field or variable, or a keyword of the template language',
    )
  checkChoices(type, choices)
  await lockCustomFields(ctx)
  const [found] = await sql<{ count: number; same: string | null }[]>`
    select count(*)::int as count, max(key) filter (where lower(key) = ${key.toLowerCase()}) as same
      from custom_fields
     where account_id = ${accountId}`
  if (found!.same) throw conflict(`The custom field ${found!.same} already exists.`)
  if (found!.count >= maxCustomFields)
    throw conflict(
      `An account can have at most ${maxCustomFields} custom fields. Delete one that is no longer used.`,
    )
  const customFieldId = randomUUIDv7()
  await sql`
    insert into custom_fields (account_id, id, key, label, applies_to, type, choices)
    values (${accountId}, ${customFieldId}, ${key}, ${label}, ${appliesTo}, ${type}, ${choices ?? null})`
  await audit(ctx, 'create', 'custom_field', customFieldId)
  return getCustomField(ctx, customFieldId)
}

/** Names that already have a meaning in templates, prospect input or CSV files, in lower case. */
const reservedKeys = new Set(
  [
    ...templateVariables,
    ...personFieldNames,
    ...['website', 'custom', 'photoUrl', 'companyId'],
    ...['true', 'false', 'nil', 'null', 'empty', 'blank', 'and', 'or', 'not', 'contains'],
  ].map(name => name.toLowerCase()),
)

function checkChoices(type: CustomField['type'], choices: readonly string[] | undefined): void {
  if (type !== 'choice' && choices) throw invalid('choices', 'is only allowed for the type choice')
  if (type === 'choice' && !choices) throw invalid('choices', 'is required for the type choice')
  if (choices && new Set(choices.map(choice => choice.toLowerCase())).size < choices.length)
    throw invalid('choices', 'must not contain the same choice twice')
}

/** Serializes creations, so that concurrent requests can't exceed the limit on custom fields. */
const lockCustomFields = ({ sql, accountId }: Context) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`custom fields ${accountId}`}, 0))`

export async function updateCustomField(
  ctx: Context,
  { customFieldId, label, choices }: Input<'updateCustomField'>,
): Promise<Json<CustomField>> {
  const { sql, accountId } = ctx
  const { type } = await lockCustomField(ctx, customFieldId)
  if (choices) checkChoices(type, choices)
  await sql`
    update custom_fields
       set label = coalesce(${label ?? null}, label), choices = coalesce(${choices ?? null}::text[], choices),
           updated_at = now()
     where account_id = ${accountId} and id = ${customFieldId}`
  await audit(ctx, 'update', 'custom_field', customFieldId)
  return getCustomField(ctx, customFieldId)
}

type DeletionEffects = {
  /** Returns the name of a campaign that uses the variable. */
  findCampaignUsing: (ctx: Context, variable: string) => Promise<string | undefined>
  deleteValues: Record<CustomField['appliesTo'], (ctx: Context, key: string) => PromiseLike<unknown>>
}

export async function deleteCustomField(
  ctx: Context,
  { customFieldId }: Input<'deleteCustomField'>,
  { findCampaignUsing, deleteValues }: DeletionEffects,
): Promise<Output<'deleteCustomField'>> {
  const { sql, accountId } = ctx
  const { key, appliesTo } = await lockCustomField(ctx, customFieldId)
  const campaign = await findCampaignUsing(ctx, key)
  if (campaign) throw conflict(`The campaign ${campaign} uses {{ ${key} }}: change its steps first.`)
  await sql`delete from custom_fields where account_id = ${accountId} and id = ${customFieldId}`
  await deleteValues[appliesTo](ctx, key)
  await audit(ctx, 'delete', 'custom_field', customFieldId)
  return { ok: true }
}

async function lockCustomField(
  { sql, accountId }: Context,
  customFieldId: string,
): Promise<Pick<CustomField, 'key' | 'appliesTo' | 'type'>> {
  const [field] = await sql<Pick<CustomField, 'key' | 'appliesTo' | 'type'>[]>`
    select key, applies_to as "appliesTo", type from custom_fields where account_id = ${accountId} and id = ${customFieldId} for update`
  if (!field) throw notFound('custom field')
  return field
}
