import { z } from 'zod'
import {
  inferOutcome,
  reportedAmount,
  reportedList,
  reportedRecord,
  reportedText,
  reportedTime,
  reportedUrl,
  toEndOfCall,
} from './parse-reported.ts'
import type { CallEvent, TranscriptTurn } from './provider.ts'

const transcriptTurn = z.object({
  role: z.enum(['bot', 'assistant', 'user']),
  message: z.string(),
  secondsFromStart: z.number().min(0).catch(0),
})

/** The fields that we use from a call in Vapi's responses and server messages. */
const vapiCall = z.looseObject({
  id: z.string().min(1).max(200),
  name: z.string().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  createdAt: z.string().max(64).optional().catch(undefined),
  startedAt: reportedTime,
  endedAt: reportedTime,
  endedReason: reportedText(200),
  cost: reportedAmount,
  assistantOverrides: z
    .looseObject({ metadata: z.looseObject({ overtureCallId: z.string().optional() }).optional() })
    .optional()
    .catch(undefined),
  analysis: z
    .looseObject({ summary: reportedText(10_000), structuredData: reportedRecord })
    .optional()
    .catch(undefined),
  artifact: z
    .looseObject({
      messages: reportedList(transcriptTurn),
      recordingUrl: reportedUrl,
      presignedMonoUrl: reportedUrl,
    })
    .optional()
    .catch(undefined),
})

export type VapiCall = z.output<typeof vapiCall> & { reference: string | undefined }

/** Parses a call. Throws when the JSON is not a call. */
export function parseVapiCall(json: unknown): VapiCall {
  const call = vapiCall.parse(json)
  return { ...call, reference: call.assistantOverrides?.metadata?.overtureCallId ?? call.name }
}

/** Outcomes by `endedReason`. For other reasons, the outcome depends on whether the person spoke. */
const outcomes: [pattern: RegExp, outcome: 'answered' | 'voicemail' | 'no_answer' | 'busy'][] = [
  [/^customer-busy$/, 'busy'],
  [/^customer-did-not-answer$/, 'no_answer'],
  [/^voicemail$/, 'voicemail'],
  [/^(customer|assistant)-ended-call/, 'answered'],
  [
    /^(assistant-said-end-call-phrase|assistant-forwarded-call|exceeded-max-duration|silence-timed-out)$/,
    'answered',
  ],
]

/** Returns the events of a call. `now` replaces times that a message omits. */
export function toVapiEvents(call: VapiCall, now?: Date): CallEvent[] {
  const { status, startedAt, endedAt, endedReason, cost, analysis, artifact } = call
  if (status === 'ended') {
    const at = endedAt ?? startedAt ?? now
    if (!at) return []
    const transcript = artifact?.messages?.map(
      ({ role, message, secondsFromStart }): TranscriptTurn => ({
        role: role === 'user' ? 'person' : 'assistant',
        text: message,
        at: secondsFromStart,
      }),
    )
    const known = outcomes.find(([pattern]) => pattern.test(endedReason ?? ''))
    return [
      toEndOfCall({
        outcome: known?.[1] ?? inferOutcome(transcript),
        startedAt: startedAt ?? undefined,
        endedAt: at,
        endReason: endedReason,
        summary: analysis?.summary,
        transcript,
        recordingUrl: artifact?.presignedMonoUrl ?? artifact?.recordingUrl,
        extractedData: analysis?.structuredData,
        cost: cost === undefined ? undefined : { amount: cost, currency: 'USD' },
      }),
    ]
  }
  if (status !== 'in-progress' && status !== 'forwarding') return []
  const happenedAt = startedAt ?? now
  return happenedAt ? [{ type: 'status-update', status: 'in_progress', happenedAt }] : []
}
