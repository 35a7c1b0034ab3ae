import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { nameFields } from './names.ts'

export type Schema = {
  type: 'object'
  properties?: Record<string, Part>
  required?: string[]
  [key: string]: unknown
}
type Part = { [key: string]: unknown }

/** Fields that answers of tools leave out: they say nothing to a reader. */
export const leftOut = ['objectType', 'updatedAt']

/** The operation's input and what every tool takes besides, closed to anything else. */
export const inputSchema = (shape: z.ZodRawShape, besides: z.ZodRawShape): Schema =>
  compact(toJsonSchema(z.strictObject({ ...shape, ...besides }), 'input')) as Schema

/**
 * The operation's output as a tool gives it: with names beside ids and without what is left out. Of what a write gives
 * back only the outline, because nobody calls it to read.
 */
export function outputSchema(output: z.ZodType, besides: Record<string, Part>, isRead: boolean): Schema {
  const schema = forReading(toJsonSchema(output, 'output'), isRead ? Number.POSITIVE_INFINITY : 1) as Schema
  return {
    ...schema,
    properties: { notice: {}, ...besides, ...schema.properties },
  }
}

function toJsonSchema(part: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, { io, unrepresentable: 'any' })
  return inlined(schema, ($defs ?? {}) as Record<string, unknown>)
}

const inlined = (part: unknown, defs: Record<string, unknown>): unknown => {
  if (Array.isArray(part)) return part.map(child => inlined(child, defs))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as { $ref?: string }
  if ($ref) return inlined({ ...(defs[$ref.slice('#/$defs/'.length)] as object), ...rest }, defs)
  return mapValues(rest, child => inlined(child, defs))
}

/** Without what a model doesn't need: long patterns beside a format, ids of ours, and bounds that say nothing. */
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
  // That any other field is taken goes without saying.
  return propertyNames || isDeepStrictEqual(additionalProperties, {}) ? rest : compacted
}

/**
 * The shape of an answer alone: descriptions stand with what is asked, the server's own checks bind nobody who reads,
 * and an answer may grow.
 */
function forReading(part: unknown, depth: number): unknown {
  if (Array.isArray(part)) return part.map(child => forReading(child, depth))
  if (typeof part !== 'object' || part === null) return part
  const kept = Object.entries(part).filter(([name]) => shaping.includes(name))
  const { properties, ...rest } = Object.fromEntries(kept) as Schema
  // Text is the rule and goes without saying; values that are listed tell their type themselves.
  const isText = (rest.type as string) === 'string'
  if (depth === 0) return rest.type === undefined || isText ? {} : { type: rest.type }
  if (isText) return rest.enum ? { enum: rest.enum } : {}
  const others = mapValues(rest, child => forReading(child, depth - 1))
  if (!properties) return others
  const fields = Object.entries(properties).filter(([name]) => !leftOut.includes(name))
  const names = fields.flatMap(([name]) => nameFields[name] ?? []).map(name => [name, {}])
  return {
    ...others,
    properties: {
      ...mapValues(Object.fromEntries(fields), field => forReading(field, depth - 1)),
      ...Object.fromEntries(names),
    },
  }
}

const shaping = ['type', 'properties', 'items', 'enum', 'anyOf']

const mapValues = <T>(object: object, change: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
