import { z } from 'zod'
import { invoke } from '../../invoke.ts'
import type { Context } from '../../kernel/context.ts'
import { toDatabaseError } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import { stripEmpty } from '../../kernel/text/strip-empty.ts'
import { addFacts } from './additions/additions.ts'
import { describeRows } from './additions/rows.ts'
import type { Connection } from './connection.ts'
import { adviseOnIds } from './error-advice.ts'
import type { Level, Row } from './lean-row.ts'
import { readLeniently } from './lenient-arguments.ts'
import { addNames } from './related-names.ts'
import { resolveReferences } from './resolve-references.ts'
import { resolveStep } from './resolve-step.ts'
import { countFitting, dropOldest, isPage, presentAnswer } from './tool-result.ts'
import { detail, key, type Tool } from './tools.ts'

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Row
  isError?: true
}

const toolOptions = z.looseObject({ ...detail, ...key })

/** Calls a tool. Errors are returned in the result, in words a model can act on. */
export async function callTool(
  ctx: Context,
  connection: Connection,
  tool: Tool,
  args: Row,
): Promise<ToolResult> {
  try {
    const answer = await runTool(ctx, connection, tool, args)
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
  } catch (thrown) {
    const error = toToolError(thrown)
    if (error.code === 'InternalServerError' || error.code === 'ServiceUnavailable') {
      ctx.app.log.error(
        { requestId: ctx.requestId, tool: tool.name, err: error.cause ?? error },
        'mcp: a tool failed',
      )
    }
    const text = `${error.code}: ${nameFields(tool, error)}`
    const advice = adviseOnIds(error, tool, args)
    return toFailure(advice ? `${text.replace(/\.?$/, '.')} ${advice}` : text)
  }
}

export const toFailure = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

async function runTool(ctx: Context, connection: Connection, tool: Tool, args: Row): Promise<Row> {
  if (ctx.isReadOnly && !tool.isRead) {
    throw new AppError(
      'Forbidden',
      `This connection is read-only; ${tool.name} requires the scope ${tool.scope} and the permission ${tool.permission}.`,
    )
  }
  rejectUnsafeText(args)
  const read = readLeniently(tool.listed.inputSchema, stripEmpty(args))
  const step = await resolveStep(ctx, tool, await resolveReferences(ctx, tool, read))
  const { level, idempotencyKey, input } = parseArguments(tool, step.args)
  const run = async (input: Row): Promise<Row> => {
    const { text } = await invoke(ctx, { name: tool.operation, input, idempotencyKey })
    const answer = JSON.parse(text) as Row
    if (tool.operation === 'getPersonTimeline') {
      for (const entry of toRows(answer.data)) entry.objectType = 'timeline_entry'
    }
    if (tool.operation === 'listEmailMessages' && input.status === 'draft') {
      for (const draft of toRows(answer.data)) draft.isOutdated ??= false
    }
    // Nobody needs the name of the person they asked about on each row.
    const isOfOnePerson = isPage(answer) && Boolean(input.personId ?? input.prospectId)
    await addNames(ctx, listRows(answer), isOfOnePerson)
    await describeRows(ctx, tool.name, isPage(answer) ? answer.data : [answer])
    const shown = { ...presentAnswer(answer, level), ...step.facts }
    const presented = await addFacts(ctx, tool.name, input, answer, shown)
    if (tool.name !== 'whoami') return presented
    const { accounts, ...me } = presented
    return { ...me, ...((accounts as Row[]).length > 1 && { accounts }), scopes: connection.scopes }
  }
  const answer = await run(input)
  if (!isPage(answer)) return dropOldest(answer)
  const fitting = countFitting(answer)
  return fitting < answer.data.length ? run({ ...input, limit: fitting }) : answer
}

function parseArguments(tool: Tool, args: Row) {
  const parsed = toolOptions.safeParse(args)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(issue?.path.join('.') ?? '', issue?.message ?? '')
  }
  const { detail: level = tool.isRead ? 'concise' : 'brief', idempotencyKey, ...input } = parsed.data
  if (args.idempotencyKey !== undefined && !tool.acceptsKey) throw unknownField(tool, 'idempotencyKey')
  if (args.detail !== undefined && !tool.isRead) throw unknownField(tool, 'detail')
  return { level: level as Level, idempotencyKey, input }
}

const unknownField = (tool: Tool, field: string) =>
  invalid(field, `unknown field; allowed fields: ${listFields(tool)}`)

const listFields = ({ listed }: Tool): string => Object.keys(listed.inputSchema.properties ?? {}).join(', ')

/** Lists the objects that may contain IDs: the answer itself, the items of its page, the messages of its thread. */
const listRows = (answer: Row): Row[] => [answer, ...toRows(answer.data), ...toRows(answer.messages)]
const toRows = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

function toToolError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = toDatabaseError(thrown)
  if (error instanceof AppError) return error
  return new AppError('InternalServerError', 'Internal server error.', {
    cause: thrown,
  })
}

/** Names only fields that the tool offers. */
const nameFields = (tool: Tool, error: AppError): string =>
  error.details?.some(({ path }) => path.includes('.'))
    ? toText(error)
    : toText(error).replace(/allowed fields: [\w, ]+/, `allowed fields: ${listFields(tool)}`)

const toText = ({ message, details, retryAfterSeconds }: AppError): string =>
  [
    details && details.length > 1
      ? details.map(({ path, message }) => [path, message].filter(Boolean).join(': ')).join('; ')
      : message,
    retryAfterSeconds && `Try again in ${retryAfterSeconds} seconds.`,
  ]
    .filter(Boolean)
    .join(' ')
