import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

export type Schema = {
  type: 'object'
  properties?: Record<string, Part>
  required?: string[]
  [key: string]: unknown
}
type Part = { [key: string]: unknown }

/** Returns the schema of the operation's input and the tool's options; no other fields are allowed. */
export const inputSchema = (shape: z.ZodRawShape, options: z.ZodRawShape): Schema => ({
  ...(compact(toJsonSchema(z.strictObject({ ...shape, ...options }))) as Schema),
  additionalProperties: false,
})

function toJsonSchema(part: z.ZodType): unknown {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' })
  return inlineRefs(schema, ($defs ?? {}) as Record<string, unknown>)
}

const inlineRefs = (part: unknown, defs: Record<string, unknown>): unknown => {
  if (Array.isArray(part)) return part.map(child => inlineRefs(child, defs))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as { $ref?: string }
  if ($ref) return inlineRefs({ ...(defs[$ref.slice('#/$defs/'.length)] as object), ...rest }, defs)
  return mapValues(rest, child => inlineRefs(child, defs))
}

/**
 * Drops what a model doesn't need, because `tools/list` is limited to 60 kB: patterns beside a format, schema IDs,
 * descriptions that repeat the name of an ID, and bounds that are rarely reached, which errors then name.
 */
function compact(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(compact)
  if (typeof part !== 'object' || part === null) return part
  const isId = 'format' in part && part.format === 'uuid'
  const kept = Object.entries(part).filter(
    ([name, value]) =>
      !(name === 'pattern' && 'format' in part) &&
      !((name === 'id' || name === '$schema') && typeof value === 'string') &&
      !(name === 'description' && isId && /^[\w ]+ ID$/.test(String(value))) &&
      !(name === 'minLength' && value === 1) &&
      !(name === 'maxLength' && typeof value === 'number') &&
      !(name === 'additionalProperties' && (value === false || isDeepStrictEqual(value, {}))) &&
      name !== 'propertyNames' &&
      !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER),
  )
  return mapValues(Object.fromEntries(kept), compact)
}

const mapValues = <T>(object: object, change: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
