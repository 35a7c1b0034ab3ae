import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OperationName, operations } from '../../../contract/index.ts'
import type { Operation, RateLimitName } from '../../../contract/operation.ts'
import type { AccessFinder } from '../../domain/auth/access.ts'
import { invoke } from '../../invoke.ts'
import { type InFlight, trackInFlight } from '../../kernel/async/in-flight.ts'
import { type App, type Context, type Identity, isSession } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { rejectUnsafeText } from '../../kernel/text/reject-unsafe-text.ts'
import { stripEmpty } from '../../kernel/text/strip-empty.ts'
import { authenticate } from './authenticate.ts'
import { fieldTypes, readQuery } from './input.ts'
import { methodNotAllowed } from './known-paths.ts'
import type { RateLimits } from './rate-limits.ts'
import { sendResponse } from './send-response.ts'

const DEFAULT_BODY_LIMIT_BYTES = 64 * 1024
const DEFAULT_TIMEOUT_MS = 30_000
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

declare module 'fastify' {
  interface FastifyRequest {
    identity?: Identity
  }
}

/** Authentication and rate limits. */
export type Guards = { access: AccessFinder; limits: RateLimits }

/** A function that converts a JSON response to CSV. */
export type ToCsv = (operation: Operation, text: string) => string

/** Mounts a route for every operation of the contract. */
export function mountOperations(server: FastifyInstance, app: App, guards: Guards, toCsv: ToCsv): void {
  server.decorateRequest('identity', undefined)
  const { track, drain } = trackInFlight()
  server.addHook('onClose', drain)
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const url = `/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`
    mountOperation(server, app, { ...guards, track, toCsv }, name, operation, url)
  }
}

function mountOperation(
  server: FastifyInstance,
  app: App,
  { access, limits, track, toCsv }: Guards & Pick<InFlight, 'track'> & { toCsv: ToCsv },
  name: OperationName,
  operation: Operation,
  url: string,
): void {
  const readInput = inputReader(operation)
  server.route({
    method: operation.method,
    url,
    bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    handlerTimeout: operation.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    config: { name },
    // Runs before the body is read, so that unauthenticated bodies are never parsed.
    onRequest: (request, reply) => track(admit(app, { access, limits }, request, reply, operation.rateLimit)),
    handler: async (request, reply) => {
      const context = toContext(app, request)
      const input = readInput(request, reply)
      const idempotencyKey = operation.method === 'POST' ? readIdempotencyKey(request) : undefined
      const response = await track(invoke(context, { name, input, idempotencyKey }))
      if (response.isReplay) reply.header('idempotency-replayed', 'true')
      if (!prefersCsv(request, operation))
        return sendResponse(request, reply, response.text, 'application/json')
      return sendResponse(request, reply, toCsv(operation, response.text), 'text/csv')
    },
  })
}

/** Authenticates a request, applies rate limits and stores the identity on the request. */
export async function admit(
  app: App,
  { access, limits }: Guards,
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimit?: RateLimitName,
): Promise<void> {
  const identity = await authenticate(app, access, limits, request, reply)
  request.identity = identity
  const counting = isSession(identity)
    ? limits.countSession(identity.userId, rateLimit)
    : limits.count(identity.accountId, rateLimit)
  reportBuckets(reply, await counting)
}

/**
 * Returns an `onRequest` hook that admits the request of a link, such as a download. A link can't send headers, so it
 * names the account in its query.
 */
export const admitLink =
  (app: App, guards: Guards) =>
  (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { accountId } = request.query as { accountId?: string | string[] }
    request.headers['x-account-id'] ??= accountId
    return admit(app, guards, request, reply)
  }

export const toContext = (app: App, request: FastifyRequest): Context => ({
  ...request.identity!,
  app,
  sql: app.db.app,
  requestId: request.id,
  address: request.ip,
  afterCommit: () => {
    throw new Error('afterCommit is only available in writes')
  },
})

/** Returns whether the client asks for CSV and the operation supports it. JSON wins if the client accepts both. */
const prefersCsv = ({ headers }: FastifyRequest, { csv }: Operation): boolean =>
  csv !== undefined &&
  /(^|[\s,])text\/csv\b(?!\s*;\s*q=0(\.0*)?(\s|,|$))/i.test(headers.accept ?? '') &&
  !/application\/json/i.test(headers.accept ?? '')

/** Returns a function that merges path, query and body into the operation's flat input. */
function inputReader(
  operation: Operation,
): (request: FastifyRequest, reply: FastifyReply) => Record<string, unknown> {
  const pathNames = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1] as string)
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE'
  // Requests with a body must not have query parameters.
  const types = hasBody ? new Map() : fieldTypes(operation)
  return (request, reply) => {
    const params = request.params as Record<string, string>
    for (const name of pathNames) {
      if (!UUID.test(params[name] ?? ''))
        throw methodNotAllowed(request, reply) ?? notFound(toObjectName(name))
    }
    const query = readQuery(types, request.query as Record<string, string | string[]>)
    const body = hasBody ? Object.entries(requireObject(request.body)) : []
    const stray =
      query.find(([name]) => hasBody || pathNames.includes(name)) ??
      body.find(([name]) => pathNames.includes(name))
    if (stray)
      throw invalid(
        stray[0],
        hasBody && !pathNames.includes(stray[0]) ? 'must be in the body' : 'is already in the path',
      )
    const input = Object.fromEntries([...query, ...body, ...pathNames.map(name => [name, params[name]])])
    rejectUnsafeText(input)
    return hasBody ? stripEmpty(input) : input
  }
}

function requireObject(body: unknown): object {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('', 'The body must be a JSON object.')
  return body
}

/** Turns `linkedinMessageId` into `LinkedIn message`, for the error about an unknown ID. */
const toObjectName = (name: string): string =>
  name
    .replace(/Id$/, '')
    .replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
    .replace(/^api\b/, 'API')
    .replace(/^linkedin\b/, 'LinkedIn')

export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable ASCII characters')
  }
  return key
}
