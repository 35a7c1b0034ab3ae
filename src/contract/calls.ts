import { z } from 'zod'
import { consentKinds } from './consents.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  id,
  onePersonOrProspect,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'
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

/** Reasons a queued call waits. */
export const callHolds = [
  'sending_paused',
  'calling_hours',
  'on_the_phone',
  'just_called',
  'daily_cap',
  'daily_cap_per_number',
  'provider_busy',
  'window',
  'scheduled',
] as const

export const call = z
  .object({
    ...base('call'),
    from: z
      .string()
      .describe('Number the call is made from; `unknown` for the number of a rep in a logged call'),
    to: z.string().describe('Number the call is made to; `unknown` for the number of a rep in a logged call'),
    callType: z.enum(callTypes),
    duration: z.int().min(0).optional().describe('Length in seconds'),
    summary: z.string().optional(),
    startedAt: time.optional(),
    endedAt: time.optional(),
    prospectId: id.optional(),
    personId: id.optional(),
    repId: id
      .optional()
      .describe('Rep who made or received the call, or on whose behalf an assistant placed it'),
    campaignId: id.optional().describe('Campaign the call is a step of'),
    stepId: id.optional().describe('Step of the campaign'),
    attempt: z.int().min(1).optional().describe('Attempt number of the step, from 1'),
    personName: z.string().optional().describe('Name of the person called'),
    status: z.enum(callStatuses).optional(),
    outcome: z
      .enum(callOutcomes)
      .optional()
      .describe('Result. `refused`: the call is not allowed; `withdrawn`: it was cancelled before dialing'),
    outcomeReason: z
      .string()
      .optional()
      .describe(
        'Reason the call failed, was refused or was withdrawn, such as `do_not_contact`, `no_consent` or `prospect_replied`',
      ),
    outcomeAdvice: z.string().optional().describe('Advice on what to do about a refusal'),
    transcript: z
      .array(
        z.object({
          role: z.enum(['assistant', 'person']),
          text: z.string(),
          at: z.number().min(0).describe('Seconds from the start of the call'),
        }),
      )
      .optional(),
    recordingUrl: z
      .string()
      .optional()
      .describe('URL of the recording on this server; requires permission to read the call'),
    extractedData: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Data the assistant collected, as configured at the provider'),
    cost: z
      .object({ amount: z.number().min(0), currency: z.string() })
      .optional()
      .describe('Price charged by the provider'),
    endReason: z.string().optional().describe("Provider's reason for the end of the call"),
    assistantId: id.optional(),
    data: z.record(z.string(), z.unknown()).optional().describe('Facts given to the assistant'),
    notBefore: time.optional().describe('Earliest time for a queued call; see `heldBy`'),
    heldBy: z
      .enum(callHolds)
      .optional()
      .describe(
        "Reason a queued call waits. `calling_hours`: outside the calling hours of the person called; `on_the_phone`: another call with the person or number is in progress; `just_called`: someone answered at the number within the last five minutes; `daily_cap`: the assistant's 24-hour limit is reached; `daily_cap_per_number`: the 24-hour limit for the number called is reached; `provider_busy`: the voice provider asked to retry later; `window`: outside the campaign's schedule in the prospect's time zone; `scheduled`: it was queued for later.",
      ),
  })
  .meta({ id: 'Call' })

