import { z } from 'zod'
import { consentKinds } from './consents.ts'
import { operation } from './operation.ts'
import { base, id, optionalLines, optionalText, pageInput, pageOf, text, time } from './page.ts'
import { window } from './schedule.ts'

export const callTypes = ['inbound', 'outbound', 'web'] as const
export const callStatuses = ['queued', 'dialing', 'in_progress', 'ended'] as const
export const callOutcomes = [
  'answered',
  'voicemail',
  'no_answer',
  'busy',
  'failed',
  'refused',
  'withdrawn',
] as const

/** What a queued call waits for. */
export const callHolds = [
  'calling_hours',
  'on_the_phone',
  'just_called',
  'daily_cap',
  'daily_cap_per_number',
  'provider_busy',
  'window',
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
    campaignId: id.optional().describe('The campaign that it is a step of'),
    stepId: id.optional().describe('That step'),
    attempt: z.int().min(1).optional().describe('Which attempt of the step it is, from 1'),
    personName: z.string().optional().describe('Who is called, as whoever started it said'),
    status: z.enum(callStatuses).optional(),
    outcome: z
      .enum(callOutcomes)
      .optional()
      .describe(
        '`refused`: it must not be made; `withdrawn`: as a step of a campaign it was taken back before it was dialed',
      ),
    outcomeReason: z
      .string()
      .optional()
      .describe(
        'Why it failed, was refused or withdrawn, as in `do_not_contact`, `no_consent` or `prospect_replied`',
      ),
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
        'What a queued call waits for. `calling_hours`: those of the person called; `on_the_phone`: the same person or number is called right now; `just_called`: somebody was reached at the number within the last five minutes; `daily_cap`: the number called from has placed as many calls in 24 hours as its assistant may; `daily_cap_per_number`: the number called has got as many; `provider_busy`: the voice provider asked to be tried again later; `window`: the schedule of its campaign is closed where the prospect is.',
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
        description: optionalLines(1000).describe('When to hand over'),
        message: optionalLines(1000).describe('What the person called is told before'),
        messageToReceiver: optionalLines(1000).describe('What the receiver is told'),
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

const callPolicy = z
  .object({
    objectType: z.literal('call_policy'),
    countries: z.array(z.string()).describe('By ISO 3166; empty for what holds everywhere'),
    consent: z
      .array(z.enum(consentKinds))
      .optional()
      .describe('Kinds of consent, of which one has to be recorded before an AI voice calls'),
    windows: z
      .array(window)
      .optional()
      .describe('Hours within which to call, by the clock of the person called'),
  })
  .meta({ id: 'CallPolicy' })

export const getCallPolicies = operation({
  method: 'GET',
  path: '/call-policies',
  summary: 'Get what the laws of countries ask of calls by an AI voice',
  description:
    'As far as Overture knows them; it holds every call to them. Of a country that is not named only what holds everywhere is asked. No legal advice.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({
    phoneNumber: optionalText(50).describe('Only those that a call to this number is held to'),
  }),
  output: z.object({
    data: z.array(callPolicy),
    countries: z
      .array(z.string())
      .optional()
      .describe('Those that the number given may belong to, by ISO 3166; several where they share numbers'),
  }),
  example: {
    output: {
      data: [
        {
          objectType: 'call_policy',
          countries: [],
          windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '08:00', to: '21:00' }],
        },
        { objectType: 'call_policy', countries: ['GB', 'GG', 'IM', 'JE'], consent: ['written', 'express'] },
      ],
      countries: ['GB'],
    },
  },
})
