import {
  createMcpHandler,
  type ListToolsResult,
  type McpHttpHandler,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { App, Context } from '../../kernel/context.ts'
import { callTool, type ToolResult, toFailure } from './call-tool.ts'
import { buildInstructions, type Connection, listTools } from './connection.ts'
import { findNearest } from './error-advice.ts'
import type { Row } from './lean-row.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { tools } from './tools.ts'

/** The parts of an MCP request that the handlers need. */
export type McpRequest = {
  connection: Connection
  requestId: string
  address: string
  retryAfter: RetryAfter
}

/** Seconds to wait, per rate limit; undefined when the limit is not exceeded. */
export type RetryAfter = { optOuts?: number | undefined; others?: number | undefined }

const serverInfo = { name: 'overture', title: 'Overture', version: '1.0.0' }
// Shared by all requests. By default, the library creates one per request, but only servers that elicit input use it.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Serves MCP (2025 and 2026 revisions) without state between requests. */
export const openMcp = (app: App): McpHttpHandler =>
  createMcpHandler(context => createServer(app, toMcpRequest(context)), {
    onerror: error => app.log.debug({ err: error }, 'mcp: a request was rejected'),
  })

const toMcpRequest = ({ authInfo }: McpRequestContext): McpRequest => authInfo?.extra as McpRequest

function createServer(app: App, request: McpRequest): Server {
  const { connection, retryAfter } = request
  const server = new Server(serverInfo, {
    capabilities: { tools: {}, prompts: {}, resources: {} },
    instructions: buildInstructions(connection),
    jsonSchemaValidator,
  })
  server.setRequestHandler('tools/list', () => ({ tools: listTools(connection) }) as ListToolsResult)
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(connection) }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(connection, params.name, params.arguments ?? {}),
  )
  server.setRequestHandler('resources/list', async () => ({
    resources: await listResources(toContext(app, request), connection),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: listTemplates(connection),
  }))
  server.setRequestHandler('resources/read', ({ params }) =>
    readResource(toContext(app, request), connection, params.uri),
  )
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(connection, params.name))
    // Reported in the result because clients treat status 429 as a server failure.
    const seconds = tool.isOptOut ? retryAfter.optOuts : retryAfter.others
    const result: ToolResult =
      seconds === undefined
        ? await callTool(toContext(app, request), connection, tool, (params.arguments ?? {}) as Row)
        : toFailure(`TooManyRequests: wait ${seconds} seconds before the next call.`)
    return result
  })
  return server
}

function describeUnknownTool(connection: Connection, name: string): string {
  const nearest = findNearest(
    name,
    listTools(connection).map(tool => tool.name),
  )
  return `Unknown tool: ${name.slice(0, 100)}.${nearest ? ` Did you mean ${nearest}?` : ' tools/list returns all of them.'}`
}

const toContext = (app: App, { connection, requestId, address }: McpRequest): Context => ({
  ...connection.identity,
  app,
  sql: app.db.app,
  requestId,
  address,
  afterCommit: () => {
    throw new Error('afterCommit is only available in writes')
  },
})
