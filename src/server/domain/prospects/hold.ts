import { beginsAgain, type Newcomers } from '../campaigns/new-prospect-limit.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import type { Room } from '../mailboxes/quota.ts'
import { type Clock, dueAfter, endOfDelay, nextOpening } from './due-time.ts'

/** What may hold a step back; of what a person sends by hand there is no delay and no schedule. */
export type HoldFacts = Clock & {
  campaignStatus: string
  prospectStatus: string
  wait: { since: Date; delay: Delay } | undefined
  /** Set for a step that a person or an assistant does, for which no mailbox is needed. */
  task?: TaskFacts | undefined
  /** A mailbox of the prospect's rep that works; undefined when there is none. */
  mailboxId: string | undefined
  /** Its server is away, and is not asked again before. */
  mailboxWaitsUntil?: Date | null
  /** Of an email that is still to be written: the law asks for one below it. */
  lacksPostalAddress?: boolean
  /** A reply to an earlier step may wait where nobody has looked for too long. */
  isInboxStale: boolean
  /** Of the campaign, for a prospect that has not begun. */
  newcomers: Newcomers | undefined
  /** Of the mailbox; undefined for a mail that has its place already. */
  room: Room | undefined
}

export type TaskFacts = {
  hasRep: boolean
  /** The invitation before it is not accepted yet, and it waits for that until then. */
  acceptanceUntil: Date | undefined
}

/** `until` is absent when the end of it depends on somebody. */
export type Hold = { reason: string; until?: Date }

/**
 * The one rule of when a step may go out: for the engine that plans it, at the gate, and for who asks why it doesn't.
 * What a person has to do something about comes before what passes by itself.
 */
export function holdOf(facts: HoldFacts, now: Date): Hold | undefined {
  const { prospectStatus, campaignStatus, wait, awayUntil } = facts
  if (!['pending', 'active', 'out_of_office'].includes(prospectStatus))
    return { reason: `prospect_${prospectStatus}` }
  if (campaignStatus !== 'active') return { reason: `campaign_${campaignStatus}` }
  // Without a delay nothing is compared: the clock that noted the start may be another one.
  if (wait && wait.delay.amount > 0 && endOfDelay(wait.since, wait.delay, facts) > now)
    return { reason: 'delay', until: dueAfter(wait.since, wait.delay, facts) }
  if (awayUntil && awayUntil > now)
    return { reason: 'out_of_office', until: nextOpening(awayUntil, facts) ?? awayUntil }
  const obstacle = facts.task ? taskHold(facts.task, now) : mailboxHold(facts, now)
  if (obstacle) return obstacle
  if (facts.isInboxStale) return { reason: 'inbox_stale' }
  const opening = nextOpening(now, facts)
  if (!opening) return { reason: 'schedule_over' }
  if (opening > now) return { reason: 'window', until: opening }
  return limitOf(facts, now)
}

function mailboxHold(
  { mailboxId, mailboxWaitsUntil, lacksPostalAddress }: HoldFacts,
  now: Date,
): Hold | undefined {
  if (!mailboxId) return { reason: 'no_working_mailbox' }
  if (lacksPostalAddress) return { reason: 'no_postal_address' }
  return mailboxWaitsUntil && mailboxWaitsUntil > now
    ? { reason: 'mailbox_waits', until: mailboxWaitsUntil }
    : undefined
}

function taskHold({ hasRep, acceptanceUntil }: TaskFacts, now: Date): Hold | undefined {
  if (!hasRep) return { reason: 'no_rep' }
  return acceptanceUntil && acceptanceUntil > now
    ? { reason: 'not_accepted', until: acceptanceUntil }
    : undefined
}

function limitOf({ newcomers, room, ...clock }: HoldFacts, now: Date): Hold | undefined {
  const begins = newcomers && beginsAgain(newcomers, clock, now)
  if (begins) return { reason: 'new_prospects_cap', until: begins }
  if (room?.fullUntil) return { reason: 'daily_cap', until: room.fullUntil }
  return room?.restsUntil && room.restsUntil > now ? { reason: 'gap', until: room.restsUntil } : undefined
}
