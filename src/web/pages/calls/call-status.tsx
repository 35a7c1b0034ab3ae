import type { Output } from '../../../contract/index.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { toSentence } from '../../ui/sentence.ts'

export type Call = Output<'getCall'>

/** Returns the contact's phone number, or `Website` for a web call. */
export const getPhoneNumber = ({ callType, from, to }: Call): string =>
  callType === 'web' ? 'Website' : callType === 'inbound' ? from : to

/** Returns the number on our side; undefined when unknown, as for calls that someone logged. */
export function getOwnNumber({ callType, from, to }: Call): string | undefined {
  const number = callType === 'outbound' ? from : to
  return number === 'unknown' ? undefined : number
}

/** Returns the contact's name, or their phone number when unknown. */
export const getContactName = (call: Call): string => call.personName ?? getPhoneNumber(call)

const badges: Record<NonNullable<Call['status'] | Call['outcome']>, [label: string, tone: Tone]> = {
  queued: ['Queued', 'neutral'],
  dialing: ['Dialing', 'blue'],
  in_progress: ['In progress', 'blue'],
  ended: ['Ended', 'neutral'],
  answered: ['Answered', 'green'],
  voicemail: ['Voicemail', 'neutral'],
  no_answer: ['No answer', 'neutral'],
  busy: ['Busy', 'neutral'],
  failed: ['Failed', 'red'],
  refused: ['Refused', 'amber'],
  withdrawn: ['Cancelled', 'neutral'],
}

/** Labels of statuses and outcomes. */
export const statusLabels = Object.fromEntries(
  Object.entries(badges).map(([status, [label]]) => [status, label]),
) as Record<keyof typeof badges, string>

/** Shows the status of a call or, once ended, its outcome. */
export function CallStatusBadge({
  call: { status = 'ended', outcome },
}: {
  call: Pick<Call, 'status' | 'outcome'>
}) {
  const [label, tone] = badges[outcome ?? status]
  return <Badge tone={tone}>{label}</Badge>
}

/** Sentences for outcome reasons that are codes. */
const reasons: Record<string, string> = {
  do_not_contact: 'The person or the number is on the Do Not Contact list.',
  no_consent: 'The country requires consent to calls by an AI voice, and none is recorded.',
  no_calling_hours: 'Calling hours don’t overlap across the number’s time zones.',
  prospect_replied: 'The prospect replied before the call was placed.',
  prospect_stopped: 'The prospect was stopped before the call was placed.',
  prospect_paused: 'The prospect was paused before the call was placed.',
  prospect_opted_out: 'The prospect opted out before the call was placed.',
  prospect_bounced: 'An email to the prospect bounced before the call was placed.',
  prospect_failed: 'A step failed for the prospect before the call was placed.',
  out_of_office: 'The prospect is out of office, so the call will be rescheduled.',
  inbox_stale: 'The mailbox couldn’t be checked for replies, so the call will be rescheduled.',
  cancelled: 'Someone cancelled the call before it was placed.',
  campaign_paused: 'The campaign was paused before the call was placed.',
  campaign_completed: 'The campaign was completed before the call was placed.',
  schedule_over: 'The campaign’s schedule ended before the call was placed.',
  steps_changed: 'The campaign’s steps changed, so the call will be rescheduled.',
  number_changed: 'The person’s phone number changed before the call was placed.',
  unconfirmed: 'The call may have taken place: the voice provider didn’t report how it ended.',
}

/** Returns why a call failed or was never placed, as a sentence; providers report fragments. */
export const formatReason = (outcomeReason: string): string =>
  reasons[outcomeReason] ?? toSentence(outcomeReason)

/** Reasons for holding a queued call. */
export const holdReasons: Record<NonNullable<Call['heldBy']>, string> = {
  sending_paused: 'All sending is paused.',
  calling_hours: 'It is outside calling hours for this person.',
  on_the_phone: 'The person is on another call.',
  just_called: 'The number was called a moment ago.',
  daily_cap: 'The assistant’s number has reached its daily limit.',
  daily_cap_per_number: 'The recipient’s number has reached its daily limit.',
  provider_busy: 'The voice provider is busy. Overture will try again.',
  window: 'It is outside the campaign’s sending hours.',
  scheduled: 'It is scheduled for later.',
}
