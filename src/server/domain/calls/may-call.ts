import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import type { ConsentKind } from '../people/consents/consents.ts'
import type { Hold as StepHold } from '../prospects/hold.ts'
import { nextCallableAt } from './calling-hours.ts'
import { missingConsent, policiesOf } from './country-policies.ts'

/** What is known of a call at the moment it is to be placed, and again once that is written down. */
export type CallFacts = {
  /** The number called, in E.164. */
  phone: string
  /** Where its owner is said to be, as an IANA name. */
  timezone: string | null
  /** Whether an entry of the Do Not Contact list matches the person or the number. */
  isOptedOut: boolean
  /** To marketing by an AI voice, in force. */
  consents: readonly ConsentKind[]
  /** Whether the same person or number is on the phone with an assistant of the account. */
  isOnThePhone: boolean
  /** When somebody last hung up at the number; null when nobody was reached there within 24 hours. */
  lastSpokenAt: Date | null
  /** When the number called from, and the number called, may be used again; null while they have not met their caps. */
  callerFullUntil: Date | null
  calledFullUntil: Date | null
  /** What holds the step of a campaign that it is. */
  stepHold: StepHold | undefined
}

export type CallDecision =
  | { kind: 'call' }
  /** Not now: what holds it, and when to look again. */
  | {
      kind: 'later'
      reason:
        | 'calling_hours'
        | 'on_the_phone'
        | 'just_called'
        | 'daily_cap'
        | 'daily_cap_per_number'
        | 'window'
      until: Date
    }
  /** Not as things stand with its campaign or prospect: the step is planned anew when they allow it. */
  | { kind: 'withdraw'; reason: string }
  /** Never: why, and what the caller can do about it. */
  | { kind: 'refuse'; reason: string; advice: string }

/** Only of its schedule it is told when that opens; whatever else holds a step is looked at where steps are planned. */
const isClosed = (hold: StepHold): hold is { reason: 'window'; until: Date } => hold.reason === 'window'

const LOOK_AGAIN_MS = 60_000
/** Between two calls: providers tell only some time after the end that somebody wants no more of them. */
const REST_MS = 5 * 60_000

/**
 * The rule of who is called now: facts in, decision out. What forbids the call comes before what only delays it, and a
 * delay ends within calling hours.
 */
export function mayCall(facts: CallFacts, now: Date): CallDecision {
  if (facts.isOptedOut) {
    return {
      kind: 'refuse',
      reason: 'do_not_contact',
      advice: 'The person or the number is on the Do Not Contact list. Nobody on it is called.',
    }
  }
  const { stepHold } = facts
  if (stepHold && !isClosed(stepHold)) return { kind: 'withdraw', reason: stepHold.reason }
  const missing = missingConsent(policiesOf(findPhoneCountries(facts.phone)), facts.consents)
  if (missing) {
    return {
      kind: 'refuse',
      reason: 'no_consent',
      advice: `The law of the number's country asks for consent before an AI voice calls, and none is recorded for it that is ${wordsOf(missing)}. Record it with its proof (POST /v1/consents), then start the call again.`,
    }
  }
  const hold = findHold(facts, now)
  const callableAt = nextCallableAt(facts, hold?.until ?? now)
  if (!callableAt) {
    return {
      kind: 'refuse',
      reason: 'no_calling_hours',
      advice:
        'There is no time at which it is within calling hours in all zones of the number and in the one given. Start the call again with a zone that fits the number.',
    }
  }
  if (hold) return { kind: 'later', reason: hold.reason, until: callableAt }
  return callableAt > now ? { kind: 'later', reason: 'calling_hours', until: callableAt } : { kind: 'call' }
}

type Hold = Pick<Extract<CallDecision, { kind: 'later' }>, 'reason' | 'until'>

function findHold(facts: CallFacts, now: Date): Hold | undefined {
  const { isOnThePhone, lastSpokenAt, callerFullUntil, calledFullUntil, stepHold } = facts
  if (stepHold && isClosed(stepHold)) return stepHold
  if (calledFullUntil && calledFullUntil > now)
    return { reason: 'daily_cap_per_number', until: calledFullUntil }
  if (callerFullUntil && callerFullUntil > now) return { reason: 'daily_cap', until: callerFullUntil }
  if (isOnThePhone) return { reason: 'on_the_phone', until: new Date(now.getTime() + LOOK_AGAIN_MS) }
  const restedAt = new Date((lastSpokenAt?.getTime() ?? 0) + REST_MS)
  return restedAt > now ? { reason: 'just_called', until: restedAt } : undefined
}

const wordsOf = (kinds: readonly ConsentKind[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(
    kinds.map(kind => (kind === 'existing_relationship' ? 'of an existing relationship' : kind)),
  )
