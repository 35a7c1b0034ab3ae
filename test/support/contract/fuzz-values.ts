import fc from 'fast-check'
import type { Schema } from '../../../src/server/adapters/http/openapi-example.ts'
import { resolve } from './document-check.ts'

/** JSON text that no JavaScript value serializes to. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const toJson = (value: unknown): string => {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value)
    .map(([key, child]) => `${JSON.stringify(key)}:${toJson(child)}`)
    .join(',')}}`
}

/** Returns a placeholder. Before the request is sent, it is replaced with an ID or cursor from an earlier response. */
export const reference = (kind: string, n: number): string => `@${kind}:${n}@`

export const hostileTexts = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '\ufeff',
    '\u202egnp.exe',
    'İIıi',
    '🏳️‍🌈',
    'ﬃ',
    '\u0000\uffff',
  ],
  ...[
    "'; drop table accounts; --",
    '%',
    '_',
    '\\',
    '$1',
    '$' + '{jndi:ldap://127.0.0.1}',
    '{{7*7}}',
    '=1+1',
    '-0',
  ],
  ...[
    '../../etc/passwd',
    'a\r\nX-Injected: 1',
    '<script>alert(1)</script>',
    'null',
    'undefined',
    'NaN',
    'true',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '[object Object]',
    '2026-02-30T00:00:00.000Z',
  ],
  ...['{% for i in (1..999999999) %}x{% endfor %}', '{{ "x" | append: "y" }', '{% include "a" %}'],
  ...['x'.repeat(300), 'é'.repeat(5_000), 'x'.repeat(30_000)],
]

const deep = (open: string, close: string, depth: number) =>
  new Raw(open.repeat(depth) + '1' + close.repeat(depth))

export const hostileValues: unknown[] = [
  ...hostileTexts,
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e-308, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, 2 ** 63],
  ...['1e999', '-1e999', '-0', '123456789012345678901234567890', '0.1e-7', '"\\ud800"', '"\\u0000"'].map(
    text => new Raw(text),
  ),
  ...[
    '{"__proto__":{"isOwner":true}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"a":1,"a":2}',
    '{"then":"x"}',
  ].map(text => new Raw(text)),
  ...[[], [[]], [null], {}, { a: 1 }, { length: -1 }, { toString: 1 }, { toJSON: 'x' }],
  ...[deep('[', ']', 31), deep('[', ']', 33), deep('[', ']', 2_000), deep('{"a":', '}', 2_000)],
  Array.from({ length: 1_000 }, () => 'x'),
  Array.from({ length: 600 }, () => ({})),
]

/** Local and private addresses. No host is a name that needs DNS, because tests must not contact other machines. */
const hosts = [
  '127.0.0.1',
  'localhost',
  '::1',
  '[::1]',
  '0x7f.1',
  '2130706433',
  '10.0.0.1',
  '169.254.169.254',
]
const invalidHosts = ['', 'a b', 'http://127.0.0.1', '127.0.0.1:25', 'x'.repeat(300), '\0', '..']

const people = Array.from({ length: 60 }, (_, n) => `person${n}@analytical${n % 7}.example`)

/** Valid strings for fields with format rules, and invalid strings that look similar. */
const textsByField: Record<string, { good: string[]; bad?: string[] }> = {
  email: { good: people, bad: ['Ben+1@Пример.рф', 'a@b@c', '@', `${'a'.repeat(300)}@x.example`] },
  phone: {
    good: ['+442079460018', '+1 (415) 555-0123'],
    bad: ['020 7946 0018', '12', '+999999999999999999'],
  },
  linkedinUrl: {
    good: ['https://www.linkedin.com/in/ada-byron', 'linkedin.com/in/Ben'],
    bad: ['linkedin.com/in/Ada%20', 'https://linkedin.com', 'x'],
  },
  profileUrl: { good: ['https://www.linkedin.com/in/grace-hopper'], bad: ['linkedin.com'] },
  timezone: { good: ['Europe/London', 'Asia/Kolkata'], bad: ['Mars/Base', 'UTC', '+02:00'] },
  defaultCountry: { good: ['GB', 'de'], bad: ['ZZ', 'x'] },
  identifier: {
    good: [...people.slice(0, 9), 'rival.example', '+442079460018', 'linkedin.com/in/ada'],
    bad: ['a b', '?', '*.example', '@x'],
  },
  domain: { good: ['analytical1.example'], bad: ['Пример.рф', 'https://www.analytical.example/x', '.'] },
  subject: { good: ['Hello {{ firstName }}'], bad: ['Hello {{ nobody }}', '{{', '{% if %}', 'a\nb'] },
  body: {
    good: ['Hi {{ firstName }}', '<p>Hi {{ firstName | upcase }}</p>'],
    bad: ['{% if firstName %}', '<'.repeat(500), '{{ firstName | nofilter }}'],
  },
  csv: {
    good: [
      'Email\nada@analytical.example\n',
      'First Name;E-Mail\nAda;ada@analytical.example\n;\n',
      'CONVERSATION ID,FROM,SENDER PROFILE URL,DATE,CONTENT\n2-a,Ada,linkedin.com/in/ada,2026-11-23 10:00:00 UTC,Hi\n',
    ],
    bad: ['a,b\n"unclosed', '\ufeffEmail,Email\n=1+1,x\n', `Email\n${'x@y.example\n'.repeat(200)}`, '\n\n'],
  },
  firstName: { good: ['Ada', 'Ådá', '李'] },
  lastName: { good: ['Byron', 'O’Neil'] },
  company: { good: ['Analytical', 'Käse GmbH'] },
  tag: { good: ['Interested', 'ÀÉ'] },
  tags: { good: ['Interested', 'ÀÉ', 'later'] },
  fromNumber: { good: ['+442079460018'], bad: ['12'] },
  phoneNumber: { good: ['+442079460018', '+14155550123'], bad: ['020 7946 0018', 'no'] },
}

