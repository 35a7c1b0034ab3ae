import { zonesToHeed } from '../server/domain/calls/calling-hours.ts'
import { json } from '../server/kernel/db/sql.ts'
import type { AssistantStory, CallRequestStory, CallStory } from './calls.ts'
import { emailOf, findProspect, fullNameOf, type Prospect } from './cast.ts'
import { stepsOf } from './steps.ts'
import { minutesAfter, type Rows, type Teller } from './teller.ts'

export const assistantRows = ({ accountId, id, at }: Teller, assistants: readonly AssistantStory[]): Rows =>
  assistants.map((assistant, index) => ({
    account_id: accountId,
    id: id('assistant', assistant.key),
    name: assistant.name,
    rep_id: id('rep', assistant.rep),
    from_number: assistant.number,
    first_message: assistant.firstMessage,
    created_at: minutesAfter(at(60), index),
    updated_at: minutesAfter(at(60), index),
  }))

export const callRows = (
  teller: Teller,
  prospects: readonly Prospect[],
  assistants: readonly AssistantStory[],
  calls: readonly CallStory[],
): Rows =>
  calls.map((call, index) => {
    const { accountId, id, at } = teller
    const assistant = assistants.find(({ key }) => key === call.assistant)!
    const prospect = findProspect(prospects, call.with, call.campaign)
    const ours = assistant.number
    const theirs = call.type === 'web' ? 'web' : prospect.person[4]!
    const startedAt = at(...call.at)
    const seconds = secondsOf(call)
    const waitsUntil = call.outcome ? null : at(-1, '10:00')
    const createdAt = call.outcome ? startedAt : at(1, '17:00')
    return {
      account_id: accountId,
      id: id('call', String(index)),
      assistant_id: id('assistant', assistant.key),
      rep_id: id('rep', assistant.rep),
      prospect_id: prospect.id,
      campaign_id: call.campaign ? id('campaign', call.campaign) : null,
      step_id: call.campaign
        ? stepsOf(teller, prospect.campaign).find(({ channel }) => channel === 'call')!.id
        : null,
      attempt: call.attempt ?? null,
      recording_url: call.isRecorded ? recordingPath(id('call', String(index))) : null,
      from_number: call.type === 'outbound' ? ours : theirs,
      to_number: call.type === 'outbound' ? theirs : ours,
      call_type: call.type,
      status: call.outcome ? 'ended' : 'queued',
      outcome: call.outcome ?? null,
      outcome_reason: call.reason ?? null,
      person_name: fullNameOf(prospect.person),
      person_email: emailOf(prospect),
      person_timezone: prospect.company.timezone,
      duration_seconds: seconds,
      summary: call.summary ?? null,
      transcript: call.transcript ? json(timed(call.transcript)) : null,
      started_at: seconds ? startedAt : null,
      ended_at: call.outcome ? new Date(startedAt.getTime() + (seconds ?? 0) * 1000) : null,
      not_before: waitsUntil,
      due_at: waitsUntil,
      created_at: createdAt,
      updated_at: createdAt,
    }
  })

/** What an assistant over MCP asked for yesterday; it waits for whoever looks at the demo. */
export const callRequestRows = (
  { accountId, id, at }: Teller,
  prospects: readonly Prospect[],
  assistants: readonly AssistantStory[],
  requests: readonly CallRequestStory[],
  userId: string,
): Rows =>
  requests.map(({ assistant, with: slug, reason, data }, index) => {
    const { person, company, ...prospect } = findProspect(prospects, slug)
    const { timezone } = company
    const phoneNumber = person[4]!
    return {
      account_id: accountId,
      id: id('call request', slug),
      assistant_id: id('assistant', assistant),
      rep_id: id('rep', assistants.find(({ key }) => key === assistant)!.rep),
      prospect_id: prospect.id,
      call: {
        assistantId: id('assistant', assistant),
        name: fullNameOf(person),
        phoneNumber,
        timezone,
        data,
      },
      timezones: zonesToHeed({ phone: phoneNumber, timezone }),
      reason,
      requested_by_id: userId,
      requested_by_app: 'Sales helper (assistant.example)',
      created_at: minutesAfter(at(1, '16:00'), index),
    }
  })

/** Where the demo keeps the recording of a call; the server's own address comes before it once it is known. */
export const recordingPath = (callId: string): string => `/demo/recordings/${callId}.wav`

type Lines = NonNullable<CallStory['transcript']>

const LETTERS_A_SECOND = 14
const PAUSE_SECONDS = 0.8

/** When each line begins, at the pace of speech. */
export function timed(lines: Lines): { role: 'assistant' | 'person'; text: string; at: number }[] {
  let at = 0
  return lines.map(([role, text]) => {
    const line = { role, text, at: Math.round(at * 10) / 10 }
    at += text.length / LETTERS_A_SECOND + PAUSE_SECONDS
    return line
  })
}

/** How long a call lasted; null when it never came to that. */
export const secondsOf = ({ seconds, transcript }: CallStory): number | null =>
  transcript
    ? Math.ceil(transcript.reduce((sum, [, text]) => sum + text.length / LETTERS_A_SECOND + PAUSE_SECONDS, 0))
    : (seconds ?? null)
