import { findNextNewProspectAt, type NewProspectLimit } from '../campaigns/new-prospect-limit.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import type { SendQuota } from '../mailboxes/quota.ts'
import { type Clock, getDelayEnd, getDueTime, nextOpening } from './due-time.ts'

/** Facts that determine whether a step is held. Messages sent by hand have no delay and no schedule. */
export type HoldFacts = Clock & {
  /** True while the account has paused all sending. */
  isSendingPaused: boolean
  campaignStatus: string
  prospectStatus: string
  wait: { since: Date; delay: Delay } | undefined
  /** Set for a step that a person or an assistant performs, which needs no mailbox. */
  task?: TaskFacts | undefined
  /** A working mailbox of the prospect's rep; undefined when there is none. */
  mailboxId: string | undefined
  /** The time when the mailbox's circuit breaker lets the next attempt through. */
  mailboxWaitsUntil?: Date | null
  /** True if an email is yet to be written and lacks the postal address, which the law requires. */
  lacksPostalAddress?: boolean
  /** True when the inbox has not been synced for too long and may contain a reply to an earlier step. */
  isInboxStale: boolean
  /** Set for a prospect that has not been contacted yet. */
  newProspectLimit: NewProspectLimit | undefined
  /** The mailbox's quota; undefined for an email that already counts towards it. */
  quota: SendQuota | undefined
}

export type TaskFacts = {
  hasRep: boolean
  /** The time until which the step waits for the preceding LinkedIn invitation to be accepted. */
  acceptanceUntil: Date | undefined
}

/** The reason a step is held; `until` is absent when a person must resolve it. */
export type Hold = { reason: string; until?: Date }

export const limitHolds: readonly string[] = ['new_prospects_cap', 'daily_cap', 'gap']

/** Returns whether the step waits only for the schedule or a limit. Reasons that need a person are found before these. */
export const waitsForTime = (reason: string): boolean => reason === 'window' || limitHolds.includes(reason)

/**
 * Returns the reason that holds a step now, or undefined. Used when a step is planned, at the gate, and to show users
 * why a prospect is held. If there are several reasons, returns the first in this order: a status, the delay,
 * an absence, the mailbox or the task, a stale inbox, the schedule, a limit.
 */
export function findHold(facts: HoldFacts, now: Date): Hold | undefined {
  const { prospectStatus, campaignStatus, wait, awayUntil } = facts
  if (!['pending', 'active', 'out_of_office'].includes(prospectStatus))
    return { reason: `prospect_${prospectStatus}` }
  if (facts.isSendingPaused) return { reason: 'sending_paused' }
  if (campaignStatus !== 'active') return { reason: `campaign_${campaignStatus}` }
  // Not checked without a delay, because `since` may come from another clock and be slightly later than `now`.
  if (wait && wait.delay.amount > 0 && getDelayEnd(wait.since, wait.delay, facts) > now)
    return { reason: 'delay', until: getDueTime(wait.since, wait.delay, facts) }
  if (awayUntil && awayUntil > now)
    return { reason: 'out_of_office', until: nextOpening(awayUntil, facts) ?? awayUntil }
  const hold = facts.task ? findTaskHold(facts.task, now) : findMailboxHold(facts, now)
  if (hold) return hold
  if (facts.isInboxStale) return { reason: 'inbox_stale' }
  const opening = nextOpening(now, facts)
  if (!opening) return { reason: 'schedule_over' }
  if (opening > now) return { reason: 'window', until: opening }
  return findLimitHold(facts, now)
}

function findMailboxHold(
  { mailboxId, mailboxWaitsUntil, lacksPostalAddress }: HoldFacts,
  now: Date,
): Hold | undefined {
  if (!mailboxId) return { reason: 'no_working_mailbox' }
  if (lacksPostalAddress) return { reason: 'no_postal_address' }
  return mailboxWaitsUntil && mailboxWaitsUntil > now
    ? { reason: 'server_unavailable', until: mailboxWaitsUntil }
    : undefined
}

function findTaskHold({ hasRep, acceptanceUntil }: TaskFacts, now: Date): Hold | undefined {
  if (!hasRep) return { reason: 'no_rep' }
  return acceptanceUntil && acceptanceUntil > now
    ? { reason: 'not_accepted', until: acceptanceUntil }
    : undefined
}

function findLimitHold({ newProspectLimit, quota, ...clock }: HoldFacts, now: Date): Hold | undefined {
  const startsAt = newProspectLimit && findNextNewProspectAt(newProspectLimit, clock, now)
  if (startsAt) return { reason: 'new_prospects_cap', until: startsAt }
  if (quota?.capResetsAt) return { reason: 'daily_cap', until: quota.capResetsAt }
  return quota?.gapEndsAt && quota.gapEndsAt > now ? { reason: 'gap', until: quota.gapEndsAt } : undefined
}