export const triggerAssistantCall = operation({
  method: 'POST',
  path: '/assistant/calls',
  summary: 'Start a call by an assistant',
  description:
    'Queues an outbound call. Outside the calling hours of the person called (8:00 to 21:00 in the time zone of the number and in `timezone`, or less where national law says so) it waits for the next permitted minute. If national law requires consent to AI voice calls and none is recorded, the call ends as `refused`.',
  tag: 'Calls',
  permission: 'Call.TriggerCall',
  input: z.strictObject({
    assistantId: text(100).describe('ID of the assistant'),
    name: text(200).describe('Name of the person called'),
    phoneNumber: text(50).describe('Number to call, preferably in E.164 format, such as +14155550123'),
    email: optionalText(320).describe('Email address of the person called'),
    timezone: optionalText(64).describe('IANA time zone of the person called'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Facts for the assistant; at most 16 kB as JSON'),
    callTransfer: z
      .strictObject({
        phoneNumber: text(50),
        description: optionalMultiline(1000).describe('When to transfer'),
        message: optionalMultiline(1000).describe('Message to the person called before the transfer'),
        messageToReceiver: optionalMultiline(1000).describe('Message to the person who takes over'),
      })
      .optional()
      .describe('Person to transfer the call to on request'),
    notBefore: timeInput
      .optional()
      .describe(
        'Earliest time of the call, at most a year ahead. Calling hours, consent and Do Not Contact are checked then',
      ),
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
  description: 'Lists calls that are queued, in progress or ended. Members see those of their own reps.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      prospectId: id.optional().describe('Only calls with this prospect'),
      personId: id.optional().describe('Only calls with this person'),
      assistantId: id.optional().describe('Only calls by this assistant'),
      repId: id.optional().describe('Only calls by this rep or on their behalf'),
      status: z.enum(callStatuses).optional().describe('Only calls with this status'),
      outcome: z.enum(callOutcomes).optional().describe('Only calls that ended with this outcome'),
      since: timeInput.optional().describe('Only calls created at this time or later'),
      until: timeInput.optional().describe('Only calls created before this time'),
    }),
  ).refine(({ status, outcome }) => !outcome || !status || status === 'ended', {
    path: ['outcome'],
    message: 'must not be combined with a status other than `ended`',
  }),
  output: pageSchema(call, 'Call'),
})

export const getCall = operation({
  method: 'GET',
  path: '/calls/{callId}',
  summary: 'Get a call',
  description: 'Includes the transcript, the recording and the outcome, once the call has ended.',
  tag: 'Calls',
  permission: 'Call.ReadCall',
  input: z.strictObject({ callId: id.describe('Call ID') }),
  output: call,
})

export const cancelCall = operation({
  method: 'POST',
  path: '/calls/{callId}/cancel',
  summary: 'Cancel a queued call',
  description:
    'The call is never placed. `Conflict` once it is being placed, and for a campaign step: pause its prospect instead.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  input: z.strictObject({ callId: id.describe('Call ID') }),
  output: call,
})

export const logCall = operation({
  method: 'POST',
  path: '/calls/log',
  summary: 'Log a call',
  description:
    'Records a call that someone made or answered without an assistant. Nobody is called, and sequences continue. An outbound call counts toward the daily limit of calls to the number.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.TriggerCall',
  input: z
    .strictObject({
      prospectId: id.optional().describe('Prospect the call was with'),
      personId: id.optional().describe('Person the call was with, instead of a prospect'),
      repId: id
        .optional()
        .describe("Rep on the phone; defaults to the prospect's rep, else to your only rep"),
      callType: z
        .enum(['outbound', 'inbound'])
        .default('outbound')
        .describe('Direction; `outbound`: your side called'),
      outcome: z.enum(['answered', 'voicemail', 'no_answer', 'busy']).describe('Outcome of the call'),
      notes: optionalMultiline(8000).describe('Notes about the conversation, returned as `summary`'),
      phoneNumber: optionalText(50).describe('Number of the person; defaults to the one on record'),
      startedAt: timeInput.optional().describe('Start of the call. By default, the call has just ended'),
      duration: z.int().min(0).max(86_400).optional().describe('Length in seconds'),
    })
    .refine(...onePersonOrProspect),
  output: call,
  example: {
    input: {
      personId: '01980000-0000-7000-8000-000000000001',
      outcome: 'answered',
      notes: 'Wants a demo next week.',
      duration: 240,
    },
  },
})

const callPolicy = z
  .object({
    objectType: z.literal('call_policy'),
    countries: z.array(z.string()).describe('ISO 3166 country codes; empty for rules that apply everywhere'),
    consent: z
      .array(z.enum(consentKinds))
      .optional()
      .describe('Kinds of consent, one of which must be recorded before an AI voice calls'),
    windows: z.array(window).optional().describe('Permitted hours in the time zone of the person called'),
  })
  .meta({ id: 'CallPolicy' })

export const getCallPolicies = operation({
  method: 'GET',
  path: '/call-policies',
  summary: 'Get the rules for AI voice calls by country',
  description:
    'Returns the rules that Overture applies to every call. Countries that are not listed have only the rules that apply everywhere. This is not legal advice.',
  tag: 'Calls',
  extension: true,
  permission: 'Call.ReadCall',
  input: z.strictObject({
    phoneNumber: optionalText(50).describe('Only rules that apply to this number'),
  }),
  output: z.object({
    data: z.array(callPolicy),
    countries: z
      .array(z.string())
      .optional()
      .describe(
        'ISO 3166 codes of the countries the number may belong to; several where countries share numbers',
      ),
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
