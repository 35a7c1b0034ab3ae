import type { Schema } from './open-api.ts'
import { InlineCode } from './prose.tsx'

type Schemas = Record<string, Schema>

/** Deeper objects are rare and would not fit on a phone screen. */
const MAX_DEPTH = 4

/** Shows the fields of an object, with those of nested objects below them. */
export function Fields({ schema, schemas, depth = 0 }: { schema: Schema; schemas: Schemas; depth?: number }) {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return (
    <ul className={depth === 0 ? 'divide-y divide-line rounded-card border border-line bg-surface' : ''}>
      {Object.entries(properties).map(([name, field]) => (
        <li key={name} className={depth === 0 ? 'px-3 py-2.5' : 'py-2'}>
          <Field name={name} schema={field} schemas={schemas} isRequired={required.includes(name)} />
          <Nested schema={field} schemas={schemas} depth={depth} />
        </li>
      ))}
    </ul>
  )
}

type FieldProps = {
  name: string
  schema: Schema
  schemas: Schemas
  isRequired?: boolean | undefined
  description?: string | undefined
}

export function Field({ name, schema, schemas, isRequired, description = schema.description }: FieldProps) {
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="wrap-anywhere font-medium font-mono text-sm">{name}</code>
        <span className="wrap-anywhere min-w-0 text-muted text-sm">{formatType(schema, schemas)}</span>
        {isRequired && <span className="text-amber text-sm">required</span>}
      </p>
      {description && (
        <p className="max-w-[76ch] text-sm">
          <InlineCode text={description} />
        </p>
      )}
    </>
  )
}

function Nested({ schema, schemas, depth }: { schema: Schema; schemas: Schemas; depth: number }) {
  const object = findObject(schema, schemas)
  if (!object || depth >= MAX_DEPTH) return null
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-accent text-sm">Fields</summary>
      <div className="mt-1 border-line border-l-2 pl-3">
        <Fields schema={object} schemas={schemas} depth={depth + 1} />
      </div>
    </details>
  )
}

const resolve = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref ? (schemas[schema.$ref.split('/').at(-1)!] ?? {}) : schema

/** Returns the schema of an object: the schema itself, that of its items or its first alternative. */
function findObject(schema: Schema, schemas: Schemas): Schema | undefined {
  const found = resolve(schema, schemas)
  if (found.properties && Object.keys(found.properties).length > 0) return found
  const inner = found.items ?? found.anyOf?.[0]
  return inner && findObject(inner, schemas)
}

function formatType(schema: Schema, schemas: Schemas): string {
  const { type, format, const: only, enum: values, anyOf, items } = resolve(schema, schemas)
  if (only !== undefined) return JSON.stringify(only)
  if (values) return values.map(value => JSON.stringify(value)).join(' · ')
  if (anyOf) return [...new Set(anyOf.map(each => formatType(each, schemas)))].join(' or ')
  if (items) return `list of ${formatType(items, schemas)}`
  const types = [type].flat().filter(name => name !== undefined)
  return types.map(name => (name === 'string' ? (format ?? name) : name)).join(' or ') || 'any'
}
