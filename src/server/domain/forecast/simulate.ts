import type { Schedule } from '../../../contract/schedule.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { Heap } from '../../kernel/heap.ts'
import { addStarted, countNewProspectsLeft, type NewProspectLimit } from '../campaigns/new-prospect-limit.ts'
import type { StepChannel } from '../campaigns/parse-steps.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import { type Clock, getDueTime, nextOpening } from '../prospects/due-time.ts'
import { findHold, type Hold } from '../prospects/hold.ts'
import { findLongestBlock } from './find-longest-block.ts'
import type { SimulatedMailbox } from './simulated-mailbox.ts'

export type SimulatedCampaign = {
  id: string
  schedule: Schedule | null
  accountTimezone: string
  newProspectLimit: NewProspectLimit
  steps: { id: string; channel: StepChannel; delay: Delay }[]
  /** The working mailboxes of the campaign's reps. */
  mailboxes: SimulatedMailbox[]
}

/** Similar prospects of a campaign; times are in milliseconds. */
export type Cohort = {
  campaign: SimulatedCampaign
  /** Null until the first email. A failing mailbox is not among the campaign's mailboxes. */
  mailboxId: string | null
  /** Index of the next step. */
  step: number
  zone: string | null
  isNew: boolean
  hasEmail: boolean
  dueAt: number
  count: number
}

/** A step that prospects of a cohort complete at a simulated time; `mailboxId` is the sender of an email. */
export type CompletedStep = { cohort: Cohort; at: number; count: number; mailboxId: string | undefined }

/** A cohort in a queue; `since` is when it would have been served without limits, on average. */
type Entry = Cohort & { since: number; id: string; order: number }

/**
 * Prospects with the same dispatch key. Like `claimDueProspects`, the simulation serves them in the order of their due
 * times, a few of each queue in turn.
 */
type Queue = {
  campaign: SimulatedCampaign
  /** True for prospects without a mailbox. */
  isOpen: boolean
  senders: SimulatedMailbox[]
  cohorts: Heap<Entry>
  byId: Map<string, Entry>
  blockedUntil: number
  /** The time for which each limit has blocked the queue so far. */
  blockedMs: Map<string, number>
  turn: number
  wakeAt: number
  version: number
}

/** Bounds the work between two yields to the event loop. */
const MAX_DISPATCHES = 50
const MAX_POSTPONED = 2_000

/** The time at which a queue is served again. Queues with the same time take turns in rounds. */
type Wake = { at: number; round: number; headDueAt: number; queue: Queue; version: number }

export type Outcome = {
  /** Waits of each campaign's emails, beyond windows and delays. */
  waits: { campaign: SimulatedCampaign; reason: string; count: number; waitMs: number }[]
  /** Cohorts that are left at the end, or can't continue, with the reason. */
  left: { cohort: Cohort; reason: string | undefined }[]
}

/**
 * Simulates campaigns that share mailboxes. Stops at `end`, or when `isEnough` returns true. Applies `findHold`, as the
 * engine does, but to cohorts instead of prospects. Yields to the event loop.
 */
