import { setCampaignHealth } from '../../domain/campaigns/change-status.ts'
import { beginNobodyBefore } from '../../domain/campaigns/new-prospect-limit.ts'
import { markFull } from '../../domain/mailboxes/quota.ts'
import { findOptOutOfEach } from '../../domain/people/opt-outs/opted-out.ts'
import { postponeStep, releaseClaim, stopProspect } from '../../domain/prospects/advance-prospects.ts'
import type { ClaimedProspect } from '../../domain/prospects/claim-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { isStale } from '../../domain/prospects/inbox-freshness.ts'
import { postponeClosed } from '../../domain/prospects/reschedule.ts'
import { waitOf } from '../../domain/prospects/task-facts.ts'
import { readStepFacts, type StepFacts } from '../../domain/rendering/step-facts.ts'
import { createSemaphore } from '../../kernel/async/semaphore.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import { currentAccount, retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { type Decision, maySend } from '../attempt/may-send.ts'
import { countTaken, type Limits, lockLimits } from './quota.ts'
import { type DueCall, writeCalls } from './write-calls.ts'
import { type ClaimedMail, type DueMail, writeMails } from './write-mails.ts'
import { type DueTask, writeTasks } from './write-tasks.ts'

const LATER_MS = 60_000
/** Nobody but a person ends it, and whoever does makes everything due anew. */
const MUCH_LATER_MS = 24 * 3_600_000

/** What holds a campaign up, in words for its people. */
const healthOf: Record<string, string> = {
  no_rep: 'It has no rep who could do its tasks. Name one.',
  no_working_mailbox: 'No rep of this campaign has a working mailbox. Verify one, or add one.',
  no_postal_address: 'The account has no postal address. Give it one.',
  inbox_stale:
    'Replies to this campaign could not be read for a while, so its follow-ups wait. The mailboxes say what is wrong.',
  schedule_over: 'The last date of its schedule has passed. Give it a later one, or none.',
}

/**
 * The due step of a claimed prospect becomes a message on its way, a call or a task, or the prospect learns why not; one transaction for
 * those of an account that are planned together. Nothing of it is seen by anyone outside: the sending is another's work,
 * or the caller's, for whom the mail is claimed when they take it (`sendsAtOnce`) and its mailbox is free.
 */
export async function planStep(
  app: App,
  claim: ClaimedProspect,
  { sendsAtOnce = false } = {},
): Promise<ClaimedMail | undefined> {
  await failpoint('plan.began', claim.id)
  const mail = await planning.run({ app, claim, sendsAtOnce })
  await failpoint('plan.committed', claim.id)
  return mail
}

/** Batcher of one account: how many mails a second leave is how fast they are planned. */
const AT_ONCE = 2

/** Of all accounts, so that sends find a connection, too. */
const someAtOnce = createSemaphore(4)

type Asked = { app: App; claim: ClaimedProspect; sendsAtOnce: boolean }

const planning = new Batcher<Asked, ClaimedMail | undefined>(
  async asked => {
    const [{ app, claim }] = asked
    const { accountId } = claim
    const takers = new Set(asked.flatMap(each => (each.sendsAtOnce ? each.claim.id : [])))
    // It locks the prospects before the threads, which a reply that comes in locks first.
    const plan = async (tx: Sql) => {
      const batch: Planning = {
        ...{ app, tx, accountId, now: app.now(), ended: new Set(), heldUp: new Set() },
        ...{ takers, begun: new Map() },
      }
      const claims = asked.map(each => each.claim)
      await waitForEdits(tx, claims)
      await planIn(batch, claims)
      for (const campaignId of [...batch.ended].sort()) await completeCampaign(tx, campaignId)
      for (const each of asked) await failpoint('plan.written', each.claim.id)
      return batch.begun
    }
    const begun = await someAtOnce(() => retryOnDeadlock(() => inAccount(app.db.work, accountId, plan)))
    return asked.map(each => begun.get(each.claim.id))
  },
  { concurrency: AT_ONCE },
)

/**
 * Steps are edited with the campaign locked: what is planned is of the old ones before the edit takes it back, or of the
 * new ones. First of all and in one order, so that who waits here holds nothing that an edit needs.
 */
const waitForEdits = (tx: Sql, claims: readonly ClaimedProspect[]) => tx`
  select from campaigns
   where account_id = current_account_id()
     and id in (select p.campaign_id
                  from unnest(${claims.map(({ id }) => id)}::uuid[]) claimed(id)
                 cross join lateral (
                         select campaign_id
                           from prospects
                          where account_id = ${currentAccount(tx)} and id = claimed.id
                          limit 1) p)
   order by id
     for key share`

type Planning = {
  app: App
  tx: Sql
  accountId: string
  now: Date
  /** Campaigns of which somebody came to an end in this transaction. */
  ended: Set<string>
  /** Those that told in it what holds them up. */
  heldUp: Set<string>
  /** Prospects whose mails the caller takes on their way, as far as their mailboxes are free; then they are in `begun`. */
  takers: ReadonlySet<string>
  begun: Map<string, ClaimedMail>
}

