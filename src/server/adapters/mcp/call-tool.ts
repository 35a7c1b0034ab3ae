import { z } from 'zod'
import { findReplay, invoke } from '../../invoke.ts'
import type { Context } from '../../kernel/context.ts'
import { toDatabaseError } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import { stripEmpty } from '../../kernel/text/strip-empty.ts'
import { enrichResult } from './additions/additions.ts'
import { describeRows } from './additions/rows.ts'
import { type Connection, isGranted } from './connection.ts'
import { adviseOnIds } from './error-advice.ts'
import type { Level, Row } from './lean-row.ts'
import { readLeniently } from './lenient-arguments.ts'
import { addNames } from './related-names.ts'
import { resolveReferences } from './resolve-references.ts'
import { resolveStep } from './resolve-step.ts'
import { countFitting, dropOldest, isPage, presentResult } from './tool-result.ts'
import { detailField, idempotencyKeyField, type Tool } from './tools.ts'

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Row
  isError?: true
}

const toolOptions = z.looseObject({ ...detailField, ...idempotencyKeyField })

/** Calls a tool. Errors are returned in the result, worded so that a model can act on them. */
export async function callTool(
  ctx: Context,
  connection: Connection,
  tool: Tool,
  args: Row,
): Promise<ToolResult> {
  try {
    const result = await runTool(ctx, connection, tool, args)
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
  } catch (thrown) {
    const error = toToolError(thrown)
    if (error.code === 'InternalServerError' || error.code === 'ServiceUnavailable') {
      ctx.app.log.error(
        { requestId: ctx.requestId, tool: tool.name, err: error.cause ?? error },
        'mcp: a tool failed',
      )
    }
    const text = `${error.code}: ${formatToolError(tool, error)}`
    const advice = adviseOnIds(error, tool, args)
    return toFailure(advice ? `${text.replace(/\.?$/, '.')} ${advice}` : text)
  }
}

export const toFailure = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

async function runTool(ctx: Context, connection: Connection, tool: Tool, args: Row): Promise<Row> {
  if (!isGranted(connection, tool.scope)) {
    throw new AppError(
      'Forbidden',
      `${tool.name} requires the scope ${tool.scope}, which this connection doesn't have, and the permission ${tool.permission}.`,
    )
  }
  rejectUnsafeText(args)
  const read = readLeniently(tool.types, stripEmpty(args))
  const { level, idempotencyKey, input: given } = parseArguments(tool, read)
  const request = { name: tool.operation, given, idempotencyKey }
  const replay = await findReplay(ctx, request)
  const step =
    replay === undefined
      ? await resolveStep(ctx, tool, await resolveReferences(ctx, tool, given))
      : { args: given, resultFields: {} }
  const run = async (input: Row): Promise<Row> => {
    const result = JSON.parse(replay ?? (await invoke(ctx, { ...request, input })).text) as Row
    if (tool.operation === 'getPersonTimeline') {
      for (const entry of toRows(result.data)) entry.objectType = 'timeline_entry'
    }
    if (tool.operation === 'listEmailMessages' && input.status === 'draft') {
      for (const draft of toRows(result.data)) draft.isOutdated ??= false
    }
    // Rows about a single person don't repeat the name, which the request implies.
    const isAboutOnePerson = isPage(result) && Boolean(input.personId ?? input.prospectId)
    await addNames(ctx, listRows(result), isAboutOnePerson)
    await describeRows(ctx, tool.name, isPage(result) ? result.data : [result])
    const shown = { ...presentResult(result, level), ...step.resultFields }
    const presented = await enrichResult(ctx, tool.name, input, result, shown)
    if (tool.name !== 'whoami') return presented
    const { accounts, ...me } = presented
    return { ...me, ...((accounts as Row[]).length > 1 && { accounts }), scopes: connection.scopes }
  }
  const result = await run(step.args)
  if (!isPage(result)) return dropOldest(result)
  const fitting = countFitting(result)
  return fitting < result.data.length ? run({ ...step.args, limit: fitting }) : result
}

function parseArguments(tool: Tool, args: Row) {
  const parsed = toolOptions.safeParse(args)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(issue?.path.join('.') ?? '', issue?.message ?? '')
  }
  const { detail: level = tool.isRead ? 'concise' : 'brief', idempotencyKey, ...input } = parsed.data
  if (args.idempotencyKey !== undefined && !tool.acceptsIdempotencyKey)
    throw unknownField(tool, 'idempotencyKey')
  if (args.detail !== undefined && !tool.isRead) throw unknownField(tool, 'detail')
  return { level: level as Level, idempotencyKey, input }
}

const unknownField = (tool: Tool, field: string) =>
  invalid(field, `unknown field; allowed fields: ${listFields(tool)}`)

const listFields = ({ listed }: Tool): string => Object.keys(listed.inputSchema.properties ?? {}).join(', ')

/** Lists the objects that may contain IDs: the result itself, the items of a page and the messages of a thread. */
const listRows = (result: Row): Row[] => [result, ...toRows(result.data), ...toRows(result.messages)]
const toRows = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

function toToolError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = toDatabaseError(thrown)
  if (error instanceof AppError) return error
  return new AppError('InternalServerError', 'Internal server error.', {
    cause: thrown,
  })
}

/** Returns the text of an error. Lists only the tool's own fields as allowed fields. */
const formatToolError = (tool: Tool, error: AppError): string =>
  error.details?.some(({ path }) => path.includes('.'))
    ? formatError(error)
    : formatError(error).replace(/allowed fields: [\w, ]+/, `allowed fields: ${listFields(tool)}`)

const formatError = ({ message, details, retryAfterSeconds }: AppError): string =>
  [
    details && details.length > 1
      ? details.map(({ path, message }) => [path, message].filter(Boolean).join(': ')).join('; ')
      : message,
    retryAfterSeconds &&
      `Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`,
  ]
    .filter(Boolean)
    .join(' ')
