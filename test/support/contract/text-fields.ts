import { z } from 'zod'
import { jsonBytes } from './largest-inputs.ts'

type Schema = {
  checks?: string
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  pattern?: string
  maxLength?: number
  maxItems?: number
  $defs?: Record<string, Schema>
}

/** A place in a body, as a path of field names, with 0 for an element of a list. */
export type Place = (string | number)[]

/**
 * A text field. `isFree` is true if it has no format or pattern, unlike IDs and dates. `checks` is equal for fields
 * with the same checks, apart from lengths. `name` is the last field name in the place.
 */
export type Field = { place: Place; maxLength: number; isFree: boolean; name: string; checks: string }

const UNLIMITED = 100_000_000
const anyName = 'anything'

/** Returns every text field of a schema at any depth; a free-form object has one field named `anything`. */
export function textFields(schema: z.ZodType): Field[] {
  const root = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (jsonSchema.type === 'string') jsonSchema.checks = formatChecks(zodSchema)
    },
  }) as Schema
  const walk = (given: Schema, place: Place): Field[] => {
    const node = given.$ref ? (root.$defs?.[given.$ref.split('/').at(-1)!] ?? {}) : given
    if (node.enum || node.const !== undefined) return []
    const fields = [node.anyOf, node.oneOf, node.allOf].flatMap(
      several => several?.flatMap(one => walk(one, place)) ?? [],
    )
    if (node.type === 'string')
      fields.push({
        place,
        maxLength: node.maxLength ?? UNLIMITED,
        isFree: !node.format && !node.pattern,
        name: String(place.findLast(segment => typeof segment === 'string')),
        checks: node.checks!,
      })
    if (node.items) fields.push(...walk(node.items, [...place, 0]))
    for (const [name, property] of Object.entries(node.properties ?? {}))
      fields.push(...walk(property, [...place, name]))
    const rest = node.additionalProperties
    if (rest === true || (typeof rest === 'object' && Object.keys(rest).length === 0))
      fields.push({
        place: [...place, anyName],
        maxLength: UNLIMITED,
        isFree: true,
        name: anyName,
        checks: anyName,
      })
    else if (typeof rest === 'object') fields.push(...walk(rest, [...place, anyName]))
    return fields
  }
  const fields = walk(root, [])
  return fields.filter(
    ({ place }, index) => fields.findIndex(other => isSamePlace(other.place, place)) === index,
  )
}

/** Returns the checks and transforms of a string schema as JSON, without lengths or optionality. */
function formatChecks({ _zod: { def } }: z.core.$ZodType): string {
  if ('innerType' in def) return formatChecks(def.innerType as z.core.$ZodType)
  return JSON.stringify(def, (key, value) => {
    if (key === 'maximum' || key === 'error') return undefined
    if (typeof value === 'function' || value instanceof RegExp) return String(value)
    return value?._zod?.def ?? value
  })
}

export const isSamePlace = (a: Place, b: Place): boolean => a.join('.') === b.join('.')

/** Returns a copy with the value at this place; creates missing parents. */
export function withValue(root: unknown, [segment, ...rest]: Place, value: unknown): unknown {
  if (segment === undefined) return value
  if (typeof segment === 'number') {
    const list = Array.isArray(root) ? root : []
    return list.with === undefined || segment >= list.length
      ? [...list, withValue(undefined, rest, value)]
      : list.with(segment, withValue(list[segment], rest, value))
  }
  const fields = typeof root === 'object' && root !== null ? (root as Record<string, unknown>) : {}
  return { ...fields, [segment]: withValue(fields[segment], rest, value) }
}

export const getValueAt = (root: unknown, place: Place): unknown =>
  place.reduce((current, segment) => (current as Record<string, unknown> | undefined)?.[segment], root)

/** A string in a request, with its place and schema field. */
export type Slot = { place: Place; field: Field }

/** Returns the strings in a value that match a field without a format or pattern. */
export function findSlots(value: unknown, fields: readonly Field[], place: Place = []): Slot[] {
  if (typeof value === 'string') {
    const field = fields.find(field => isAt(field.place, place))
    return field?.isFree ? [{ place, field }] : []
  }
  if (typeof value !== 'object' || value === null) return []
  const segments = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [...segments].flatMap(segment =>
    findSlots((value as Record<string | number, unknown>)[segment], fields, [...place, segment]),
  )
}

const isAt = (field: Place, place: Place): boolean =>
  field.length === place.length &&
  field.every(
    (segment, index) =>
      segment === place[index] ||
      (typeof segment === typeof place[index] && (segment === 0 || segment === anyName)),
  )

/**
 * Returns the request with its lists extended by copies of their elements with distinct strings, up to this many bytes
 * of JSON and the schema's list limits. Lists without long strings stay unchanged.
 */
export function fillLists(value: unknown, maxItems: (place: Place) => number, bytes: number): unknown {
  if (!hasList(value)) return value
  for (let budget = bytes; budget > bytes / 20; budget /= 1.5) {
    const full = fillUp(value, maxItems, budget, [])
    if (jsonBytes(full) <= bytes) return full
  }
  return value
}

const hasList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((Array.isArray(value) && hasLongText(value)) || Object.values(value).some(hasList))

function fillUp(value: unknown, maxItems: (place: Place) => number, bytes: number, place: Place): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([name, child]) => [name, fillUp(child, maxItems, bytes, [...place, name])]),
    )
  }
  if (!hasLongText(value)) return value
  const items = value.map((item, index) =>
    fillUp(item, maxItems, bytes / value.length / 2, [...place, index]),
  )
  const count = Math.min(maxItems(place), Math.floor((bytes / jsonBytes(items)) * items.length))
  return Array.from({ length: Math.max(count, items.length) }, (_, n) =>
    n < items.length ? items[n] : makeDistinct(items[n % items.length], n),
  )
}

/** Reports whether the text is longer than any ID or date. */
const isLong = (text: string): boolean => text.length > 40

const hasLongText = (value: unknown): boolean =>
  typeof value === 'string'
    ? isLong(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)

function makeDistinct(value: unknown, n: number): unknown {
  if (typeof value === 'string') return isLong(value) ? `${n}${value.slice(String(n).length)}` : value
  if (Array.isArray(value)) return value.map(child => makeDistinct(child, n))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, makeDistinct(child, n)]))
}

/** Returns a function that returns the maximum number of elements of a list in the schema. */
export function getListLimits(schema: z.ZodType): (place: Place) => number {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  const collectLimits = (given: Schema | undefined, place: Place): number[] => {
    const node = given?.$ref ? root.$defs?.[given.$ref.split('/').at(-1)!] : given
    if (!node) return []
    const several = [node.anyOf, node.oneOf, node.allOf].flatMap(
      one => one?.flatMap(child => collectLimits(child, place)) ?? [],
    )
    const [segment, ...rest] = place
    if (segment === undefined) return [...several, ...(node.maxItems === undefined ? [] : [node.maxItems])]
    const child =
      typeof segment === 'number'
        ? node.items
        : (node.properties?.[segment] ?? (node.additionalProperties as Schema))
    return [...several, ...collectLimits(child, rest)]
  }
  return place => Math.max(1, ...collectLimits(root, place))
}
