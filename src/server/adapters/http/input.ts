import { z } from 'zod'
import type { Operation } from '../../../contract/operation.ts'

type FieldType = 'integer' | 'boolean' | 'array' | 'text'

/** Returns the type of each input field, taken from the schema, for parsing query strings. */
export function fieldTypes(operation: Operation): Map<string, FieldType> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' })
  return new Map(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      toFieldType(property as { type?: string }),
    ]),
  )
}

const toFieldType = ({ type }: { type?: string }): FieldType =>
  type === 'integer' || type === 'boolean' || type === 'array' ? type : 'text'

/**
 * Converts query parameters to the types of the schema. A value that does not parse stays a string, so that schema
 * validation reports the value. Lists are a=1&a=2, a[]=1&a[]=2 or a=1,2.
 */
export function readQuery(
  types: Map<string, FieldType>,
  query: Record<string, string | string[]>,
): [string, unknown][] {
  return Object.entries(query).map(([key, value]) => {
    const name = key.endsWith('[]') && types.get(key.slice(0, -2)) === 'array' ? key.slice(0, -2) : key
    return [name, parseValue(types.get(name) ?? 'text', value)]
  })
}

function parseValue(type: FieldType, value: string | string[]): unknown {
  if (type === 'array') return [...new Set([value].flat().flatMap(text => text.split(',')))].sort()
  if (Array.isArray(value)) return value
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