export async function simulate(
  { cohorts, queued }: { cohorts: readonly Cohort[]; queued: readonly CompletedStep[] },
  {
    start,
    end,
    onDone,
    isEnough = () => false,
  }: { start: number; end: number; onDone: (done: CompletedStep) => void; isEnough?: () => boolean },
): Promise<Outcome> {
  const queues = new Map<string, Queue>()
  const wakes = new Heap<Wake>((a, b) => compareWakes(a, b) < 0)
  const waits = new Map<string, Outcome['waits'][number]>()
  const left: Outcome['left'] = []
  let nextOrder = 0

  function getQueue({ campaign, mailboxId, isNew }: Cohort): Queue {
    return queues.getOrInsertComputed(`${campaign.id} ${mailboxId ?? isNew}`, () => ({
      campaign,
      isOpen: mailboxId === null,
      senders: mailboxId ? campaign.mailboxes.filter(({ id }) => id === mailboxId) : campaign.mailboxes,
      cohorts: new Heap<Entry>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)),
      byId: new Map(),
      ...{ blockedUntil: start, blockedMs: new Map() },
      ...{ turn: 0, wakeAt: Number.POSITIVE_INFINITY, version: 0 },
    }))
  }

  function add(cohort: Cohort, since = Math.max(cohort.dueAt, start)): void {
    const queue = getQueue(cohort)
    const { step, zone, isNew, hasEmail, dueAt, count } = cohort
    const id = [step, zone, isNew, hasEmail, dueAt].join(' ')
    const existing = queue.byId.get(id)
    if (existing) {
      existing.since = (existing.since * existing.count + since * count) / (existing.count + count)
      existing.count += count
      return
    }
    const waiting = { ...cohort, since, id, order: nextOrder++ }
    queue.byId.set(id, waiting)
    queue.cohorts.push(waiting)
    if (Math.max(dueAt, queue.blockedUntil) < queue.wakeAt) wake(queue, 0)
  }

  function wake(queue: Queue, round: number): void {
    const head = queue.cohorts.peek()
    queue.version++
    queue.wakeAt = head ? Math.max(head.dueAt, queue.blockedUntil) : Number.POSITIVE_INFINITY
    if (head) wakes.push({ at: queue.wakeAt, round, headDueAt: head.dueAt, queue, version: queue.version })
  }

  function removeHead(queue: Queue): Entry {
    const head = queue.cohorts.pop()!
    queue.byId.delete(head.id)
    return head
  }

  /** Serves the queue's share of this round. */
  function serve(queue: Queue, at: number, round: number): void {
    let share = queue.senders.reduce((sum, { claimSize }) => sum + claimSize, 0) || 1
    for (let nth = 0; nth < MAX_DISPATCHES && share > 0; nth++) {
      const head = queue.cohorts.peek()
      if (!head || head.dueAt > at) break
      const hold = dispatch(queue, head, at, share)
      if (typeof hold === 'number') share -= hold
      else if (!hold.until) left.push({ cohort: removeHead(queue), reason: hold.reason })
      else {
        if (hold.reason === 'window') postponeClosed(queue, at)
        else block(queue, at, hold.reason, hold.until.getTime())
        break
      }
    }
    const head = queue.cohorts.peek()
    wake(queue, head && Math.max(head.dueAt, queue.blockedUntil) <= at ? round + 1 : 0)
  }

  function block(queue: Queue, at: number, reason: string, until: number): void {
    queue.blockedUntil = until
    queue.blockedMs.set(reason, (queue.blockedMs.get(reason) ?? 0) + until - at)
  }

  /** Takes the next step of up to `max` prospects at the queue's head. Returns their number, or the hold that ends first. */
  function dispatch(queue: Queue, head: Entry, at: number, max: number): number | Hold {
    const { campaign, senders } = queue
    const now = new Date(at)
    const clock = toClock(head)
    const isEmail = campaign.steps[head.step]!.channel === 'email'
    if (isEmail && !head.hasEmail) return removeHead(queue).count
    const limit =
      head.isNew && campaign.newProspectLimit.perDay !== null ? campaign.newProspectLimit : undefined
    const first = queue.turn++ % Math.max(1, senders.length)
    const candidates = isEmail ? [...senders.slice(first), ...senders.slice(0, first)] : []
    const check = (mailbox: SimulatedMailbox | undefined) =>
      findHold(toHoldFacts(clock, { isEmail, mailbox, limit, at }), now)
    const checked = (candidates.length > 0 ? candidates : [undefined]).map(mailbox => ({
      mailbox,
      hold: check(mailbox),
    }))
    const freeMailboxes = checked.filter(({ hold }) => !hold)
    if (freeMailboxes.length === 0)
      return findFirstHold(checked.map(({ hold, mailbox }) => distinguishWarmUp(hold!, mailbox, at)))
    const startable = limit ? countNewProspectsLeft(limit, clock, now) : Number.POSITIVE_INFINITY
    const total = Math.min(max, head.count, startable)
    let done = 0
    for (const [index, { mailbox }] of freeMailboxes.entries()) {
      const share = Math.ceil((total - done) / (freeMailboxes.length - index))
      const count = Math.min(share, mailbox?.getQuota(at).remaining ?? share)
      if (count > 0) finish(queue, head, { at, count, mailbox, clock })
      done += count
    }
    if (limit) campaign.newProspectLimit = addStarted(limit, done, clock, now)
    if (head.count === 0) removeHead(queue)
    return done
  }

  function finish(
    queue: Queue,
    head: Entry,
    {
      at,
      count,
      mailbox,
      clock,
    }: { at: number; count: number; mailbox: SimulatedMailbox | undefined; clock: Clock },
  ): void {
    mailbox?.send(at, count)
    head.count -= count
    const { campaign } = queue
    const reason = findLongestBlock(queue.blockedMs)
    if (reason && at > head.since && mailbox) {
      const id = `${campaign.id} ${reason}`
      const wait = waits.getOrInsert(id, { campaign, reason, count: 0, waitMs: 0 })
      wait.count += count
      wait.waitMs += count * (at - head.since)
    }
    advance({ cohort: head, at, count, mailboxId: mailbox?.id }, clock)
  }

  function advance(done: CompletedStep, clock: Clock): void {
    onDone(done)
    const { cohort, at, count, mailboxId } = done
    const { campaign, step, zone, hasEmail } = cohort
    const next = campaign.steps[step + 1]
    if (!next) return
    const dueAt = getDueTime(new Date(at), next.delay, clock).getTime()
    const nextCohort = { campaign, zone, hasEmail, mailboxId: mailboxId ?? cohort.mailboxId }
    add({ ...nextCohort, step: step + 1, isNew: false, dueAt, count })
  }

  /** Postpones the queue's due prospects whose window is closed until the window opens, as the engine does. */
  function postponeClosed(queue: Queue, at: number): void {
    const openings = new Map<string | null, number>()
    const due: Entry[] = []
    while (due.length < MAX_POSTPONED && (queue.cohorts.peek()?.dueAt ?? Number.POSITIVE_INFINITY) <= at)
      due.push(removeHead(queue))
    for (const waiting of due) {
      const { since, id: _, order: __, ...cohort } = waiting
      const opening = openings.getOrInsertComputed(
        cohort.zone,
        () => nextOpening(new Date(at), toClock(cohort))?.getTime() ?? at,
      )
      add({ ...cohort, dueAt: opening > at ? opening : cohort.dueAt }, since < at ? since : opening)
    }
  }

  const yieldIfDue = createYielder()
  for (const cohort of cohorts) {
    await yieldIfDue()
    add(cohort)
  }
  for (const done of queued) advance(done, toClock(done.cohort))
  for (let next = wakes.pop(); next && next.at <= end && !isEnough(); next = wakes.pop()) {
    if (next.version !== next.queue.version) continue
    await yieldIfDue()
    serve(next.queue, next.at, next.round)
  }
  for (const { cohorts } of queues.values())
    for (let cohort = cohorts.pop(); cohort; cohort = cohorts.pop()) left.push({ cohort, reason: undefined })
  return { waits: [...waits.values()], left }
}

