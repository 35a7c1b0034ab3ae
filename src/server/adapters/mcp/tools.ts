import { z } from 'zod'
import { type OperationName, operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { Permission } from '../../../contract/permissions.ts'
import type { AccountSetting, Definition } from './definition.ts'
import { definitions } from './tool-definitions.ts'
import { inputSchema, type Schema } from './tool-schema.ts'

export const scopes = ['outreach.read', 'outreach.write'] as const
export type Scope = (typeof scopes)[number]

export type Tool = {
  name: string
  operation: OperationName
  /** Fields of the operation's input. */
  fields: ReadonlySet<string>
  /** The types of all fields; `listed` has none for fields that another tool describes. */
  types: Schema
  permission: Permission
  scope: Scope
  isRead: boolean
  acceptsIdempotencyKey: boolean
  /** True for a tool that adds opt-outs, which have their own rate limit. */
  isOptOut: boolean
  setting: AccountSetting | undefined
  /** Entry of `tools/list`, computed once. */
  listed: {
    name: string
    title: string
    description: string
    inputSchema: Schema
    annotations: Record<string, boolean | string>
  }
}

/** Truncated texts mention `full`, so it needs no description. */
export const detailField = { detail: z.enum(['concise', 'full']).optional() }

export const idempotencyKeyField = {
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional(),
}

/** List parameters without descriptions, because `tools/list` is limited to 60 kB. */
const paging = {
  limit: z.int().optional(),
  cursor: z.string().optional(),
}

/** All tools by name, in listing order. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.entries(definitions).map(([name, definition]) => [name, toTool(name, definition)]),
)

/** Returns fields that refer to their description in another tool. */
function refer(shared: Record<string, string>): z.ZodRawShape {
  const toField = ([field, tool]: [string, string]) => [
    field,
    z.unknown().optional().describe(`As in ${tool}`),
  ]
  return Object.fromEntries(Object.entries(shared).map(toField))
}

function omit(shape: z.ZodRawShape, fields: string[]): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).filter(([field]) => !fields.includes(field)))
}

function describe(shape: z.ZodRawShape, texts: Record<string, string>): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, (shape[field] as z.ZodType).describe(text)]),
  )
}

/** Returns whether results contain texts that are shortened by default. */
function hasLongText({ output }: Operation): boolean {
  const schema = JSON.stringify(z.toJSONSchema(output, { unrepresentable: 'any' }))
  return /"(?:body|text|summary|description)":\{/.test(schema)
}

function toTool(
  name: string,
  {
    title,
    hints = {},
    acceptsIdempotencyKey = false,
    shared = {},
    described = {},
    added = {},
    omitted = [],
    ...definition
  }: Definition,
): Tool {
  const operation: Operation = operations[definition.operation]
  const isRead = operation.method === 'GET'
  const shape = omit(operation.input.shape, ['updatedSince', ...omitted])
  const defaultDescription = operation.description ?? operation.summary
  const options = {
    ...describe(shape, described),
    ...added,
    ...('cursor' in shape && paging),
    ...(isRead && hasLongText(operation) && detailField),
    ...(acceptsIdempotencyKey && idempotencyKeyField),
  }
  return {
    name,
    operation: definition.operation,
    fields: new Set(Object.keys(operation.input.shape)),
    types: inputSchema(shape, options),
    permission: operation.permission,
    scope: isRead ? 'outreach.read' : 'outreach.write',
    isRead,
    acceptsIdempotencyKey,
    isOptOut: operation.rateLimit === 'optOuts',
    setting: definition.setting,
    listed: {
      name,
      title,
      description: `${definition.description ?? defaultDescription}.`.replace(/\.\.$/, '.'),
      inputSchema: inputSchema(shape, { ...refer(shared), ...options }),
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: hints.destructive ?? false,
        // Defaults to false, and reads are always idempotent.
        ...(!isRead && hints.idempotent && { idempotentHint: true }),
        openWorldHint: hints.openWorld ?? false,
      },
    },
  }
}
