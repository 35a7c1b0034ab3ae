import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import type { ConsentKind } from '../people/consents/consents.ts'
import type { Hold as StepHold } from '../prospects/hold.ts'
import { nextCallableAt } from './calling-hours.ts'
import { findMissingConsent, findPolicies } from './country-policies.ts'

/** The facts about a call when it is about to be placed. */
export type CallFacts = {
  /** The number called, in E.164. */
  phone: string
  /** The callee's IANA time zone, when known. */
  timezone: string | null
  /** True when a Do Not Contact entry matches the person or the number. */
  isOptedOut: boolean
  /** True for the call of a campaign step. */
  isStep: boolean
  /** Kinds of consent to AI marketing calls currently in force. */
  consents: readonly ConsentKind[]
  /** True while an assistant of the account is in another call with the same person or number. */
  isOnThePhone: boolean
  /** End of the last answered call to the number within 24 hours; null if there was none. */
  lastSpokenAt: Date | null
  /**
   * The times at which the daily caps of the caller’s and the callee’s number allow the next call; null below the cap.
   */
  callerCapResetsAt: Date | null
  calleeCapResetsAt: Date | null
  /** True while the account has paused all sending. */
  isSendingPaused: boolean
  /** The reason the campaign step of this call is on hold. */
  stepHold: StepHold | undefined
}

export type CallDecision =
  | { kind: 'call' }
  /** Not now; check again at `until`. */
  | {
      kind: 'later'
      reason:
        | 'sending_paused'
        | 'calling_hours'
        | 'on_the_phone'
        | 'just_called'
        | 'daily_cap'
        | 'daily_cap_per_number'
        | 'window'
      until: Date
    }
  /** The campaign or prospect does not allow the step now. The step is planned again once they do. */
  | { kind: 'withdraw'; reason: string }
  /** Never; `advice` says what the user can do. */
  | { kind: 'refuse'; reason: string; advice: string }

/**
 * Returns whether the hold is a closed sending window: the call waits until it opens. All other holds withdraw the
 * call, and step planning checks them again.
 */
const isClosed = (hold: StepHold): hold is { reason: 'window'; until: Date } => hold.reason === 'window'

const RECHECK_MS = 60_000
/** Minimum pause between two calls: providers report an opt-out some time after the call. */
const MIN_PAUSE_MS = 5 * 60_000

/**
 * Decides whether a call may be placed now. Pure. Refusals take precedence over delays, and a delay ends within
 * calling hours.
 */
export function mayCall(facts: CallFacts, now: Date): CallDecision {
  if (facts.isOptedOut) {
    const reason = 'do_not_contact'
    if (facts.isStep) return { kind: 'withdraw', reason }
    return {
      kind: 'refuse',
      reason,
      advice: 'The person or the number is on the Do Not Contact list, so the call is not placed.',
    }
  }
  if (facts.isSendingPaused)
    return { kind: 'later', reason: 'sending_paused', until: new Date(now.getTime() + RECHECK_MS) }
  const { stepHold } = facts
  if (stepHold && !isClosed(stepHold)) return { kind: 'withdraw', reason: stepHold.reason }
  const missing = findMissingConsent(findPolicies(findPhoneCountries(facts.phone)), facts.consents)
  if (missing) {
    return {
      kind: 'refuse',
      reason: 'no_consent',
      advice: `The law of the number's country requires consent before an AI voice calls: ${formatConsentKinds(missing)}. None is recorded. Record the consent with its proof under Calls → Consents or with recordConsent, then start the call again.`,
    }
  }
  const delay = findDelay(facts, now)
  const callableAt = nextCallableAt(facts, delay?.until ?? now)
  if (!callableAt) {
    return {
      kind: 'refuse',
      reason: 'no_calling_hours',
      advice:
        'Calling hours never overlap in the time zones of the number and of the callee. Start the call again with a time zone that fits the number.',
    }
  }
  if (delay) return { kind: 'later', reason: delay.reason, until: callableAt }
  return callableAt > now ? { kind: 'later', reason: 'calling_hours', until: callableAt } : { kind: 'call' }
}

type Delay = Pick<Extract<CallDecision, { kind: 'later' }>, 'reason' | 'until'>

function findDelay(facts: CallFacts, now: Date): Delay | undefined {
  const { isOnThePhone, lastSpokenAt, callerCapResetsAt, calleeCapResetsAt, stepHold } = facts
  if (stepHold && isClosed(stepHold)) return stepHold
  if (calleeCapResetsAt && calleeCapResetsAt > now)
    return { reason: 'daily_cap_per_number', until: calleeCapResetsAt }
  if (callerCapResetsAt && callerCapResetsAt > now) return { reason: 'daily_cap', until: callerCapResetsAt }
  if (isOnThePhone) return { reason: 'on_the_phone', until: new Date(now.getTime() + RECHECK_MS) }
  const pauseEndsAt = new Date((lastSpokenAt?.getTime() ?? 0) + MIN_PAUSE_MS)
  return pauseEndsAt > now ? { reason: 'just_called', until: pauseEndsAt } : undefined
}

const formatConsentKinds = (kinds: readonly ConsentKind[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(
    kinds.map(kind => (kind === 'existing_relationship' ? 'an existing relationship' : kind)),
  )
