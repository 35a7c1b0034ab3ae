import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import type { Operation } from '../contract/operation.ts'
import { UsageError } from './usage-error.ts'

type Schema = { type?: string; description?: string; enum?: unknown[]; items?: Schema; anyOf?: Schema[] }
type Field = {
  name: string
  /** Objects, and lists of objects, are `json`. */
  kind: 'text' | 'number' | 'boolean' | 'json'
  isList: boolean
  isNullable: boolean
  description: string
}

/** Returns the fields of the operation's input as options of a command. */
export function getFields({ input }: Operation): Field[] {
  const { properties, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as {
    properties: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => {
    const [type = schema, ...others] = schema.anyOf ?? []
    const isList = type.type === 'array' && type.items?.type === 'string'
    const item = isList ? type.items! : type
    const notes = [
      required.includes(name) && 'required',
      isList && 'repeatable',
      item.enum && `one of ${item.enum.join(', ')}`,
    ].filter(Boolean)
    const { description = type.description ?? '' } = schema
    return {
      name,
      kind: getKind(item),
      isList,
      isNullable: others.some(other => other.type === 'null'),
      description: `${description}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`.trim(),
    }
  })
}

function getKind({ type }: Schema): Field['kind'] {
  if (type === 'string' || type === 'boolean') return type === 'string' ? 'text' : type
  return type === 'integer' || type === 'number' ? 'number' : 'json'
}

export function addFieldOptions(command: Command, fields: readonly Field[]): void {
  for (const { name, kind, isList, description } of fields) {
    const flags = kind === 'boolean' ? `--${name} [true|false]` : `--${name} <${kind}${isList ? '...' : ''}>`
    command.addOption(new Option(flags, description))
  }
}

/** Returns the operation's input from the values of the options. Throws UsageError. */
export async function parseFields(
  fields: readonly Field[],
  options: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const field of fields) {
    const given = options[field.name] as string | string[] | true | undefined
    if (Array.isArray(given)) input[field.name] = await Promise.all(given.map(value => parse(field, value)))
    else if (given !== undefined) input[field.name] = given === true || (await parse(field, given))
  }
  return input
}

async function parse({ name, kind, isNullable }: Field, given: string): Promise<unknown> {
  if (isNullable && given === 'null') return null
  const value = await readValue(given)
  if (kind === 'text') return value
  const expected = { number: 'a number', boolean: 'true or false', json: 'JSON' }[kind]
  try {
    const parsed: unknown = JSON.parse(value)
    if (kind === 'json' || typeof parsed === kind) return parsed
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UsageError(`--${name}: must be ${expected}.`)
}

/** Reads a value from a file (`@file`) or standard input (`@-`). A leading `@@` stands for a literal `@`. */
async function readValue(given: string): Promise<string> {
  if (!given.startsWith('@')) return given
  if (given.startsWith('@@')) return given.slice(1)
  return given === '@-' ? readAll(process.stdin) : readFile(given.slice(1), 'utf8')
}
