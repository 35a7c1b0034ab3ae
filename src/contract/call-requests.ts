import { z } from 'zod'
import { triggerAssistantCall } from './calls.ts'
import { operation } from './operation.ts'
import { base, id, lines, optionalMultiline, pageInput, pageSchema, time } from './page.ts'

export const callRequestStatuses = ['waiting', 'approved', 'declined', 'expired'] as const

const call = triggerAssistantCall.input.shape

const warnings = z
  .array(
    z.object({
      reason: z.enum(['do_not_contact', 'no_consent', 'calling_hours', 'no_calling_hours']),
      advice: z.string(),
    }),
  )
  .describe('Reasons that would block or delay the call now')

export const callRequest = z
  .object({
    ...base('call_request'),
    status: z.enum(callRequestStatuses).describe('Status; `expired` if nobody decided in time'),
    assistantId: id.describe('Assistant that would call'),
    prospectId: id.optional(),
    name: z.string().describe('Name of the person to call'),
    phoneNumber: z.string().describe('Number to call, in E.164 format'),
    email: z.string().optional(),
    timezone: z.string().optional().describe('Time zone given for the person'),
    timezones: z
      .array(z.string())
      .describe(
        'Time zones the person may be in: those of the number and the one given. The calling hours of all of them apply',
      ),
    data: z.record(z.string(), z.unknown()).optional().describe('Facts for the assistant'),
    callTransfer: z
      .object({
        phoneNumber: z.string(),
        description: z.string().optional(),
        message: z.string().optional(),
        messageToReceiver: z.string().optional(),
      })
      .optional()
      .describe('Person to transfer the call to'),
    notBefore: z.string().optional().describe('Earliest time of the call, as requested'),
    reason: z.string().describe('Reason given by the requester'),
    requestedById: id.describe('User on whose behalf the call was requested'),
    requestedByName: z.string().optional(),
    requestedByApp: z.string().optional().describe('App or API token that made the request'),
    expiresAt: time.describe('When the request expires'),
    callableAt: time
      .optional()
      .describe('When the call would be made if approved now; only when you get a single waiting request'),
    warnings: warnings
      .optional()
      .describe(
        'Reasons that would block or delay the call if approved now; only when you get a single waiting request',
      ),
    decidedById: id.optional(),
    decidedByName: z.string().optional(),
    decidedAt: time.optional(),
    declineReason: z.string().optional(),
    callId: id.optional().describe('The call, once approved'),
  })
  .meta({ id: 'CallRequest' })

export const requestCall = operation({
  method: 'POST',
  path: '/call-requests',
  summary: 'Request a call by an assistant',
  description:
    'Nobody is called until a person approves the request in the web app within 7 days. Available only while the account allows assistants to request calls.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  input: z.strictObject({
    ...call,
    reason: lines(1000).describe('Reason, for the person who decides'),
  }),
  output: z.object({ callRequestId: id, status: z.literal('waiting'), expiresAt: time, warnings }),
  example: {
    input: { ...triggerAssistantCall.example.input, reason: 'Asked by email for a call about the offer' },
  },
})

export const listCallRequests = operation({
  method: 'GET',
  path: '/call-requests',
  summary: 'List call requests',
  description: 'Lists calls that AI assistants requested, both waiting and decided.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({
    ...pageInput,
    status: z.enum(callRequestStatuses).optional().describe('Only requests with this status'),
  }),
  output: pageSchema(callRequest, 'CallRequest'),
})

const callRequestId = id.describe('Call request ID')

export const getCallRequest = operation({
  method: 'GET',
  path: '/call-requests/{callRequestId}',
  summary: 'Get a call request',
  description: 'Includes the reason that the AI assistant gave, and who decided.',
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
  description: 'Queues the call on behalf of the approver. Fails if the call is no longer possible.',
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
  description: 'The call is not placed. The AI assistant sees the reason.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  needsSession: true,
  input: z.strictObject({ callRequestId, reason: optionalMultiline(1000).describe('Reason') }),
  output: callRequest,
  example: { input: { reason: 'Already a customer' } },
})
