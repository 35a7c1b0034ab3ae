import { z } from 'zod'
import { type OperationName, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { findApprovalRequest } from './assistant-approval.ts'
import { type Handler, handlers } from './handlers.ts'
import { findAnswer, type IdempotencyKey, storeAnswer, toIdempotencyKey } from './idempotency.ts'
import {
  authorize,
  type Context,
  inAccount,
  isSession,
  requireRecentSignIn,
  requireSession,
} from './kernel/context.ts'
import { retryOnDeadlock } from './kernel/db/database.ts'
import { AppError, type ErrorDetail, invalidAll } from './kernel/errors.ts'
import { Json } from './kernel/json.ts'

/** An adapter's request to the API, besides its context. */
export type Request = { name: OperationName; input: unknown; idempotencyKey?: string | undefined }

/** The response as JSON text, and whether it is the stored one of an earlier request with the same key. */
export type Answer = { text: string; isReplay: boolean }

/**
 * Runs an operation for REST, MCP, web and command line: checks the permission, parses the input, calls the handler.
 * A write runs in one transaction together with its audit row and its idempotency key.
 */
export async function invoke(ctx: Context, request: Request): Promise<Answer> {
  const operation: Operation = operations[request.name]
  authorize(ctx, operation.permission)
  if (ctx.isReadOnly && operation.method !== 'GET') {
    throw new AppError(
      'Forbidden',
      `This token is read-only; “${operation.summary}” requires write access and ${operation.permission}.`,
    )
  }
  if (operation.needsSession) requireSession(ctx, operation.summary.toLowerCase())
  if (operation.needsRecentSignIn && isSession(ctx)) requireRecentSignIn(ctx, ctx.app.now())
  const input = parseInput(operation, request.input)
  const handler = handlers[request.name] as Handler<OperationName>
  if (operation.method === 'GET') {
    const answer = await handler({ ...ctx, sql: ctx.app.db.app }, input as never)
    return { text: toText(ctx, operation, answer), isReplay: false }
  }
  const run = async (tx: Context) => {
    const ask = await findApprovalRequest(tx, request.name, operation, input as object)
    return (ask ?? handler)(tx, input as never)
  }
  const execute = operation.isRemote ? runRemote : runWrite
  return execute(ctx, toIdempotencyKey(ctx, { ...request, input }), operation, run)
}

function parseInput(operation: Operation, input: unknown): unknown {
  const parsed = operation.input.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw invalidAll(parsed.error.issues.flatMap(issue => toDetails(operation.input, issue)))
}

/** No field has a name as long; a name in a request may have megabytes. */
const MAX_NAME = 200

const toPath = (names: readonly PropertyKey[]): string =>
  names
    .map(name => (String(name).length > MAX_NAME ? `${String(name).slice(0, MAX_NAME)}…` : String(name)))
    .join('.')

const toDetails = (schema: z.ZodObject, issue: z.core.$ZodIssue): ErrorDetail[] => {
  const path = toPath(issue.path)
  if (issue.code !== 'unrecognized_keys') return [{ path, message: describeIssue(issue) }]
  const allowed = listFields(schema, issue.path).join(', ')
  // Listed once per object: thousands of unknown fields must not multiply the response.
  return issue.keys.map((key, index) => ({
    path: toPath([...issue.path, key]),
    message: allowed && index === 0 ? `unknown field; allowed fields: ${allowed}` : 'unknown field',
  }))
}

type SchemaDef = {
  innerType?: z.core.$ZodType
  in?: z.core.$ZodType
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  shape?: Record<string, z.core.$ZodType>
}

/** Names of the fields of the object at `path`; empty when there are none. */
function listFields(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const def = schema._zod.def as unknown as SchemaDef
  const inner = def.innerType ?? def.in
  if (inner) return listFields(inner, path)
  const [first, ...rest] = path
  if (first === undefined) return Object.keys(def.shape ?? {})
  const child = def.shape?.[String(first)] ?? def.element ?? def.valueType
  return child ? listFields(child, rest) : []
}

const describeIssue = (issue: z.core.$ZodIssue): string =>
  issue.input === undefined && issue.code === 'invalid_type' ? 'is required' : issue.message

type Run = (ctx: Context) => Promise<unknown>

/** Runs an operation that calls other servers, outside a transaction. */
async function runRemote(
  ctx: Context,
  key: IdempotencyKey | undefined,
  operation: Operation,
  run: Run,
): Promise<Answer> {
  const within = <T>(work: (tx: Context) => Promise<T>) =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const earlier = key && (await within(tx => findAnswer(tx, key)))
  if (earlier !== undefined) return { text: earlier, isReplay: true }
  const text = toText(ctx, operation, await run(ctx))
  if (key) await within(tx => storeAnswer(tx, key, text))
  return { text, isReplay: false }
}

async function runWrite(
  ctx: Context,
  key: IdempotencyKey | undefined,
  operation: Operation,
  run: Run,
): Promise<Answer> {
  const followUps: ((answer: unknown) => Promise<unknown>)[] = []
  const answer = await retryOnDeadlock(() => {
    followUps.length = 0
    return inAccount(ctx.app.db.app, ctx.accountId, async sql => {
      const tx: Context = { ...ctx, sql, afterCommit: work => void followUps.push(work) }
      const earlier = key && (await findAnswer(tx, key))
      if (earlier !== undefined) return { text: earlier, isReplay: true }
      const text = toText(ctx, operation, await run(tx))
      if (key) await storeAnswer(tx, key, text)
      return { text, isReplay: false }
    })
  })
  let text = answer.text
  for (const followUp of followUps) {
    text = toText(ctx, operation, (await followUp(JSON.parse(text))) ?? new Json(text))
    if (key) await inAccount(ctx.app.db.app, ctx.accountId, sql => storeAnswer({ ...ctx, sql }, key, text))
  }
  return { ...answer, text }
}

function toText(ctx: Context, operation: Operation, answer: unknown): string {
  const text = answer instanceof Json ? answer.text : JSON.stringify(answer)
  if (ctx.app.config.isOutputChecked) checkOutput(operation, text)
  return text
}

/** Throws when the result breaks the contract: that is a bug, never the caller's fault. */
function checkOutput(operation: Operation, text: string): void {
  const parsed = operation.output.safeParse(JSON.parse(text))
  if (!parsed.success) {
    throw new Error(
      `${operation.method} ${operation.path} returned a result that breaks its contract: ${z.prettifyError(parsed.error)}\n${text.slice(0, 2000)}`,
    )
  }
}