/** Orders queues. Contacted prospects precede new ones, as they mostly do in the engine, which orders them by ID. */
const compareWakes = (a: Wake, b: Wake): number =>
  a.at - b.at ||
  a.round - b.round ||
  Number(a.queue.isOpen) - Number(b.queue.isOpen) ||
  a.headDueAt - b.headDueAt

export const toClock = ({ zone, campaign: { schedule, accountTimezone } }: Cohort): Clock => ({
  ...{ timezone: zone, phone: null, country: null, awayUntil: null },
  ...{ schedule, accountTimezone },
})

const toHoldFacts = (
  clock: Clock,
  {
    isEmail,
    mailbox,
    limit,
    at,
  }: {
    isEmail: boolean
    mailbox: SimulatedMailbox | undefined
    limit: NewProspectLimit | undefined
    at: number
  },
) => ({
  ...clock,
  ...{ isSendingPaused: false, campaignStatus: 'active', prospectStatus: 'active', wait: undefined },
  ...{ isInboxStale: false, newProspectLimit: limit },
  task: isEmail ? undefined : { hasRep: true, acceptanceUntil: undefined },
  mailboxId: mailbox?.id,
  quota: mailbox?.getQuota(at),
})

/** Reports a cap that is still rising as `warm_up` instead of `daily_cap`. */
const distinguishWarmUp = (hold: Hold, mailbox: SimulatedMailbox | undefined, at: number): Hold =>
  hold.reason === 'daily_cap' && mailbox?.isWarmingUp(at) ? { ...hold, reason: 'warm_up' } : hold

/** Returns the hold that ends first; a hold without an end only if no hold has one. */
const findFirstHold = (holds: Hold[]): Hold =>
  holds.reduce((first, hold) => (hold.until && (!first.until || hold.until < first.until) ? hold : first))
