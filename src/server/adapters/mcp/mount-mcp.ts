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
import type { McpRequest, RetryAfter } from './mcp-server.ts'
import { scopes, type Tool, tools } from './tools.ts'

/** Dependencies of the MCP routes. */
export type McpGuards = {
  findConnection: FindConnection
  /** Counts a request with an invalid token. */
  countFailure: (address: string) => Promise<RateLimitCount>
  /** Counts requests of a user in an account. */
  countMcp: (key: string, requests: number) => Promise<RateLimitCount>
  /** Counts opt-outs of an account, together with those added through the API. */
  countOptOuts: (accountId: string, requests: number) => Promise<RateLimitCount>
}

/** Paths of the MCP server. Users type the URL into their assistants, so a short path works too. */
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
  const checkOrigin = createOriginCheck(app)
  const connections = new WeakMap<FastifyRequest, Connection>()

  await server.register(async scope => {
    // Keeps the body unparsed, because the MCP library responds to invalid JSON itself.
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
          const token = getBearerToken(request)
          const connection = token && (await track(guards.findConnection(token)))
          if (!token || typeof connection !== 'object') {
            // A request without credentials is not an error (RFC 6750 section 3.1), so the challenge has no `error`.
            challenge(reply, token && 'invalid_token')
            if (connection === 'invalid') reportBuckets(reply, await guards.countFailure(request.ip))
            throw unauthorized(
              token
                ? 'The access token is invalid, expired or revoked.'
                : 'Connect with OAuth, as described by the WWW-Authenticate header.',
            )
          }
          request.identity = connection.identity
          connections.set(request, connection)
        },
        handler: async (request, reply) => {
          const connection = connections.get(request)!
          const body = parseJson(request.body as string | undefined)
          const retryAfter = await countMessages(guards, connection, body, reply)
          rejectPrototypeNames(body)
          const tool = findToolBeyondScope(connection, body)
          if (tool) {
            challenge(reply, 'insufficient_scope')
            throw new AppError(
              'Forbidden',
              `${tool.name} requires the scope ${tool.scope}. Connect again and grant it.`,
            )
          }
          if (isListenRequest(body)) return reply.code(404).send(toMethodNotFound(body))
          const response = await track(
            mcp.fetch(
              toWebRequest(request, body),
              toHandlerOptions(request, body, { connection, retryAfter }),
            ),
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

/**
 * Returns a check that rejects requests from pages of other origins, which could otherwise call tools through a
 * user's browser.
 */
function createOriginCheck({ config }: App): (request: FastifyRequest) => void {
  const origins = new Set([new URL(getPublicUrl(config)).origin, ...config.corsOrigins])
  return ({ headers }) => {
    if (headers.origin !== undefined && !origins.has(headers.origin)) {
      throw new AppError('Forbidden', 'This origin is not allowed. The operator can add it to CORS_ORIGINS.')
    }
  }
}

const getBearerToken = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1]

function parseJson(body: string | undefined): unknown {
  rejectTooManyValues(body ?? '')
  try {
    return JSON.parse(body ?? '')
  } catch {
    return undefined
  }
}

/** Returns the tool that a message calls; undefined for any other message, even an invalid one. */
function findCalledTool(message: unknown): Tool | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
  return method === 'tools/call' && typeof params?.name === 'string' ? tools.get(params.name) : undefined
}

const noCount: RateLimitCount = { buckets: [], isOver: false }

/**
 * Counts each message of a request toward a rate limit. Opt-outs have their own limit, so other calls never delay
 * them. A tool call over the limit gets an error result; any other request gets a 429.
 */
async function countMessages(
  { countMcp, countOptOuts }: McpGuards,
  { identity: { accountId, userId } }: Connection,
  body: unknown,
  reply: FastifyReply,
): Promise<RetryAfter> {
  const isBatch = Array.isArray(body) && body.length > 0
  const messages: unknown[] = isBatch ? body : [body]
  const optOuts = messages.filter(message => findCalledTool(message)?.isOptOut).length
  const others = messages.length - optOuts
  const optOutCount = optOuts > 0 ? await countOptOuts(accountId, optOuts) : noCount
  const otherCount = others > 0 ? await countMcp(`${accountId} ${userId}`, others) : noCount
  const hasResult = isBatch ? optOuts > 0 && !optOutCount.isOver : findCalledTool(body) !== undefined
  reportBuckets(reply, {
    buckets: [...optOutCount.buckets, ...otherCount.buckets],
    isOver: !hasResult && (optOutCount.isOver || otherCount.isOver),
  })
  const getSeconds = (count: RateLimitCount) => (count.isOver ? getRetryAfterSeconds(count) : undefined)
  return { optOuts: getSeconds(optOutCount), others: getSeconds(otherCount) }
}

/** Returns the called tool if the role allows it but the granted scopes don't. */
function findToolBeyondScope(connection: Connection, body: unknown): Tool | undefined {
  const tool = findCalledTool(body)
  return tool &&
    !isGranted(connection, tool.scope) &&
    getPermissionScope(connection.identity.role, tool.permission)
    ? tool
    : undefined
}

/**
 * Returns whether this is a request to listen for notifications. The server sends none, so the stream would only
 * occupy a connection.
 */
const isListenRequest = (body: unknown): body is { id?: unknown } =>
  (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen'

const toMethodNotFound = ({ id = null }: { id?: unknown }) => ({
  jsonrpc: '2.0',
  id,
  error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' },
})

const toWebRequest = (request: FastifyRequest, body: unknown): Request =>
  new Request(`http://localhost${request.url}`, {
    method: 'POST',
    headers: request.headers as Record<string, string>,
    ...(body === undefined && { body: (request.body as string | undefined) ?? '' }),
  })

function toHandlerOptions(
  request: FastifyRequest,
  parsedBody: unknown,
  { connection, retryAfter }: Pick<McpRequest, 'connection' | 'retryAfter'>,
) {
  const extra: McpRequest = { connection, requestId: request.id, address: request.ip, retryAfter }
  return {
    ...(parsedBody !== undefined && { parsedBody }),
    authInfo: { token: '', clientId: connection.identity.actor, scopes: [...connection.scopes], extra },
  }
}
