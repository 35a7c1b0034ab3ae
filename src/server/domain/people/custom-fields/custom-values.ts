import {
  type customFieldObjects,
  type customFieldTypes,
  maxCustomValueLength,
} from '../../../../contract/custom-fields.ts'
import { dayInput } from '../../../../contract/page.ts'
import { type Context, withAccount } from '../../../kernel/context.ts'
import { currentAccount, type Fragment, type Sql } from '../../../kernel/db/database.ts'
import { type ErrorDetail, invalidAll } from '../../../kernel/errors.ts'

type Account = Pick<Context, 'sql' | 'accountId'>
type Value = string | number | null

/** Values of custom fields by key; null clears a value. */
export type CustomValues = Record<string, Value>

type AppliesTo = (typeof customFieldObjects)[number]
type Field = { key: string; type: (typeof customFieldTypes)[number]; choices: string[] | null }

/**
 * Returns the values in canonical form. Locks their fields until the transaction ends, so that a field can't be deleted
 * before its values are stored. Throws ValidationError for unknown keys and invalid values.
 */
export async function parseCustomValues(
  account: Account,
  appliesTo: AppliesTo,
  given: CustomValues | undefined,
): Promise<CustomValues | undefined> {
  if (Object.keys(given ?? {}).length === 0) return undefined
  const { parsed, errors } = (await openCustomParser(account, appliesTo)).parse(given!)
  if (errors.length > 0) throw invalidAll(errors)
  return parsed
}

/** Returns a parser for the values of many objects. Locks the account's fields, as `parseCustomValues` does. */
export const openCustomParser = async (account: Account, appliesTo: AppliesTo) =>
  createParser(appliesTo, await lockFields(account, appliesTo))

/** Returns a parser for a read, which stores no values and therefore takes no lock. */
export const readCustomParser = async (ctx: Context, appliesTo: AppliesTo) =>
  createParser(
    appliesTo,
    await ctx.sql<Field[]>`
      select f.* from ${withAccount(ctx)} cross join lateral (
             select key, type, choices from custom_fields
              where account_id = s.account_id and applies_to = ${appliesTo}
              order by created_at, id) f`,
  )

function createParser(appliesTo: AppliesTo, found: readonly Field[]) {
  const fields = new Map(found.map(field => [field.key, field]))
  return {
    keys: [...fields.keys()],
    parse: (given: CustomValues): { parsed: CustomValues; errors: ErrorDetail[] } => {
      const errors: ErrorDetail[] = []
      const parsed = Object.entries(given).map(([key, value]): [string, Value] => {
        const field = fields.get(key)
        const result = field
          ? parseValue(field, value)
          : {
              error: `unknown field; custom fields of ${appliesTo === 'person' ? 'persons' : 'companies'}: ${[...fields.keys()].join(', ') || 'none'}`,
            }
        if ('error' in result) errors.push({ path: `custom.${key}`, message: result.error })
        return [key, 'value' in result ? result.value : null]
      })
      return { parsed: Object.fromEntries(parsed), errors }
    },
  }
}

const lockFields = ({ sql, accountId }: Account, appliesTo: string) => sql<Field[]>`
  select key, type, choices from custom_fields
   where account_id = ${accountId} and applies_to = ${appliesTo}
   order by created_at, id
     for share`

/** Returns the value of a field in canonical form, or the error. Blank text becomes null. */
export function parseValue({ type, choices }: Field, given: Value): { value: Value } | { error: string } {
  const text = given === null ? '' : String(given).normalize('NFC').trim()
  if (text === '') return { value: null }
  if (text.length > maxCustomValueLength)
    return { error: `must be at most ${maxCustomValueLength} characters long` }
  const value = parsers[type](text, choices ?? [])
  return value === undefined ? { error: messages[type](choices ?? []) } : { value }
}

const parsers: Record<
  Field['type'],
  (text: string, choices: readonly string[]) => string | number | undefined
> = {
  text: text => text,
  number: text =>
    /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined,
  date: text => (dayInput.safeParse(text).success ? text : undefined),
  url: text => {
    const url = URL.parse(text)
    return url && /^https?:$/.test(url.protocol) && url.href.length <= maxCustomValueLength
      ? url.href
      : undefined
  },
  choice: (text, choices) => choices.find(choice => choice.toLowerCase() === text.toLowerCase()),
}

const messages: Record<Field['type'], (choices: readonly string[]) => string> = {
  text: () => 'must be text',
  number: () => 'must be a number',
  date: () => 'must be a valid date, such as 2026-12-24',
  url: () => 'must be a URL that starts with http:// or https://',
  choice: choices => `must be one of: ${choices.join(', ')}`,
}

/** Lists the keys of the account's custom fields, oldest first. */
export async function listCustomKeys({ sql, accountId }: Account): Promise<string[]> {
  const fields = await sql<{ key: string }[]>`
    select key from custom_fields where account_id = ${accountId} order by created_at, id`
  return fields.map(({ key }) => key)
}

/**
 * Selects the template values of a person `p` at company `o`: one for each field of the account, null without a value.
 */
export const selectCustomValues = (sql: Sql): Fragment => sql`
  (select coalesce(jsonb_object_agg(f.key, null::text), '{}') from custom_fields f where f.account_id = ${currentAccount(sql)})
  || coalesce(o.custom, '{}') || coalesce(p.custom, '{}')`
