import { exampleValues } from './example-values.ts'

/** The part of JSON Schema that the contract uses. */
export type Schema = {
  $ref?: string
  /** A list when null is allowed. */
  type?: string | string[]
  format?: string
  description?: string
  const?: unknown
  default?: unknown
  examples?: unknown[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  [key: string]: unknown
}

/** Builds a deterministic example of a schema. `field` is the schema's field name, `owner` the type of its object. */
export function toExample(
  schema: Schema,
  schemas: Record<string, Schema>,
  field = '',
  owner: string | undefined = undefined,
): unknown {
  if (schema.$ref)
    return toExample(schemas[schema.$ref.split('/').at(-1) as string] ?? {}, schemas, field, owner)
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  const value = exampleValues[`${owner}.${field}`] ?? exampleValues[field]
  if (schema.enum) return schema.enum.includes(value) ? value : schema.enum[0]
  if (schema.anyOf) return toExample(schema.anyOf[0] as Schema, schemas, field, owner)
  const [type] = [schema.type].flat()
  if (type === 'array') return [toExample(schema.items ?? {}, schemas, field, owner)]
  if (type === 'object' || schema.properties) return objectExample(schema, schemas)
  if (type === 'string') return exampleText(schema, field, value)
  if (type === 'integer' || type === 'number') return exampleNumber(schema, value)
  if (type === 'boolean') return typeof value === 'boolean' ? value : (schema.default ?? true)
  return {}
}

function objectExample({ properties = {} }: Schema, schemas: Record<string, Schema>): unknown {
  const owner = properties.objectType?.const as string | undefined
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toExample(property, schemas, name, owner)]),
  )
}

function exampleNumber({ default: usual, minimum = 1 }: Schema, value: unknown): number {
  if (typeof value === 'number') return value
  return typeof usual === 'number' ? usual : Math.max(1, minimum)
}

const exampleText = (schema: Schema, field: string, value: unknown): unknown => {
  if (schema.format === 'uuid' || schema.pattern?.toString().startsWith('^([0-9a-fA-F]{8}')) {
    return '01980000-0000-7000-8000-000000000001'
  }
  if (schema.format === 'date-time') return '2026-11-21T09:30:00.000Z'
  if (schema.format === 'date') return '2026-11-21'
  if (schema.format === 'email') return 'ada@analytical.example'
  return typeof value === 'string' ? value : toSentenceCase(field)
}

/** Turns `deliveryReason` into "Delivery reason". */
const toSentenceCase = (field: string): string =>
  field.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replace(/^./, letter => letter.toUpperCase())
