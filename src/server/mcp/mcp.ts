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
import type { App, Context } from '../context.ts'
import type { Row } from './answer.ts'
import { callTool, failure, type ToolResult } from './call-tool.ts'
import { type Connection, instructionsFor, toolsOf } from './connection.ts'
import { tools } from './tools.ts'

/** One request over MCP: who is connected, and from where. */
export type McpRequest = { connection: Connection; requestId: string; address: string }

/** Counts a call of a tool; gives the seconds to wait when there were too many. */
export type CountCall = (key: string) => Promise<number | undefined>

const serverInfo = { name: 'overture', title: 'Overture', version: '1.0.0' }
// It would be made anew with each request, though only questions to the user's side need it, and nothing asks any.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** Speaks the protocol, of 2026 and of 2025, without any state between two requests. */
export const openMcp = (app: App, countCall: CountCall): McpHttpHandler =>
  createMcpHandler(context => serverFor(app, countCall, requestOf(context)), {
    onerror: error => app.log.debug({ err: error }, 'mcp: a request was refused'),
  })

const requestOf = ({ authInfo }: McpRequestContext): McpRequest => authInfo?.extra as McpRequest

function serverFor(app: App, countCall: CountCall, request: McpRequest): Server {
  const { connection } = request
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions: instructionsFor(connection),
    jsonSchemaValidator,
  })
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(connection) }) as ListToolsResult)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    const { accountId, userId } = connection.identity
    // Opting out waits for nothing.
    const seconds = tool.operation === 'addOptOuts' ? undefined : await countCall(`${accountId} ${userId}`)
    const result: ToolResult =
      seconds === undefined
        ? await callTool(contextOf(app, request), connection, tool, (params.arguments ?? {}) as Row)
        : failure(`TooManyRequests: wait ${seconds} seconds before the next call.`)
    return result
  })
  return server
}

const contextOf = (app: App, { connection, requestId, address }: McpRequest): Context => ({
  ...connection.identity,
  app,
  sql: app.db.app,
  requestId,
  address,
  afterCommit: () => {
    throw new Error('afterCommit belongs to writes')
  },
})
