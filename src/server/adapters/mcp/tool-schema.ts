import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { nameFields } from './related-names.ts'

export type Schema = {
  type: 'object'
  properties?: Record<string, Part>
  required?: string[]
  [key: string]: unknown
}
type Part = { [key: string]: unknown }

/** Fields that tool results omit because a model doesn't need them. */
export const omittedFields = ['objectType', 'updatedAt']

/** Returns the schema of the operation's input and the tool's options; no other fields are allowed. */
export const inputSchema = (shape: z.ZodRawShape, options: z.ZodRawShape): Schema =>
  compact(toJsonSchema(z.strictObject({ ...shape, ...options }), 'input')) as Schema

/**
 * Returns the schema of the operation's output as a tool presents it: with names beside IDs and without omitted
 * fields. Writes get only the outline, because nobody calls them to read.
 */
export function outputSchema(output: z.ZodType, options: Record<string, Part>, isRead: boolean): Schema {
  const schema = toOutline(toJsonSchema(output, 'output'), isRead ? Number.POSITIVE_INFINITY : 1) as Schema
  return {
    ...schema,
    properties: { notice: {}, ...options, ...schema.properties },
  }
}

function toJsonSchema(part: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, { io, unrepresentable: 'any' })
  return inlineRefs(schema, ($defs ?? {}) as Record<string, unknown>)
}

const inlineRefs = (part: unknown, defs: Record<string, unknown>): unknown => {
  if (Array.isArray(part)) return part.map(child => inlineRefs(child, defs))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as { $ref?: string }
  if ($ref) return inlineRefs({ ...(defs[$ref.slice('#/$defs/'.length)] as object), ...rest }, defs)
  return mapValues(rest, child => inlineRefs(child, defs))
}

/** Drops what a model doesn't need: patterns beside a format, schema IDs, and bounds without meaning. */
function compact(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(compact)
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(
    ([name, value]) =>
      !(name === 'pattern' && 'format' in part) &&
      !((name === 'id' || name === '$schema') && typeof value === 'string') &&
      !(name === 'minLength' && value === 1) &&
      !(typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER),
  )
  const compacted: Part = mapValues(Object.fromEntries(kept), compact)
  const { propertyNames, additionalProperties, ...rest } = compacted
  // Additional properties are allowed by default.
  return propertyNames || isDeepStrictEqual(additionalProperties, {}) ? rest : compacted
}

/** Keeps only the shape of an answer: no descriptions, no server-side constraints, open to new fields. */
function toOutline(part: unknown, depth: number): unknown {
  if (Array.isArray(part)) return part.map(child => toOutline(child, depth))
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(([name]) => shapeKeywords.includes(name))
  const { properties, ...rest } = Object.fromEntries(kept) as Schema
  // Strings are the default type, and enum values imply theirs.
  const isText = (rest.type as string) === 'string'
  if (depth === 0) return rest.type === undefined || isText ? {} : { type: rest.type }
  if (isText) return rest.enum ? { enum: rest.enum } : {}
  const others = mapValues(rest, child => toOutline(child, depth - 1))
  if (!properties) return others
  const fields = Object.entries(properties).filter(([name]) => !omittedFields.includes(name))
  const names = fields.flatMap(([name]) => nameFields[name] ?? []).map(name => [name, {}])
  return {
    ...others,
    properties: {
      ...mapValues(Object.fromEntries(fields), field => toOutline(field, depth - 1)),
      ...Object.fromEntries(names),
    },
  }
}

const shapeKeywords = ['type', 'properties', 'items', 'enum', 'anyOf']

const mapValues = <T>(object: object, change: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
