/** The part of JSON Schema that the contract uses. */
export type Schema = {
  $ref?: string
  /** A list when null is allowed. */
  type?: string | string[]
  format?: string
  description?: string
  const?: unknown
  examples?: unknown[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  [key: string]: unknown
}

/** Example values by field name. */
const examples: Record<string, unknown> = {
  name: 'Ada Byron',
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@analytical.example',
  subject: 'Hello Ada',
  body: 'Hi Ada,\n\nis Analytical hiring?',
  from: '+442079460018',
  to: '+442079460990',
  phone: '+442079460018',
  fromNumber: '+442079460018',
  linkedinUrl: 'https://www.linkedin.com/in/ada-byron',
  timezone: 'Europe/London',
  identifier: 'ada@analytical.example',
  domain: 'analytical.example',
  website: 'https://analytical.example',
  country: 'GB',
  next: 'AXr0…',
  previous: 'AXr1…',
}

/** Builds a deterministic example of a schema. `field` is the schema's field name. */
export function toExample(schema: Schema, schemas: Record<string, Schema>, field = ''): unknown {
  if (schema.$ref) return toExample(schemas[schema.$ref.split('/').at(-1) as string] ?? {}, schemas, field)
  if (schema.examples) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return toExample(schema.anyOf[0] as Schema, schemas, field)
  const [type] = [schema.type].flat()
  if (type === 'array') return [toExample(schema.items ?? {}, schemas, field)]
  if (type === 'object' || schema.properties) {
    const entries = Object.entries(schema.properties ?? {})
    return Object.fromEntries(entries.map(([name, property]) => [name, toExample(property, schemas, name)]))
  }
  if (type === 'string') return exampleText(schema, field)
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (type === 'boolean') return true
  return {}
}

const exampleText = (schema: Schema, field: string): unknown => {
  if (schema.format === 'uuid' || schema.pattern?.toString().startsWith('^([0-9a-fA-F]{8}')) {
    return '01980000-0000-7000-8000-000000000001'
  }
  if (schema.format === 'date-time') return '2026-11-21T09:30:00.000Z'
  if (schema.format === 'date') return '2026-11-21'
  if (schema.format === 'email') return 'ada@analytical.example'
  return examples[field] ?? 'text'
}
