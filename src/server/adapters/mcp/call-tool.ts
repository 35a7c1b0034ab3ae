import { z } from 'zod'
import { invoke } from '../../invoke.ts'
import type { Context } from '../../kernel/context.ts'
import { toDatabaseError } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import { stripEmpty } from '../../kernel/text/strip-empty.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { countFitting, type DetailLevel, dropOldest, isPage, presentAnswer, type Row } from './answer.ts'
import type { Connection } from './connection.ts'
import { nameIds } from './names.ts'
import { detail, key, type Tool } from './tools.ts'

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Row
  isError?: true
}

const besides = z.looseObject({ ...detail, ...key })

/** Runs a tool; whatever goes wrong is told in the result, in words that a model can act on. */
export async function callTool(
  ctx: Context,
  connection: Connection,
  tool: Tool,
  given: Row,
): Promise<ToolResult> {
  try {
    const answer = await answerOf(ctx, connection, tool, given)
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
  } catch (thrown) {
    const error = asToolError(thrown)
    if (error.code === 'InternalServerError' || error.code === 'ServiceUnavailable') {
      ctx.app.log.error(
        { requestId: ctx.requestId, tool: tool.name, err: error.cause ?? error },
        'mcp: a tool failed',
      )
    }
    return failure(`${error.code}: ${wordsOf(error)}`)
  }
}

export const failure = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

async function answerOf(ctx: Context, connection: Connection, tool: Tool, given: Row): Promise<Row> {
  if (ctx.isReadOnly && !tool.isRead) {
    throw new AppError(
      'Forbidden',
      `This connection may only read; ${tool.name} needs the scope ${tool.scope} and the permission ${tool.permission}.`,
    )
  }
  rejectUnsafeText(given)
  const { level, idempotencyKey, input } = readGiven(tool, stripEmpty(given))
  const run = async (input: Row): Promise<Row> => {
    const { text } = await invoke(ctx, { name: tool.operation, input, idempotencyKey })
    const answer = JSON.parse(text) as Row
    await nameIds(ctx, rowsOf(answer))
    return tool.name === 'whoami'
      ? { ...whoIs(connection), ...presentAnswer(answer, level) }
      : presentAnswer(answer, level)
  }
  const answer = await run(input)
  if (!isPage(answer)) return dropOldest(answer)
  const fitting = countFitting(answer)
  return fitting < answer.data.length ? run({ ...input, limit: fitting }) : answer
}

function readGiven(tool: Tool, given: Row) {
  const parsed = besides.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(issue?.path.join('.') ?? '', issue?.message ?? '')
  }
  const { detail: level = 'concise', idempotencyKey, ...input } = parsed.data
  if (given.idempotencyKey !== undefined && !tool.takesKey) throw unknown('idempotencyKey')
  if (given.detail !== undefined && !tool.isRead) throw unknown('detail')
  return { level: level as DetailLevel, idempotencyKey, input }
}

const unknown = (field: string) => invalid(field, 'is not known here')

/** The objects of an answer that hold ids: itself, the items of its page, the messages of its thread. */
const rowsOf = (answer: Row): Row[] => [answer, ...asRows(answer.data), ...asRows(answer.messages)]
const asRows = (value: unknown): Row[] => (Array.isArray(value) ? (value as Row[]) : [])

const whoIs = ({ user, identity, scopes }: Connection): Row => ({
  user: { ...user, name: stripHidden(user.name) },
  role: identity.role,
  scopes,
})

function asToolError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const fault = toDatabaseError(thrown)
  if (fault instanceof AppError) return fault
  return new AppError('InternalServerError', 'Something went wrong on the side of Overture.', {
    cause: thrown,
  })
}

const wordsOf = ({ message, details, retryAfterSeconds }: AppError): string =>
  [
    details && details.length > 1
      ? details.map(({ path, message }) => [path, message].filter(Boolean).join(': ')).join('; ')
      : message,
    retryAfterSeconds && `Try again in ${retryAfterSeconds} seconds.`,
  ]
    .filter(Boolean)
    .join(' ')
