import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, optionalText, pageInput, pageOf, text, time } from './page.ts'

export const callTypes = ['inbound', 'outbound', 'web'] as const
export const callStatuses = ['queued', 'dialing', 'in_progress', 'ended'] as const
export const callOutcomes = ['answered', 'voicemail', 'no_answer', 'busy', 'failed', 'refused'] as const

/** What a queued call waits for. */
export const callHolds = [
  'calling_hours',
  'on_the_phone',
  'daily_cap',
  'daily_cap_per_number',
  'provider_busy',
] as const

export const call = z
  .object({
    ...base('call'),
    from: z.string().describe('Number the call is made from'),
    to: z.string().describe('Number the call is made to'),
    callType: z.enum(callTypes),
    duration: z.int().min(0).optional().describe('Seconds'),
    summary: z.string().optional(),
    startedAt: time.optional(),
    endedAt: time.optional(),
    prospectId: id.optional(),
    personName: z.string().optional().describe('Who is called, as whoever started it said'),
    status: z.enum(callStatuses).optional(),
    outcome: z.enum(callOutcomes).optional(),
    outcomeReason: z
      .string()
      .optional()
      .describe('Why it failed or was refused, as in `do_not_contact` or `no_consent`'),
    outcomeAdvice: z.string().optional().describe('What can be done about a refusal'),
    transcript: z
      .array(
        z.object({
          role: z.enum(['assistant', 'person']),
          text: z.string(),
          at: z.number().min(0).describe('Seconds from the start'),
        }),
      )
      .optional(),
    recordingUrl: z
      .string()
      .optional()
      .describe('Where this server streams the recording to whoever may read the call'),
    extractedData: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What the assistant found out, as its settings at the provider ask for it'),
    cost: z
      .object({ amount: z.number().min(0), currency: z.string() })
      .optional()
      .describe('What the provider charges for it'),
    endReason: z.string().optional().describe('Why it ended, in the provider’s own word'),
    assistantId: id.optional(),
    data: z.record(z.string(), z.unknown()).optional().describe('Facts that the assistant was handed'),
    notBefore: time.optional().describe('A queued call waits until then at least; `heldBy` tells for what'),
    heldBy: z
      .enum(callHolds)
      .optional()
      .describe(
        'What a queued call waits for. `calling_hours`: those of the person called; `on_the_phone`: the same person or number is called right now; `daily_cap`: the number called from has placed as many calls in 24 hours as its assistant may; `daily_cap_per_number`: the number called has got as many; `provider_busy`: the voice provider asked to be tried again later.',
      ),
  })
  .meta({ id: 'Call' })

export const triggerAssistantCall = operation({
  method: 'POST',
  path: '/assistant/calls',
  summary: 'Start a call by an assistant',
  description:
    'Queues an outbound call. Outside the calling hours of the person called (8:00 to 21:00 by the zone of the number and by `timezone`, less where the law of the number’s country allows less) it waits for the next allowed minute. Where that law asks for consent to calls by an AI voice and none is recorded, the call ends as `refused`.',
  tag: 'Calls',
  permission: 'Call.TriggerCall',
  input: z.strictObject({
    assistantId: text(100).describe('The assistant that speaks'),
    name: text(200).describe('Name of the person called'),
    phoneNumber: text(50).describe('Number to call; best in E.164 form, as in +14155550123'),
    email: optionalText(320).describe('Address of the person called'),
    timezone: optionalText(64).describe('Time zone of the person called as an IANA name'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Facts handed to the assistant; at most 16 kB as JSON'),
    callTransfer: z
      .strictObject({
        phoneNumber: text(50),
        description: optionalText(1000).describe('When to hand over'),
        message: optionalText(1000).describe('What the person called is told before'),
        messageToReceiver: optionalText(1000).describe('What the receiver is told'),
      })
      .optional(),
  }),
  output: z.object({ callId: id, status: z.literal('queued') }),
  example: {
    input: {
      assistantId: '01980000-0000-7000-8000-000000000001',
      name: 'Ada Byron',
      phoneNumber: '+442079460018',
      timezone: 'Europe/London',
    },
  },
})

export const listCalls = operation({
  method: 'GET',
  path: '/calls',
  summary: 'List calls',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({
    ...pageInput,
    prospectId: id.optional().describe('Only calls with this prospect'),
    assistantId: id.optional().describe('Only calls by this assistant'),
    status: z.enum(callStatuses).optional(),
  }),
  output: pageOf(call, 'Call'),
})

export const getCall = operation({
  method: 'GET',
  path: '/calls/{callId}',
  summary: 'Get a call',
  tag: 'Calls',
  permission: 'Call.ReadCall',
  input: z.strictObject({ callId: id.describe('The call') }),
  output: call,
})
