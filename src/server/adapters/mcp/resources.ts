import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { Context } from '../../kernel/context.ts'
import { callTool } from './call-tool.ts'
import { type Connection, listTools } from './connection.ts'
import type { Row } from './lean-row.ts'
import { type Tool, tools } from './tools.ts'

const scheme = 'overture://'
const mimeType = 'application/json'

/** Objects that hosts can attach to a conversation. A resource contains what its tool returns. */
const kinds: Record<string, { title: string; description: string; tool: string; argument: string }> = {
  campaigns: {
    title: 'Campaign',
    description: 'A campaign with its steps',
    tool: 'get_campaign',
    argument: 'campaignId',
  },
  persons: {
    title: 'Person',
    description: 'A person with their prospects',
    tool: 'get_person',
    argument: 'personId',
  },
  conversations: {
    title: 'Email conversation',
    description: 'An email thread with its messages',
    tool: 'get_email_thread',
    argument: 'emailThreadId',
  },
}

const isOffered = (connection: Connection, name: string): boolean =>
  listTools(connection).some(tool => tool.name === name)

export const listTemplates = (connection: Connection): ResourceTemplateType[] =>
  Object.entries(kinds)
    .filter(([, { tool }]) => isOffered(connection, tool))
    .map(([kind, { title, description, argument }]) => ({
      uriTemplate: `${scheme}${kind}/{${argument}}`,
      name: kind,
      title,
      description,
      mimeType,
    }))

/** Lists the newest campaigns. There are too many people and conversations to list; tools find them. */
export async function listResources(ctx: Context, connection: Connection): Promise<Resource[]> {
  if (!isOffered(connection, 'list_campaigns')) return []
  const { structuredContent } = await call(ctx, connection, 'list_campaigns', { limit: 50 })
  const { shared = {}, data = [] } = (structuredContent ?? {}) as { shared?: Row; data?: Row[] }
  return data
    .map(row => ({ ...shared, ...row }) as Row)
    .map(({ id, name, status }) => ({
      uri: `${scheme}campaigns/${id}`,
      name: String(name),
      description: `${status} campaign`,
      mimeType,
    }))
}

export async function readResource(
  ctx: Context,
  connection: Connection,
  uri: string,
): Promise<ReadResourceResult> {
  const [, name = '', id = ''] = /^overture:\/\/(\w+)\/([\da-f-]{36})$/i.exec(uri) ?? []
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (!kind || !isOffered(connection, kind.tool)) throw notFound(uri, 'Resource not found')
  const result = await call(ctx, connection, kind.tool, { [kind.argument]: id })
  const text = result.content[0]!.text
  if (result.isError) throw notFound(uri, text)
  return { contents: [{ uri, mimeType, text }] }
}

const call = (ctx: Context, connection: Connection, name: string, args: Row) =>
  callTool(ctx, connection, tools.get(name) as Tool, args)

const notFound = (uri: string, message: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri })
