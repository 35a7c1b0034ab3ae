import { type McpHttpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getPermissionScope } from '../../../contract/permissions.ts'
import { trackInFlight } from '../../kernel/async/in-flight.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { AppError, unauthorized } from '../../kernel/errors.ts'
import { getRetryAfterSeconds, type RateLimitCount, reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { rejectTooManyValues } from '../../kernel/text/reject-too-many-values.ts'
import { rejectPrototypeNames } from '../../kernel/text/reject-unsafe-text.ts'
import { type Connection, type FindConnection, isGranted } from './connection.ts'
import type { McpRequest, Waits } from './mcp.ts'
import { scopes, type Tool, tools } from './tools.ts'

/** What the door needs beside the app. */
export type McpGuards = {
  findConnection: FindConnection
  /** Counts a guess of an address at a token. */
  countFailure: (address: string) => Promise<RateLimitCount>
  /** Counts so many requests of a user in an account. */
  countMcp: (key: string, requests: number) => Promise<RateLimitCount>
  /** Counts so many opt-outs of an account, together with those over the API. */
  countOptOuts: (accountId: string, requests: number) => Promise<RateLimitCount>
}

/** Where MCP is spoken; what people paste into their assistants, so both spellings work. */
const mcpPaths = ['/v1/mcp', '/mcp']

const BODY_LIMIT_BYTES = 1024 * 1024

export async function mountMcp(
  server: FastifyInstance,
  app: App,
  mcp: McpHttpHandler,
  guards: McpGuards,
): Promise<void> {
  const { track, drain } = trackInFlight()
  server.addHook('onClose', async () => {
    await drain()
    await mcp.close()
  })
  const publicUrl = getPublicUrl(app.config)
  const checkOrigin = originCheck(app)
  const connections = new WeakMap<FastifyRequest, Connection>()

  await server.register(async scope => {
    // What is no JSON gets the protocol's own answer.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    )
    for (const path of mcpPaths) {
      const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${path}", scope="${scopes.join(' ')}"`
      const challenge = (reply: FastifyReply, error?: string) =>
        reply.header('www-authenticate', `Bearer ${error ? `error="${error}", ` : ''}${metadata}`)

      scope.route({
        method: 'POST',
        url: path,
        config: { name: 'mcp' },
        onRequest: async (request, reply) => {
          checkOrigin(request)
          const token = bearerToken(request)
          const found = token && (await track(guards.findConnection(token)))
          if (!token || typeof found !== 'object') {
            // A request without credentials is not an error (RFC 6750 section 3.1), so the challenge has no `error`.
            challenge(reply, token && 'invalid_token')
            if (found === 'invalid') reportBuckets(reply, await guards.countFailure(request.ip))
            throw unauthorized(
              token
                ? 'The access token is invalid, expired or revoked.'
                : 'Connect with OAuth, as described by the WWW-Authenticate header.',
            )
          }
          request.identity = found.identity
          connections.set(request, found)
        },
        handler: async (request, reply) => {
          const connection = connections.get(request)!
          const body = parsed(request.body as string | undefined)
          const waits = await countMessages(guards, connection, body, reply)
          rejectPrototypeNames(body)
          const tool = needsMoreScope(connection, body)
          if (tool) {
            challenge(reply, 'insufficient_scope')
            throw new AppError(
              'Forbidden',
              `${tool.name} needs the scope ${tool.scope}. Connect again and grant it.`,
            )
          }
          if (isListening(body)) return reply.code(404).send(methodNotFound(body))
          const response = await track(
            mcp.fetch(webRequest(request, body), asOptions(request, body, { connection, waits })),
          )
          return reply
            .code(response.status)
            .headers(Object.fromEntries(response.headers))
            .send(await response.text())
        },
      })
    }
  })
}

/** Rejects pages of other origins, which could otherwise call through a user's browser. */
function originCheck({ config }: App): (request: FastifyRequest) => void {
  const origins = new Set([new URL(getPublicUrl(config)).origin, ...config.corsOrigins])
  return ({ headers }) => {
    if (headers.origin !== undefined && !origins.has(headers.origin)) {
      throw new AppError('Forbidden', 'This origin is not allowed. The operator can add it to CORS_ORIGINS.')
    }
  }
}

const bearerToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1]

function parsed(body: string | undefined): unknown {
  rejectTooManyValues(body ?? '')
  try {
    return JSON.parse(body ?? '')
  } catch {
    return undefined
  }
}

/** The tool that a message calls; it may be anything at all. */
function toolOf(message: unknown): Tool | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && typeof params?.name === 'string' ? tools.get(params.name) : undefined
}

const nothing: RateLimitCount = { buckets: [], isOver: false }

/**
 * Counts each message of a request, and opt-outs apart from all others, which so hold none up. A call learns in its
 * result that it is one too many; anything else is refused as a whole.
 */
async function countMessages(
  { countMcp, countOptOuts }: McpGuards,
  { identity: { accountId, userId } }: Connection,
  body: unknown,
  reply: FastifyReply,
): Promise<Waits> {
  const isBatch = Array.isArray(body) && body.length > 0
  const messages: unknown[] = isBatch ? body : [body]
  const optOuts = messages.filter(message => toolOf(message)?.isOptOut).length
  const others = messages.length - optOuts
  const ofOptOuts = optOuts > 0 ? await countOptOuts(accountId, optOuts) : nothing
  const ofOthers = others > 0 ? await countMcp(`${accountId} ${userId}`, others) : nothing
  const isHeard = isBatch ? optOuts > 0 && !ofOptOuts.isOver : toolOf(body) !== undefined
  reportBuckets(reply, {
    buckets: [...ofOptOuts.buckets, ...ofOthers.buckets],
    isOver: !isHeard && (ofOptOuts.isOver || ofOthers.isOver),
  })
  const waitOf = (counted: RateLimitCount) => (counted.isOver ? getRetryAfterSeconds(counted) : undefined)
  return { optOuts: waitOf(ofOptOuts), others: waitOf(ofOthers) }
}

/** The tool of a call that only a wider grant would allow: the role does already. */
function needsMoreScope(connection: Connection, body: unknown): Tool | undefined {
  const tool = toolOf(body)
  return tool &&
    !isGranted(connection, tool.scope) &&
    getPermissionScope(connection.identity.role, tool.permission)
    ? tool
    : undefined
}

/** Nothing is ever announced, so there is nothing to listen to; an open stream would only hold a connection. */
const isListening = (body: unknown): body is { id?: unknown } =>
  (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'

const methodNotFound = ({ id = null }: { id?: unknown }) => ({
  jsonrpc: '2.0',
  id,
  error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' },
})

const webRequest = (request: FastifyRequest, body: unknown): Request =>
  new Request(`http://localhost${request.url}`, {
    method: 'POST',
    headers: request.headers as Record<string, string>,
    ...(body === undefined && { body: (request.body as string | undefined) ?? '' }),
  })

function asOptions(
  request: FastifyRequest,
  parsedBody: unknown,
  { connection, waits }: Pick<McpRequest, 'connection' | 'waits'>,
) {
  const extra: McpRequest = { connection, requestId: request.id, address: request.ip, waits }
  return {
    ...(parsedBody !== undefined && { parsedBody }),
    authInfo: { token: '', clientId: connection.identity.actor, scopes: [...connection.scopes], extra },
  }
}
