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

export const CALL_ID_KEY = 'overture_call_id'

const transcriptTurn = z.object({
  role: z.enum(['agent', 'user', 'transfer_target']),
  content: z.string(),
  words: z.array(z.looseObject({ start: z.number().min(0).optional() })).catch([]),
})

/** The fields that we use from a call in Retell's responses and webhooks. */
const retellCall = z.looseObject({
  call_id: z.string().min(1).max(200),
  call_status: z.string().optional().catch(undefined),
  start_timestamp: reportedTime,
  end_timestamp: reportedTime,
  disconnection_reason: reportedText(200),
  metadata: z
    .looseObject({ [CALL_ID_KEY]: z.string().optional() })
    .nullish()
    .catch(undefined),
  transcript_object: reportedList(transcriptTurn),
  recording_url: reportedUrl,
  call_cost: z.looseObject({ combined_cost: reportedAmount }).optional().catch(undefined),
  call_analysis: z
    .looseObject({ call_summary: reportedText(10_000), custom_analysis_data: reportedRecord })
    .optional()
    .catch(undefined),
})

export type RetellCall = z.output<typeof retellCall>

/** Parses a call. Throws when the JSON is not a call. */
export const parseRetellCall = (json: unknown): RetellCall => retellCall.parse(json)

/** Outcomes by `disconnection_reason`. For other reasons, the outcome depends on whether the person spoke. */
const outcomes: Record<string, 'answered' | 'voicemail' | 'no_answer' | 'busy'> = {
  user_hangup: 'answered',
  agent_hangup: 'answered',
  call_transfer: 'answered',
  transfer_bridged: 'answered',
  transfer_cancelled: 'answered',
  call_take_over: 'answered',
  ivr_reached: 'answered',
  inactivity: 'answered',
  max_duration_reached: 'answered',
  voicemail_reached: 'voicemail',
  dial_busy: 'busy',
  dial_no_answer: 'no_answer',
  user_declined: 'no_answer',
}

/** Returns the events of a call. `now` replaces times that a failed call may lack. */
export function toRetellEvents(call: RetellCall, now: Date): CallEvent[] {
  const { call_status: status, start_timestamp, end_timestamp, disconnection_reason: reason } = call
  const startedAt = start_timestamp ?? undefined
  if (status === 'ongoing') {
    return [{ type: 'status-update', status: 'in_progress', happenedAt: startedAt ?? now }]
  }
  if (status !== 'ended' && status !== 'error' && status !== 'not_connected') return []
  const { transcript_object: turns, call_analysis: analysis, call_cost: cost } = call
  let lastAt = 0
  const transcript = turns?.map(({ role, content, words }): TranscriptTurn => {
    lastAt = words.find(({ start }) => start !== undefined)?.start ?? lastAt
    return { role: role === 'agent' ? 'assistant' : 'person', text: content, at: lastAt }
  })
  return [
    toEndOfCall({
      outcome: outcomes[reason ?? ''] ?? inferOutcome(transcript),
      startedAt,
      endedAt: end_timestamp ?? startedAt ?? now,
      endReason: reason,
      summary: analysis?.call_summary,
      transcript,
      recordingUrl: call.recording_url,
      extractedData: analysis?.custom_analysis_data,
      // Retell reports cents.
      cost:
        cost?.combined_cost === undefined ? undefined : { amount: cost.combined_cost / 100, currency: 'USD' },
    }),
  ]
}
