import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import type { Row } from './lean-row.ts'
import type { Schema } from './tool-schema.ts'

type Part = {
  type?: string | string[]
  format?: string
  const?: unknown
  properties?: Record<string, Part>
  items?: Part
}

/**
 * Accepts values that models often write instead of those of the schema: "10" for 10, "true" for true, one value for a
 * list, JSON in a string. Drops `false` for a flag that can only be true. Leaves everything else to validation. Sorts
 * the fields, so that a repeated call with the same idempotency key is recognized regardless of the order of its
 * fields.
 */
export const readLeniently = ({ properties = {} }: Schema, args: Row): Row => readFields(properties, args)

function readFields(properties: Record<string, Part>, fields: Row): Row {
  const names = Object.keys(fields).sort()
  const read = names.map(name => {
    const part = properties[name]
    return [name, part ? readValue(part, fields[name]) : fields[name]]
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
  // Results show times to the minute, so models pass times without seconds.
  if (part.format === 'date-time') return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?=Z|[+-])/, '$1:00')
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()] ?? text
  if ((type === 'array' && text.startsWith('[')) || (type === 'object' && text.startsWith('{'))) {
    return parseJson(text)
  }
  return text
}

/** Returns the text itself when it is not JSON. Checks the values, which were not checked with the other arguments. */
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
