import type { Output } from '../../../contract/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { toSentence } from '../../ui/sentence.ts'

export type Call = Output<'getCall'>

/** The number of the other side, and what to call them. */
export const getPhoneNumber = ({ callType, from, to }: Call): string =>
  callType === 'web' ? 'Website' : callType === 'inbound' ? from : to
export const getContactName = (call: Call): string => call.personName ?? getPhoneNumber(call)

const marks: Record<NonNullable<Call['status'] | Call['outcome']>, [words: string, tone: Tone]> = {
  queued: ['queued', 'neutral'],
  dialing: ['dialing', 'blue'],
  in_progress: ['in progress', 'blue'],
  ended: ['ended', 'neutral'],
  answered: ['answered', 'green'],
  voicemail: ['voicemail', 'neutral'],
  no_answer: ['no answer', 'neutral'],
  busy: ['busy', 'neutral'],
  failed: ['failed', 'red'],
  refused: ['refused', 'amber'],
  withdrawn: ['withdrawn', 'neutral'],
}

/** Where it stands; of one that ended, how. */
export function State({ call: { status = 'ended', outcome } }: { call: Pick<Call, 'status' | 'outcome'> }) {
  const [words, tone] = marks[outcome ?? status]
  return <Badge tone={tone}>{words}</Badge>
}

/** Sentences for the outcome reasons that are codes. */
const reasons: Record<string, string> = {
  do_not_contact: 'The person or the number is on Do Not Contact.',
  no_consent: 'Calls by an AI voice need consent there, and none is recorded.',
  no_calling_hours: 'Calling hours never overlap in the time zones of the number.',
  prospect_replied: 'The prospect replied before the call was placed.',
  prospect_paused: 'The prospect was paused before the call was placed.',
  prospect_opted_out: 'The prospect opted out before the call was placed.',
  campaign_paused: 'The campaign was paused before the call was placed.',
  steps_changed: 'The steps of the campaign changed, so the call is planned again.',
}

/** Returns why a call failed or was never placed, as a sentence; providers report fragments. */
export const toReason = (outcomeReason: string): string => reasons[outcomeReason] ?? toSentence(outcomeReason)

export const holds: Record<NonNullable<Call['heldBy']>, string> = {
  calling_hours: 'It is outside calling hours for this person.',
  on_the_phone: 'The person is on another call.',
  just_called: 'The number was called a moment ago.',
  daily_cap: 'The assistant’s number has reached its daily limit.',
  daily_cap_per_number: 'The number has reached its daily limit of calls received.',
  provider_busy: 'The voice provider asked to try again later.',
  window: 'It is outside the sending hours of the campaign.',
}
