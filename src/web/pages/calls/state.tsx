import type { Output } from '../../../contract/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

export type Call = Output<'getCall'>

/** The number of the other side, and what to call them. */
export const numberOf = ({ callType, from, to }: Call): string => (callType === 'inbound' ? from : to)
export const whoOf = (call: Call): string => call.personName ?? numberOf(call)

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

/** Why it was refused or taken back; other reasons come in words. */
export const reasons: Record<string, string> = {
  do_not_contact: 'The person or the number is on Do Not Contact.',
  no_consent: 'Law asks for consent to calls by an AI voice, and none is recorded.',
  no_calling_hours: 'No time is within calling hours in all zones of the number.',
  prospect_replied: 'They answered before they were dialed.',
  prospect_paused: 'They were paused before they were dialed.',
  prospect_opted_out: 'They opted out before they were dialed.',
  campaign_paused: 'The campaign was paused before they were dialed.',
  steps_changed: 'The steps of the campaign were changed; it is planned anew.',
}

export const holds: Record<NonNullable<Call['heldBy']>, string> = {
  calling_hours: 'for the calling hours of the person called',
  on_the_phone: 'until the person is off the phone',
  just_called: 'because this number was reached moments ago',
  daily_cap: 'because its number has called as often as it may in a day',
  daily_cap_per_number: 'because this number was called as often as it may be in a day',
  provider_busy: 'because the voice provider asked to be tried again later',
  window: 'for the hours of its campaign',
}
