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
import type { Row } from './answer.ts'
import { callTool, failure, type ToolResult } from './call-tool.ts'
import { type Connection, instructionsFor, toolsOf } from './connection.ts'
import { tools } from './tools.ts'

/** One request over MCP: who is connected, from where, and whether it is one too many. */
export type McpRequest = { connection: Connection; requestId: string; address: string; waits: Waits }

/** The seconds to wait when there were too many opt-outs, or too many of all others. */
export type Waits = { optOuts?: number | undefined; others?: number | undefined }

const serverInfo = { name: 'overture', title: 'Overture', version: '1.0.0' }
// It would be made anew with each request, though only questions to the user's side need it, and nothing asks any.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Speaks the protocol, of 2026 and of 2025, without any state between two requests. */
export const openMcp = (app: App): McpHttpHandler =>
  createMcpHandler(context => serverFor(app, requestOf(context)), {
    onerror: error => app.log.debug({ err: error }, 'mcp: a request was refused'),
  })

const requestOf = ({ authInfo }: McpRequestContext): McpRequest => authInfo?.extra as McpRequest

function serverFor(app: App, request: McpRequest): Server {
  const { connection, waits } = request
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions: instructionsFor(connection),
    jsonSchemaValidator,
  })
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(connection) }) as ListToolsResult)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    // In the result, because clients take the status 429 for a server that is broken.
    const seconds = tool.isOptOut ? waits.optOuts : waits.others
    const result: ToolResult =
      seconds === undefined
        ? await callTool(toContext(app, request), connection, tool, (params.arguments ?? {}) as Row)
        : failure(`TooManyRequests: wait ${seconds} seconds before the next call.`)
    return result
  })
  return server
}

const toContext = (app: App, { connection, requestId, address }: McpRequest): Context => ({
  ...connection.identity,
  app,
  sql: app.db.app,
  requestId,
  address,
  afterCommit: () => {
    throw new Error('afterCommit belongs to writes')
  },
})