const isId = ({ format, pattern }: Schema): boolean =>
  format === 'uuid' || String(pattern).includes('[0-9a-fA-F]{8}')

const isRequired = (schema: Schema, name: string): boolean => schema.required?.includes(name) ?? false

/** Generates values as documented, so that most requests reach a handler. */
export function arbitraryFor(given: Schema, field: string): fc.Arbitrary<unknown> {
  const schema = resolve(given) as Schema
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(one => arbitraryFor(one, field)))
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map(type => arbitraryFor({ ...schema, type }, field)))
  }
  if (schema.type === 'integer') {
    const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
    return fc.integer({ min: minimum ?? -10, max: maximum ?? 1_000 })
  }
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array') return arbitraryArray(schema, field)
  if (schema.type === 'object') return arbitraryObject(schema)
  if (schema.type === 'string') return arbitraryText(schema, field)
  return fc.jsonValue({ maxDepth: 3 })
}

const arbitraryArray = (schema: Schema, field: string): fc.Arbitrary<unknown> => {
  const { minItems = 0, maxItems = 10 } = schema as { minItems?: number; maxItems?: number }
  return fc.array(arbitraryFor(schema.items ?? {}, field.replace(/Ids$/, 'Id')), {
    minLength: minItems,
    maxLength: Math.min(maxItems, minItems + 4),
  })
}

function arbitraryObject(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) {
    const values = arbitraryFor((schema.additionalProperties as Schema) ?? {}, '')
    return fc.dictionary(fc.string({ maxLength: 20 }), values, { maxKeys: 4 })
  }
  const values = Object.fromEntries(properties.map(([name, one]) => [name, arbitraryFor(one, name)]))
  const names = Object.keys(values)
  const [required, optional] = [true, false].map(is => names.filter(name => isRequired(schema, name) === is))
  const arbitraryRecord = (given: string[]) =>
    fc.record(Object.fromEntries(given.map(name => [name, values[name]!])), { requiredKeys: required! })
  // Some objects have at most one optional field, because with many, most break a rule that spans several fields.
  const sparse = fc
    .constantFrom([], ...optional!.map(name => [name]))
    .chain(some => arbitraryRecord([...required!, ...some]))
  return fc.oneof({ weight: 2, arbitrary: arbitraryRecord(names) }, { weight: 1, arbitrary: sparse })
}

function arbitraryText(schema: Schema, field: string): fc.Arbitrary<unknown> {
  if (isId(schema) || field === 'assistantId' || field === 'conversationId')
    return fc.nat(50).map(n => reference(field, n))
  if (field === 'cursor') return fc.nat(50).map(n => reference('cursor', n))
  if (field === 'host') return fc.constantFrom(...hosts, ...invalidHosts)
  const { minLength = 0, maxLength = 50 } = schema as { minLength?: number; maxLength?: number }
  const { good = [], bad = [] } = textsByField[field] ?? {}
  const any = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) })
  return fc.oneof(
    ...good.map(text => ({ weight: Math.ceil(20 / good.length), arbitrary: fc.constant(text) })),
    { weight: 1, arbitrary: fc.constantFrom(...bad, good[0] ?? 'x') },
    { weight: good.length > 0 ? 1 : 5, arbitrary: any },
  )
}

/** A change to a value that replaces or removes the value at one place, or adds a property to the root. */
export type Mutation = { index: number; kind: 'replace' | 'drop' | 'add'; key: string; value: unknown }

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  index: fc.nat(1_000),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'add'),
  key: fc.constantFrom(
    'surprise',
    '__proto__',
    'constructor',
    'prototype',
    'id',
    'accountId',
    'account_id',
    '',
  ),
  value: fc.constantFrom(...hostileValues),
})

/** Applies the mutation. `index` counts through all places below the root, so that each is equally likely. */
export function mutate(root: unknown, { index, kind, key, value }: Mutation): unknown {
  const places = listPlaces(root)
  const place = places[index % Math.max(1, places.length)]
  if (!place || kind === 'add') return typeof root === 'object' ? withEntry(root as object, key, value) : root
  return replaceAt(root, place, kind === 'drop' ? undefined : place.at(-1) === 'host' ? '127.0.0.1' : value)
}

const listPlaces = (value: unknown, place: string[] = []): string[][] =>
  typeof value === 'object' && value !== null && !(value instanceof Raw)
    ? Object.entries(value).flatMap(([key, child]) => [
        [...place, key],
        ...listPlaces(child, [...place, key]),
      ])
    : []

/** Adds a property. Unlike an assignment, makes `__proto__` an own property. */
const withEntry = (value: object, key: string, child: unknown): object =>
  Object.fromEntries([...Object.entries(value), [key, child]])

function replaceAt(value: unknown, [key, ...rest]: string[], replacement: unknown): unknown {
  if (key === undefined) return replacement
  const entries = Object.entries(value as object)
    .map(([name, child]) => [name, name === key ? replaceAt(child, rest, replacement) : child] as const)
    .filter(([, child]) => child !== undefined)
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}
