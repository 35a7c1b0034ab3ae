import { z } from 'zod'
import { type OperationName, operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { Permission } from '../../../contract/permissions.ts'
import { inputSchema, outputSchema, type Schema } from './tool-schema.ts'

export const scopes = ['outreach.read', 'outreach.write'] as const
export type Scope = (typeof scopes)[number]

/**
 * What is said of a tool beyond its operation; a client shows and asks by the hints. Idempotent: a second call succeeds
 * and changes nothing. Open world: what it does, or prepares, reaches people outside the account.
 */
type Definition = {
  operation: OperationName
  title: string
  /** In place of the operation's own words. */
  description?: string
  hints?: { destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
  /** Takes a key under which a second call has no second effect. */
  takesKey?: boolean
  /** Offered only while the account has this on. */
  setting?: AccountSetting
}

export type AccountSetting = 'assistantsMayRequestCalls'

export type Tool = {
  name: string
  operation: OperationName
  permission: Permission
  scope: Scope
  isRead: boolean
  takesKey: boolean
  /** Is never held up by what else was called. */
  isOptOut: boolean
  setting: AccountSetting | undefined
  /** As `tools/list` shows it, made once. */
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
    .describe('`full`: long texts whole if there is room'),
}

export const key = {
  idempotencyKey: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional()
    .describe('Your own text; a second call with the same has no effect'),
}

/** The fields of every list in fewer words: `tools/list` has room for 40 kB. */
const paging = {
  limit: z.int().min(1).max(100).optional().meta({ default: 10 }),
  cursor: z.string().optional().describe('`next` of an earlier answer'),
}

const who = {
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
    description: 'The account that every tool works on, the user in whose name, and the role that decides',
  },
  list_campaigns: { operation: 'listCampaigns', title: 'List campaigns' },
  get_campaign: { operation: 'getCampaign', title: 'Get a campaign' },
  get_campaign_stats: {
    operation: 'getCampaignStats',
    title: 'Get the numbers of a campaign',
    description: 'Counted from the messages; answers count for their step, or outside the steps',
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
    takesKey: true,
  },
  list_prospects: { operation: 'listProspects', title: 'List prospects' },
  get_prospect: { operation: 'getProspect', title: 'Get a prospect' },
  search_people: {
    operation: 'listPersons',
    title: 'Search people',
    description: 'People of the account, newest first; by address or by company when given',
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
    takesKey: true,
  },
  send_email_draft: {
    operation: 'sendEmailDraft',
    title: 'Send an email draft',
    hints: { destructive: true, openWorld: true },
    takesKey: true,
  },
  list_linkedin_messages: { operation: 'listLinkedinMessages', title: 'List LinkedIn messages' },
  list_calls: { operation: 'listCalls', title: 'List calls' },
  get_call: { operation: 'getCall', title: 'Get a call' },
  list_assistants: {
    operation: 'listAssistants',
    title: 'List the assistants that call',
    setting: 'assistantsMayRequestCalls',
  },
  request_call: {
    operation: 'requestCall',
    title: 'Ask for a call',
    description:
      'Files a request for a call. Nobody is called before a person approves it in the web app, within 7 days',
    hints: { openWorld: true },
    takesKey: true,
    setting: 'assistantsMayRequestCalls',
  },
  list_reps: { operation: 'listReps', title: 'List reps' },
  assign_tags: {
    operation: 'assignTags',
    title: 'Tag a thread or conversation',
    hints: { idempotent: true },
  },
  list_opt_outs: { operation: 'listOptOuts', title: 'List the Do Not Contact entries' },
  add_opt_outs: {
    operation: 'addOptOuts',
    title: 'Add to the Do Not Contact list',
    hints: { destructive: true, idempotent: true },
  },
}

/** Every tool by its name, in the order in which they are listed. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  Object.entries(definitions).map(([name, definition]) => [name, toolOf(name, definition)]),
)

function toolOf(name: string, { title, hints = {}, takesKey = false, ...definition }: Definition): Tool {
  const operation: Operation = operations[definition.operation]
  const isRead = operation.method === 'GET'
  const words = [operation.summary, operation.description].filter(Boolean).join('. ')
  return {
    name,
    operation: definition.operation,
    permission: operation.permission,
    scope: isRead ? 'outreach.read' : 'outreach.write',
    isRead,
    takesKey,
    isOptOut: operation.rateLimit === 'optOuts',
    setting: definition.setting,
    listed: {
      name,
      title,
      description: `${definition.description ?? words}. Needs ${operation.permission}.`.replaceAll('..', '.'),
      inputSchema: inputSchema(operation.input.shape, {
        ...('cursor' in operation.input.shape && paging),
        ...(isRead && detail),
        ...(takesKey && key),
      }),
      outputSchema: outputSchema(operation.output, name === 'whoami' ? who : {}, isRead),
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
