import { z } from 'zod'
import { triggerAssistantCall } from './calls.ts'
import { operation } from './operation.ts'
import { base, id, lines, optionalLines, pageInput, pageOf, time } from './page.ts'

export const callRequestStatuses = ['waiting', 'approved', 'declined', 'expired'] as const

const call = triggerAssistantCall.input.shape

const warnings = z
  .array(
    z.object({
      reason: z.enum(['do_not_contact', 'no_consent', 'calling_hours', 'no_calling_hours']),
      advice: z.string(),
    }),
  )
  .describe('What would refuse or delay the call now')

export const callRequest = z
  .object({
    ...base('call_request'),
    status: z.enum(callRequestStatuses).describe('`expired` when nobody decided in time'),
    assistantId: id.describe('The assistant that would speak'),
    prospectId: id.optional(),
    name: z.string().describe('Name of the person to be called'),
    phoneNumber: z.string().describe('Number to be dialed, in E.164 form'),
    email: z.string().optional(),
    timezone: z.string().optional().describe('Time zone that was given for the person'),
    timezones: z
      .array(z.string())
      .describe('Where the person may be: the zones of the number, and the one given. All have to allow it'),
    data: z.record(z.string(), z.unknown()).optional().describe('Facts that the assistant would be handed'),
    callTransfer: z
      .object({
        phoneNumber: z.string(),
        description: z.string().optional(),
        message: z.string().optional(),
        messageToReceiver: z.string().optional(),
      })
      .optional()
      .describe('To whom it would be handed over'),
    reason: z.string().describe('Why, in the words of whoever asked'),
    requestedById: id.describe('The user in whose name it was asked for'),
    requestedByName: z.string().optional(),
    requestedByApp: z.string().optional().describe('The application or API token that asked'),
    expiresAt: time.describe('It can be approved until then'),
    callableAt: time
      .optional()
      .describe('When the call would be dialed if it were approved now; told of a single waiting request'),
    warnings: warnings
      .optional()
      .describe(
        'What would refuse the call or keep it waiting if it were approved now; told of a single waiting request',
      ),
    decidedById: id.optional(),
    decidedByName: z.string().optional(),
    decidedAt: time.optional(),
    declineReason: z.string().optional(),
    callId: id.optional().describe('The call, once it is approved'),
  })
  .meta({ id: 'CallRequest' })

export const requestCall = operation({
  method: 'POST',
  path: '/call-requests',
  summary: 'Ask for a call by an assistant',
  description:
    'Calls nobody: the request waits up to 7 days until a person approves it in the web app. Only while the account lets assistants ask for calls',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  input: z.strictObject({
    ...call,
    reason: lines(1000).describe('Why, for the person who decides'),
  }),
  output: z.object({ callRequestId: id, status: z.literal('waiting'), expiresAt: time, warnings }),
  example: {
    input: { ...triggerAssistantCall.example.input, reason: 'Asked by mail to be called about the offer' },
  },
})

export const listCallRequests = operation({
  method: 'GET',
  path: '/call-requests',
  summary: 'List call requests',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({ ...pageInput, status: z.enum(callRequestStatuses).optional() }),
  output: pageOf(callRequest, 'CallRequest'),
})

const callRequestId = id.describe('The call request')

export const getCallRequest = operation({
  method: 'GET',
  path: '/call-requests/{callRequestId}',
  summary: 'Get a call request',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({ callRequestId }),
  output: callRequest,
})

export const approveCallRequest = operation({
  method: 'POST',
  path: '/call-requests/{callRequestId}/approve',
  summary: 'Approve a call request',
  description:
    'Queues the call in the name of whoever approves, if everything that a call needs is still so at this moment.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  needsSession: true,
  input: z.strictObject({ callRequestId }),
  output: callRequest,
})

export const declineCallRequest = operation({
  method: 'POST',
  path: '/call-requests/{callRequestId}/decline',
  summary: 'Decline a call request',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  needsSession: true,
  input: z.strictObject({ callRequestId, reason: optionalLines(1000).describe('Why not') }),
  output: callRequest,
  example: { input: { reason: 'They are customers already' } },
})
