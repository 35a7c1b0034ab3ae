import { findApplicableZones } from '../../server/domain/calls/calling-hours.ts'
import { json } from '../../server/kernel/db/sql.ts'
import type { SeedAssistant, SeedCall, SeedCallRequest } from '../data/calls.ts'
import { findProspect, getEmail, getFullName, type SeedProspect } from './prospects.ts'
import { addMinutes, type Rows, type SeedContext } from './seed-context.ts'
import { buildSteps } from './steps.ts'

export const assistantRows = (
  { accountId, id, at }: SeedContext,
  assistants: readonly SeedAssistant[],
): Rows =>
  assistants.map((assistant, index) => ({
    account_id: accountId,
    id: id('assistant', assistant.key),
    name: assistant.name,
    rep_id: id('rep', assistant.rep),
    from_number: assistant.number,
    first_message: assistant.firstMessage,
    created_at: addMinutes(at(60), index),
    updated_at: addMinutes(at(60), index),
  }))

export const callRows = (
  seed: SeedContext,
  prospects: readonly SeedProspect[],
  assistants: readonly SeedAssistant[],
  calls: readonly SeedCall[],
): Rows =>
  calls.map((call, index) => {
    const { accountId, id, at } = seed
    const assistant = assistants.find(({ key }) => key === call.assistant)!
    const prospect = findProspect(prospects, call.with, call.campaign)
    const ownNumber = assistant.number
    const personNumber = call.type === 'web' ? 'web' : prospect.person[4]!
    const startedAt = at(...call.at)
    const seconds = getDurationSeconds(call)
    const dueAt = call.outcome ? null : at(-1, '10:00')
    const createdAt = call.outcome ? startedAt : at(1, '17:00')
    return {
      account_id: accountId,
      id: id('call', String(index)),
      assistant_id: id('assistant', assistant.key),
      rep_id: id('rep', assistant.rep),
      prospect_id: prospect.id,
      campaign_id: call.campaign ? id('campaign', call.campaign) : null,
      step_id: call.campaign
        ? buildSteps(seed, prospect.campaign).find(({ channel }) => channel === 'call')!.id
        : null,
      attempt: call.attempt ?? null,
      on_answered: call.campaign ? 'stop' : null,
      recording_url: call.isRecorded ? getRecordingPath(id('call', String(index))) : null,
      from_number: call.type === 'outbound' ? ownNumber : personNumber,
      to_number: call.type === 'outbound' ? personNumber : ownNumber,
      call_type: call.type,
      status: call.outcome ? 'ended' : 'queued',
      outcome: call.outcome ?? null,
      outcome_reason: call.reason ?? null,
      person_name: getFullName(prospect.person),
      person_email: getEmail(prospect),
      person_timezone: prospect.company.timezone,
      duration_seconds: seconds,
      summary: call.summary ?? null,
      transcript: call.transcript ? json(toTranscript(call.transcript)) : null,
      started_at: seconds ? startedAt : null,
      ended_at: call.outcome ? new Date(startedAt.getTime() + (seconds ?? 0) * 1000) : null,
      not_before: dueAt,
      due_at: dueAt,
      created_at: createdAt,
      updated_at: createdAt,
    }
  })

/** Returns call requests that an MCP client made yesterday and that nobody has approved yet. */
export const callRequestRows = (
  { accountId, id, at }: SeedContext,
  prospects: readonly SeedProspect[],
  assistants: readonly SeedAssistant[],
  requests: readonly SeedCallRequest[],
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
      person_id: prospect.personId,
      call: {
        assistantId: id('assistant', assistant),
        name: getFullName(person),
        phoneNumber,
        timezone,
        data,
      },
      timezones: findApplicableZones({ phone: phoneNumber, timezone }),
      reason,
      requested_by_id: userId,
      requested_by_app: 'Sales assistant (assistant.example)',
      created_at: addMinutes(at(1, '16:00'), index),
    }
  })

/** Returns the path of a call's recording; the server's origin is added when the demo starts. */
export const getRecordingPath = (callId: string): string => `/demo/recordings/${callId}.wav`

type Lines = NonNullable<SeedCall['transcript']>

const CHARACTERS_PER_SECOND = 14
const PAUSE_SECONDS = 0.8

/** Returns the transcript with the second at which each line begins, at the pace of speech. */
export function toTranscript(lines: Lines): { role: 'assistant' | 'person'; text: string; at: number }[] {
  let at = 0
  return lines.map(([role, text]) => {
    const line = { role, text, at: Math.round(at * 10) / 10 }
    at += text.length / CHARACTERS_PER_SECOND + PAUSE_SECONDS
    return line
  })
}

/** Returns the duration of a call; null while it is queued. */
export const getDurationSeconds = ({ seconds, transcript }: SeedCall): number | null =>
  transcript
    ? Math.ceil(
        transcript.reduce((sum, [, text]) => sum + text.length / CHARACTERS_PER_SECOND + PAUSE_SECONDS, 0),
      )
    : (seconds ?? null)