async function planIn(planning: Planning, claims: readonly ClaimedProspect[], look = 1): Promise<void> {
  const { tx, now } = planning
  const all = await readStepFacts(tx, claims, now)
  const limits = await lockLimits(tx, all, now)
  const decisions = await decide(planning, all, limits)
  const mails: DueMail[] = []
  const tasks: DueTask[] = []
  const calls: DueCall[] = []
  const others = new Set<string>()
  const faults = new Map<string, string>()
  for (const [index, facts] of all.entries()) {
    const decision = decisions[index]!
    const { prospectId, step, rep, contact } = facts
    if (decision.kind === 'stop' && decision.reason === 'no_email') faults.set(prospectId, decision.reason)
    else if (decision.kind === 'stop') await end(planning, facts, decision.status, decision.reason)
    else if (decision.kind === 'later') await postpone(planning, facts, decision)
    else if (!limits.take(facts)) others.add(prospectId)
    else if (step!.channel === 'email')
      mails.push({ ...facts, step: step!, rep: rep!, email: contact.email! })
    else if (step!.channel === 'call') calls.push({ ...facts, step: step!, taskRep: facts.taskRep! })
    else
      tasks.push({ ...facts, step: step!, taskRep: facts.taskRep!, isLeftOut: decision.kind === 'leave_out' })
  }
  for (const [prospectId, fault] of [
    ...(await writeMails(planning, mails)),
    ...(await writeCalls(planning, calls)),
    ...(await writeTasks(planning, tasks)),
  ])
    faults.set(prospectId, fault)
  const due: StepFacts[] = [...mails, ...calls, ...tasks]
  const faulty = all.filter(({ prospectId }) => faults.has(prospectId))
  const written = due.filter(({ prospectId }) => !faults.has(prospectId))
  await countTaken(tx, written, now)
  const gotOn = new Set(written.map(({ campaignId }) => campaignId))
  for (const campaignId of [...gotOn.difference(planning.heldUp)].sort())
    await setCampaignHealth(tx, campaignId, null)
  if (look === 2)
    for (const facts of faulty) await end(planning, facts, 'failed', faults.get(facts.prospectId)!)
  // While their rows were waited for, what was missing may have come: only now does a change of a person wait for us.
  else if (faults.size > 0)
    await planIn(
      planning,
      claims.filter(({ id }) => faults.has(id)),
      2,
    )
  // What these leave of mailbox and campaign decides about the others.
  if (others.size > 0)
    await planIn(
      planning,
      claims.filter(({ id }) => others.has(id)),
      look,
    )
}

type PlanDecision =
  | Decision
  | { kind: 'stop'; status: 'completed'; reason: string }
  /** Its invitation was not accepted in time: the sequence goes on without it. */
  | { kind: 'leave_out' }

async function decide(
  { app, tx, accountId, now }: Planning,
  all: readonly StepFacts[],
  limits: Limits,
): Promise<PlanDecision[]> {
  const optOuts = await findOptOutOfEach(
    { sql: tx, accountId },
    all.map(({ contact }) => ({ ...contact, emails: contact.email ? [contact.email] : [] })),
  )
  return all.map((facts, index) => {
    const { step, rep, contact } = facts
    // The steps that were to come have been taken away: there is nothing left to do.
    if (!step) return { kind: 'stop', status: 'completed', reason: 'no_step_left' }
    const { wait, task } = waitOf(step, { ...facts, hasRep: facts.taskRep !== undefined })
    const decision = maySend(
      {
        ...facts.clock,
        campaignStatus: facts.campaignStatus,
        prospectStatus: facts.prospectStatus,
        wait,
        task,
        optOut: optOuts[index]?.value,
        email: contact.email,
        mailboxId: rep?.mailboxId,
        mailboxWaitsUntil: facts.mailboxWaitsUntil,
        lacksPostalAddress: facts.postalAddress === null,
        isInboxStale: isStale(app, facts.repliesReadAt),
        newcomers: limits.newcomersOf(facts),
        room: limits.roomOf(facts),
      },
      now,
    )
    return decision.kind === 'send' && task?.acceptanceUntil ? { kind: 'leave_out' } : decision
  })
}

async function postpone(
  { tx, now, heldUp }: Planning,
  { prospectId, campaignId, rep, taskRep, isElsewhere }: StepFacts,
  { reason, until }: { reason: string; until?: Date },
): Promise<void> {
  // Without a mailbox those who have begun stand among those who have not, and must not wait with them. Who passes to
  // another mailbox still stands among those of the one before.
  const isAmongOthers = taskRep?.mailboxId === null || isElsewhere
  if (until && ['new_prospects_cap', 'daily_cap', 'gap'].includes(reason) && !isAmongOthers) {
    // Many wait for the same: they keep their places, and none of them is looked at before.
    if (reason === 'new_prospects_cap') await beginNobodyBefore(tx, campaignId, until)
    if (reason === 'daily_cap') await markFull(tx, rep!.mailboxId, until)
    await releaseClaim(tx, prospectId)
    return
  }
  const waitMs = reason === 'schedule_over' ? MUCH_LATER_MS : LATER_MS
  await postponeStep(tx, prospectId, until ?? new Date(now.getTime() + waitMs))
  if (reason === 'window') await postponeClosed(tx, prospectId, now)
  const health = healthOf[reason]
  // What passes by itself needs nobody.
  if (until || !health) return
  await setCampaignHealth(tx, campaignId, health)
  heldUp.add(campaignId)
}

async function end(
  { tx, now, ended }: Planning,
  { prospectId, campaignId }: StepFacts,
  status: 'completed' | 'failed' | 'paused',
  reason: string,
): Promise<void> {
  await stopProspect(tx, prospectId, status, reason, now)
  ended.add(campaignId)
}
