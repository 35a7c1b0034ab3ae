import { type Context, withAccount } from '../../kernel/context.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import type { Row } from './lean-row.ts'
import type { Schema } from './tool-schema.ts'

type Part = { type?: string | string[]; const?: unknown; properties?: Record<string, Part>; items?: Part }

/**
 * Reads what models often write instead of what a schema asks for: "10" for 10, "true" for true, one value for a list,
 * JSON in a string. `false` for a flag that can only be true counts as absent. Everything else is left to validation.
 */
export const readLeniently = ({ properties = {} }: Schema, args: Row): Row => readFields(properties, args)

function readFields(properties: Record<string, Part>, fields: Row): Row {
  const read = Object.entries(fields).map(([name, value]) => {
    const part = properties[name]
    return [name, part ? readValue(part, value) : value]
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function readValue(part: Part, raw: unknown): unknown {
  const value = typeof raw === 'string' ? readText(part, raw) : raw
  if (value === false && part.const === true) return undefined
  if (part.type === 'array') {
    const items = Array.isArray(value) ? value : [value]
    return part.items ? items.map(item => readValue(part.items!, item)) : items
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && part.properties ? readFields(part.properties, value as Row) : value
}

function readText(part: Part, text: string): unknown {
  const [type] = [part.type].flat()
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()] ?? text
  if ((type === 'array' && text.startsWith('[')) || (type === 'object' && text.startsWith('{'))) {
    return parseJson(text)
  }
  return text
}

/** Returns the text itself when it is not JSON. What it contains has not been checked as other arguments are. */
function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  rejectUnsafeText(value)
  return value
}

const id = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Replaces the name of a campaign or rep in place of its ID, if exactly one has this name. */
export async function resolveNames({ app, accountId }: Context, args: Row): Promise<Row> {
  const { campaignId, repId } = args
  const isName = (value: unknown): value is string => typeof value === 'string' && !id.test(value)
  if (!isName(campaignId) && !isName(repId)) return args
  const sql = app.db.app
  const toNameKey = (value: unknown) => (isName(value) ? value.trim().toLowerCase() : null)
  const [found] = await sql<{ campaignIds: string[]; repIds: string[] }[]>`
    select array(select id from campaigns
                  where account_id = s.account_id and lower(name) = ${toNameKey(campaignId)} limit 2) as "campaignIds",
           array(select id from reps
                  where account_id = s.account_id and lower(name) = ${toNameKey(repId)} limit 2) as "repIds"
      from ${withAccount({ sql, accountId })}`
  const only = (ids: string[] = []) => (ids.length === 1 ? ids[0] : undefined)
  return {
    ...args,
    ...(isName(campaignId) && { campaignId: only(found?.campaignIds) ?? campaignId }),
    ...(isName(repId) && { repId: only(found?.repIds) ?? repId }),
  }
}
