import { z } from 'zod'
import { type OperationName, operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { Permission } from '../../../contract/permissions.ts'
import { inputSchema, outputSchema, type Schema } from './tool-schema.ts'

export const scopes = ['outreach.read', 'outreach.write'] as const
export type Scope = (typeof scopes)[number]

/**
 * MCP properties of a tool beyond its operation, from which clients decide how to present and confirm it. Idempotent:
 * a second call succeeds and changes nothing. Open world: its effect, now or later, reaches people outside the
 * account.
 */
type Definition = {
  operation: OperationName
  title: string
  /** Defaults to the operation's summary and description. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  /** Accepts an idempotency key. */
  acceptsKey?: boolean
  /** Only offered while this account setting is on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls'

export type Tool = {
  name: string
  operation: OperationName
  permission: Permission
  scope: Scope
  isRead: boolean
  acceptsKey: boolean
  /** Exempt from the limit of other calls. */
  isOptOut: boolean
  setting: AccountSetting | undefined
  /** Entry of `tools/list`, computed once. */
  listed: {
    name: string
    title: string
    description: string
    inputSchema: Schema
    outputSchema: Schema
    annotations: Record<string, boolean | string>
  }
}

export const detail = {
  detail: z
    .enum(['concise', 'full'])
    .optional()
    .meta({ default: 'concise' })
    .describe('`full`: whole texts where they fit'),
}

export const key = {
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional()
    .describe('Any unique text; a repeated call with it takes effect once'),
}

/** List parameters with shorter texts: `tools/list` is limited to 60 kB. */
const paging = {
  limit: z.int().min(1).max(100).optional().meta({ default: 10 }),
  cursor: z.string().optional().describe('`next` of an earlier answer'),
}

const whoamiOutput = {
  user: {
    type: 'object',
    properties: { id: {}, name: {}, email: {} },
  },
  role: {},
  scopes: { type: 'array', items: {} },
}

const definitions: Record<string, Definition> = {
  whoami: {
    operation: 'getAccount',
    title: 'Who am I',
    description: "The account all tools act on, the user they act for, and the user's role",
  },
  list_campaigns: { operation: 'listCampaigns', title: 'List campaigns' },
  get_campaign: { operation: 'getCampaign', title: 'Get a campaign' },
  get_campaign_stats: {
    operation: 'getCampaignStats',
    title: 'Get campaign statistics',
    description: 'Message and reply counts by step, and outside of steps',
  },
  pause_campaign: { operation: 'pauseCampaign', title: 'Pause a campaign' },
  resume_campaign: {
    operation: 'resumeCampaign',
    title: 'Resume a campaign',
    hints: { openWorld: true },
  },
  add_prospects_to_campaign: {
    operation: 'addProspectsToCampaign',
    title: 'Add prospects to a campaign',
    hints: { idempotent: true, openWorld: true },
    acceptsKey: true,
  },
  list_prospects: { operation: 'listProspects', title: 'List prospects' },
  get_prospect: { operation: 'getProspect', title: 'Get a prospect' },
  search_people: {
    operation: 'listPersons',
    title: 'Search people',
    description: 'Lists people of the account, newest first, optionally by email address or company',
  },
  pause_prospect: { operation: 'pauseProspect', title: 'Pause a prospect' },
  resume_prospect: {
    operation: 'resumeProspect',
    title: 'Resume a prospect',
    hints: { openWorld: true },
  },
  list_email_messages: { operation: 'listEmailMessages', title: 'List email messages' },
  get_email_thread: { operation: 'getEmailThread', title: 'Get an email thread' },
  create_email_draft: {
    operation: 'createEmailDraft',
    title: 'Create an email draft',
    hints: { openWorld: true },
    acceptsKey: true,
  },
  send_email_draft: {
    operation: 'sendEmailDraft',
    title: 'Send an email draft',
    hints: { destructive: true, openWorld: true },
    acceptsKey: true,
  },
  list_linkedin_messages: { operation: 'listLinkedinMessages', title: 'List LinkedIn messages' },
  list_calls: { operation: 'listCalls', title: 'List calls' },
  get_call: { operation: 'getCall', title: 'Get a call' },
  list_assistants: {
    operation: 'listAssistants',
    title: 'List assistants',
    setting: 'assistantsMayRequestCalls',
  },
  request_call: {
    operation: 'requestCall',
    title: 'Request a call',
    description: 'Requests a call. Nobody is called until a person approves it in the web app within 7 days',
    hints: { openWorld: true },
    acceptsKey: true,
    setting: 'assistantsMayRequestCalls',
  },
  list_reps: { operation: 'listReps', title: 'List reps' },
  assign_tags: {
    operation: 'assignTags',
    title: 'Tag a thread or conversation',
    hints: { idempotent: true },
  },
  list_opt_outs: { operation: 'listOptOuts', title: 'List Do Not Contact entries' },
  add_opt_outs: {
    operation: 'addOptOuts',
    title: 'Add to the Do Not Contact list',
    hints: { destructive: true, idempotent: true },
  },
}

/** All tools by name, in listing order. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.entries(definitions).map(([name, definition]) => [name, toTool(name, definition)]),
)

function toTool(name: string, { title, hints = {}, acceptsKey = false, ...definition }: Definition): Tool {
  const operation: Operation = operations[definition.operation]
  const isRead = operation.method === 'GET'
  const words = [operation.summary, operation.description].filter(Boolean).join('. ')
  return {
    name,
    operation: definition.operation,
    permission: operation.permission,
    scope: isRead ? 'outreach.read' : 'outreach.write',
    isRead,
    acceptsKey,
    isOptOut: operation.rateLimit === 'optOuts',
    setting: definition.setting,
    listed: {
      name,
      title,
      description: `${definition.description ?? words}. Needs ${operation.permission}.`.replaceAll('..', '.'),
      inputSchema: inputSchema(operation.input.shape, {
        ...('cursor' in operation.input.shape && paging),
        ...(isRead && detail),
        ...(acceptsKey && key),
      }),
      outputSchema: outputSchema(operation.output, name === 'whoami' ? whoamiOutput : {}, isRead),
      annotations: {
        title,
        readOnlyHint: isRead,
        destructiveHint: hints.destructive ?? false,
        idempotentHint: isRead || (hints.idempotent ?? false),
        openWorldHint: hints.openWorld ?? false,
      },
    },
  }
}
