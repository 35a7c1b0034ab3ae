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
 * Drops everything that a model doesn't need, because `tools/list` is limited to 60 kB: patterns, schema IDs,
 * descriptions that repeat a name, defaults that say nothing, and bounds that are rarely reached. The server still
 * validates all of it, and its errors name what is allowed.
 */
function compact(whole: unknown, field = ''): unknown {
  if (Array.isArray(whole)) return whole.map(child => compact(child))
  if (typeof whole !== 'object' || whole === null) return whole
  const part = mergeNullType(whole)
  const isId = 'format' in part && part.format === 'uuid'
  const kept = Object.entries(part).filter(
    ([name, value]) =>
      !droppedKeywords.has(name) &&
      !((name === 'id' || name === '$schema') && typeof value === 'string') &&
      !(name === 'format' && isId) &&
      !(name === 'description' && repeatsName(String(value), field, isId)) &&
      !(name === 'default' && isDefaultOfType(value)) &&
      !(name === 'minimum' && typeof value === 'number' && value <= 1) &&
      !(name === 'maximum' && typeof value === 'number' && value >= 1000) &&
      !(name === 'maxLength' && typeof value === 'number' && value >= 50),
  )
  return mapValues(Object.fromEntries(kept), (value, name) =>
    name === 'properties' ? mapValues(value as object, compact) : compact(value),
  )
}

/** Replaces `anyOf` of a type and null with a list of types. */
function mergeNullType(part: object): object {
  const { anyOf, ...rest } = part as { anyOf?: { type?: unknown }[] }
  const [value, none] = anyOf ?? []
  return anyOf?.length === 2 && typeof value?.type === 'string' && !('enum' in value) && none?.type === 'null'
    ? { ...value, ...rest, type: [value.type, 'null'] }
    : part
}

const droppedKeywords = new Set([
  'pattern',
  'minLength',
  'minItems',
  'maxItems',
  'propertyNames',
  'additionalProperties',
  'examples',
])

const isDefaultOfType = (value: unknown): boolean =>
  value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)

/**
 * Returns whether a description is empty or repeats the field: “First name” for `firstName`, “Text of the message”
 * for `text`, “Campaign ID”, “Only messages of this campaign” or “Only prospects with one of these statuses”.
 */
const repeatsName = (description: string, field: string, isId: boolean): boolean =>
  description === '' ||
  (isId && /^(?:[\w ]+ ID|ID of the \w+)$/.test(description)) ||
  /^Only (?:the )?\w+ (?:of|with|by|for|on) (?:this|one of these) [\w ]+$/.test(description) ||
  /^Only \w+ (?:that|whose) [\w ]+ this \w+$/.test(description) ||
  /^Only unread \w+$/.test(description) ||
  description
    .replace(/ (?:of|about) (?:the )?\w+$/, '')
    .replaceAll(' ', '')
    .toLowerCase() === field.toLowerCase()

const mapValues = <T>(object: object, change: (value: unknown, name: string) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
