import { z } from 'zod'
import { type OperationName, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import { findApprovalRequest } from './assistant-approval.ts'
import { type Handler, handlers } from './handlers.ts'
import {
  findStoredResponse,
  type IdempotencyKey,
  runOnce,
  storeResponse,
  toIdempotencyKey,
} from './idempotency.ts'
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

/** An adapter's request to the API, without its context. */
export type Request = {
  name: OperationName
  input: unknown
  /** The input before the adapter resolved references, which may resolve differently when the request is repeated. */
  given?: unknown
  idempotencyKey?: string | undefined
}

/** The response as JSON text, and whether it is the stored response to an earlier request with the same key. */
export type InvokeResult = { text: string; isReplay: boolean }

/**
 * Runs an operation for REST, MCP, the web app or the CLI: checks the permission, parses the input and calls the
 * handler. A write runs in one transaction together with its audit row and its idempotency key.
 */
export async function invoke(ctx: Context, request: Request): Promise<InvokeResult> {
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
    const response = await handler({ ...ctx, sql: ctx.app.db.app }, input as never)
    return { text: serialize(ctx, operation, response), isReplay: false }
  }
  const run = async (tx: Context) => {
    const requestApproval = await findApprovalRequest(tx, request.name, operation, input as object)
    return (requestApproval ?? handler)(tx, input as never)
  }
  const key = toIdempotencyKey(ctx, { ...request, input: request.given ?? input })
  // Operations that call other servers run outside a transaction.
  return operation.isRemote
    ? runOnce(ctx, key, async () => serialize(ctx, operation, await run(ctx)))
    : runWrite(ctx, key, operation, run)
}

/** Finds the stored response to an earlier request with the same key, before references are resolved. */
export async function findReplay(
  ctx: Context,
  { name, given, idempotencyKey }: Omit<Request, 'input'>,
): Promise<string | undefined> {
  const key = toIdempotencyKey(ctx, { name, input: given, idempotencyKey })
  if (!key) return undefined
  authorize(ctx, operations[name].permission)
  return inAccount(ctx.app.db.app, ctx.accountId, sql => findStoredResponse({ ...ctx, sql }, key))
}

function parseInput(operation: Operation, input: unknown): unknown {
  const parsed = operation.input.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw invalidAll(parsed.error.issues.flatMap(issue => toDetails(operation.input, issue)))
}

/** Longer than any field name. A name in a request may be several megabytes. */
const MAX_NAME_LENGTH = 200

const toPath = (names: readonly PropertyKey[]): string =>
  names
    .map(name =>
      String(name).length > MAX_NAME_LENGTH ? `${String(name).slice(0, MAX_NAME_LENGTH)}…` : String(name),
    )
    .join('.')

const toDetails = (schema: z.ZodObject, issue: z.core.$ZodIssue): ErrorDetail[] => {
  const path = toPath(issue.path)
  if (issue.code !== 'unrecognized_keys') return [{ path, message: describeIssue(issue) }]
  const allowed = listFields(schema, issue.path).join(', ')
  // The allowed fields are listed once per object, so that thousands of unknown fields do not multiply the response.
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

/** Returns the field names of the object at `path`; empty when there are none. */
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

async function runWrite(
  ctx: Context,
  key: IdempotencyKey | undefined,
  operation: Operation,
  run: Run,
): Promise<InvokeResult> {
  const followUps: ((response: unknown) => Promise<unknown>)[] = []
  const result = await retryOnDeadlock(() => {
    followUps.length = 0
    return inAccount(ctx.app.db.app, ctx.accountId, async sql => {
      const tx: Context = { ...ctx, sql, afterCommit: work => void followUps.push(work) }
      const earlier = key && (await findStoredResponse(tx, key))
      if (earlier !== undefined) return { text: earlier, isReplay: true }
      const text = serialize(ctx, operation, await run(tx))
      if (key) await storeResponse(tx, key, text, followUps.length > 0)
      return { text, isReplay: false }
    })
  })
  let text = result.text
  for (const followUp of followUps) {
    const response = await followUp(JSON.parse(text))
    if (response !== undefined) text = serialize(ctx, operation, response)
  }
  if (key && followUps.length > 0)
    await inAccount(ctx.app.db.app, ctx.accountId, sql => storeResponse({ ...ctx, sql }, key, text))
  return { ...result, text }
}

function serialize(ctx: Context, operation: Operation, response: unknown): string {
  const text = response instanceof Json ? response.text : JSON.stringify(response)
  if (ctx.app.config.isOutputChecked) checkOutput(operation, text)
  return text
}

/** Throws when the response breaks the contract, which is a bug and never the caller's error. */
function checkOutput(operation: Operation, text: string): void {
  const parsed = operation.output.safeParse(JSON.parse(text))
  if (!parsed.success) {
    throw new Error(
      `${operation.method} ${operation.path} returned a response that breaks its contract: ${z.prettifyError(parsed.error)}\n${text.slice(0, 2000)}`,
    )
  }
}
