import { z } from 'zod'
import {
  inferOutcome,
  reportedList,
  reportedNumber,
  reportedRecord,
  reportedText,
  reportedTime,
  reportedUrl,
  toEndOfCall,
} from './parse-reported.ts'
import type { CallEvent, TranscriptLine } from './provider.ts'

export const REFERENCE = 'overture_call_id'

const turn = z.object({
  role: z.enum(['agent', 'user', 'transfer_target']),
  content: z.string(),
  words: z.array(z.looseObject({ start: z.number().min(0).optional() })).catch([]),
})

/** A call as Retell describes it, in answers and in its webhooks; of what is there, the part that counts. */
const retellCall = z.looseObject({
  call_id: z.string().min(1).max(200),
  call_status: z.string().optional().catch(undefined),
  start_timestamp: reportedTime,
  end_timestamp: reportedTime,
  disconnection_reason: reportedText(200),
  metadata: z
    .looseObject({ [REFERENCE]: z.string().optional() })
    .nullish()
    .catch(undefined),
  transcript_object: reportedList(turn),
  recording_url: reportedUrl,
  call_cost: z.looseObject({ combined_cost: reportedNumber }).optional().catch(undefined),
  call_analysis: z
    .looseObject({ call_summary: reportedText(10_000), custom_analysis_data: reportedRecord })
    .optional()
    .catch(undefined),
})

export type RetellCall = z.output<typeof retellCall>

/** Throws when it is none. */
export const parseRetellCall = (json: unknown): RetellCall => retellCall.parse(json)

/** By Retell's reference of `disconnection_reason`; whatever else it says is judged by whether the person spoke. */
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

/** What happened so far, as far as the call tells. `now` stands in for a time that a call that failed may lack. */
export function toRetellEvents(call: RetellCall, now: Date): CallEvent[] {
  const { call_status: status, start_timestamp, end_timestamp, disconnection_reason: reason } = call
  const startedAt = start_timestamp ?? undefined
  if (status === 'ongoing') {
    return [{ type: 'status-update', status: 'in_progress', happenedAt: startedAt ?? now }]
  }
  if (status !== 'ended' && status !== 'error' && status !== 'not_connected') return []
  const { transcript_object: turns, call_analysis: analysis, call_cost: cost } = call
  let lastAt = 0
  const transcript = turns?.map(({ role, content, words }): TranscriptLine => {
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
      // It counts in cents.
      cost:
        cost?.combined_cost === undefined ? undefined : { amount: cost.combined_cost / 100, currency: 'USD' },
    }),
  ]
}
