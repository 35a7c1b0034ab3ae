import { setCampaignHealth } from '../../domain/campaigns/change-status.ts'
import { pauseNewProspects } from '../../domain/campaigns/new-prospect-limit.ts'
import { markCapReached } from '../../domain/mailboxes/quota.ts'
import { findHeldAddress } from '../../domain/people/addresses/find-held-address.ts'
import { findOptOutForEach } from '../../domain/people/opt-outs/find-opt-outs.ts'
import { postponeStep, releaseClaim, stopProspect } from '../../domain/prospects/advance-prospects.ts'
import type { ClaimedProspect } from '../../domain/prospects/claim-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { limitHolds, waitsForTime } from '../../domain/prospects/hold.ts'
import { isInboxStale } from '../../domain/prospects/inbox-freshness.ts'
import { postponeClosed } from '../../domain/prospects/reschedule.ts'
import { toHoldFacts } from '../../domain/prospects/task-facts.ts'
import { readStepFacts, type StepFacts } from '../../domain/rendering/step-facts.ts'
import { lockRepsForShare } from '../../domain/reps/reps.ts'
import { createSemaphore } from '../../kernel/async/semaphore.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import { currentAccount, retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { getMailDomains } from '../../protocols/dns/mail-domains.ts'
import { getEmailDomain } from '../../protocols/identity/email.ts'
import { type Decision, maySend } from '../attempt/may-send.ts'
import { countPlanned, type Limits, lockLimits } from './limits.ts'
import { type DueCall, writeCalls } from './write-calls.ts'
import { type ClaimedEmail, type DueEmail, writeEmails } from './write-emails.ts'
import { type DueTask, writeTasks } from './write-tasks.ts'

/** Maximum time that planning waits for DNS to answer for new domains. */
const DNS_TIMEOUT_MS = 3_000
const POSTPONE_MS = 60_000
/** Used when the schedule has ended. Only a user can change that, and the change makes the prospects due again. */
const LONG_POSTPONE_MS = 24 * 3_600_000

/** Messages for holds that need a person, shown on the campaign. */
const healthMessages: Record<string, string> = {
  no_rep: 'The campaign has no rep for its tasks. Assign one.',
  no_working_mailbox: 'Emails of this campaign wait for a working mailbox. Verify, resume or add one.',
  no_postal_address: 'The account has no postal address. Add one.',
  inbox_stale:
    'Replies to this campaign could not be received for a while, so its follow-ups wait. Check its mailboxes.',
  schedule_over: 'The schedule has ended. Set a later end date, or remove it.',
}

/**
 * Plans the due step of a claimed prospect: writes and queues its email, call or task, or records why there is none.
 * Prospects of an account that are planned together share a transaction. Sends nothing: sending is a separate job.
 * With `sendsImmediately` the email is claimed for the caller and returned, if its mailbox has a free slot.
 */
export async function planStep(
  app: App,
  claim: ClaimedProspect,
  { sendsImmediately = false } = {},
): Promise<ClaimedEmail | undefined> {
  await failpoint('plan.began', claim.id)
  const email = await planBatcher.run({ app, claim, sendsImmediately })
  await failpoint('plan.committed', claim.id)
  return email
}

/** Concurrent batches per account. Planning limits how many emails an account sends per second. */
const MAX_BATCHES_PER_ACCOUNT = 2

/** Limits the batches of all accounts, so that sends get database connections too. */
const planWithPermit = createSemaphore(4)

type PlanRequest = { app: App; claim: ClaimedProspect; sendsImmediately: boolean }

const planBatcher = new Batcher<PlanRequest, ClaimedEmail | undefined>(
  async requests => {
    const [{ app, claim }] = requests
    const { accountId } = claim
    const sentImmediately = new Set(requests.flatMap(each => (each.sendsImmediately ? each.claim.id : [])))
    // Planning locks prospects before threads, but an incoming reply locks threads first: a deadlock is retried.
    const plan = (checksDomains: boolean) => async (tx: Sql) => {
      const batch: PlanContext = {
        ...{ app, tx, accountId, now: app.now(), ended: new Set(), blocked: new Set() },
        ...{ sentImmediately, claimed: new Map(), checksDomains },
      }
      const claims = requests.map(each => each.claim)
      await waitForEdits(tx, claims)
      await planClaims(batch, claims)
      for (const campaignId of [...batch.ended].sort()) await completeCampaign(tx, campaignId)
      for (const each of requests) await failpoint('plan.written', each.claim.id)
      return batch.claimed
    }
    const run = (checksDomains = true) =>
      planWithPermit(() => retryOnDeadlock(() => inAccount(app.db.work, accountId, plan(checksDomains))))
    const claimed = await run().catch(async error => {
      if (!(error instanceof UncheckedDomains)) throw error
      await getMailDomains(app).check(error.domains, DNS_TIMEOUT_MS)
      return run(false)
    })
    return requests.map(each => claimed.get(each.claim.id))
  },
  { concurrency: MAX_BATCHES_PER_ACCOUNT },
)

/**
 * Waits for running edits of steps, which lock the campaign: a step is planned either before an edit, which then
 * reverts the step, or after the edit. Takes these locks first and in order, so that a transaction that waits here
 * holds nothing an edit needs.
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

/** Error thrown to end the transaction before the domains of addresses are looked up in DNS. */
class UncheckedDomains extends Error {
  override name = 'UncheckedDomains'
  readonly domains: string[]
  constructor(domains: string[]) {
    super(`${domains.length} domains must be checked first`)
    this.domains = domains
  }
}

function requireCheckedDomains({ app, checksDomains }: PlanContext, all: readonly StepFacts[]): void {
  if (!checksDomains) return
  const emails = all.flatMap(({ step, contact }) =>
    step?.channel === 'email' && contact.email ? contact.email : [],
  )
  const domains = getMailDomains(app).listUnchecked(emails.map(getEmailDomain))
  if (domains.length > 0) throw new UncheckedDomains(domains)
}

type PlanContext = {
  app: App
  tx: Sql
  accountId: string
  now: Date
  /** Campaigns with a prospect that ended in this transaction. */
  ended: Set<string>
  /** Campaigns whose health message was set in this transaction. */
  blocked: Set<string>
  /** Prospects whose emails the caller sends immediately while their mailboxes have free slots. */
  sentImmediately: ReadonlySet<string>
  /** The emails that were claimed for the caller, by prospect. */
  claimed: Map<string, ClaimedEmail>
  /** False once the domains of the addresses were looked up in DNS. */
  checksDomains: boolean
}

async function planClaims(context: PlanContext, claims: readonly ClaimedProspect[], pass = 1): Promise<void> {
  const { tx, now } = context
  const all = await readStepFacts(tx, claims, now)
  requireCheckedDomains(context, all)
  const limits = await lockLimits(tx, all, now)
  const decisions = await decide(context, all, limits)
  const emails: DueEmail[] = []
  const tasks: DueTask[] = []
  const calls: DueCall[] = []
  const waiting: StepFacts[] = []
  const overLimit = new Set<string>()
  const stops = new Map<string, { status: 'failed' | 'paused'; reason: string }>()
  for (const [index, facts] of all.entries()) {
    const decision = decisions[index]!
    const { prospectId, step, rep, contact } = facts
    if (decision.kind === 'stop') {
      if (decision.status === 'completed') await stop(context, facts, decision.status, decision.reason)
      else stops.set(prospectId, decision)
    } else if (decision.kind === 'later') {
      await postpone(context, facts, decision)
      if (waitsForTime(decision.reason)) waiting.push(facts)
    } else if (!limits.reserve(facts)) overLimit.add(prospectId)
    else if (step!.channel === 'email')
      emails.push({ ...facts, step: step!, rep: rep!, email: contact.email! })
    else if (step!.channel === 'call') calls.push({ ...facts, step: step!, taskRep: facts.taskRep! })
    else tasks.push({ ...facts, step: step!, taskRep: facts.taskRep!, isSkipped: decision.kind === 'skip' })
  }
  for (const [prospectId, reason] of [
    ...(await writeEmails(context, emails)),
    ...(await writeCalls(context, calls)),
    ...(await writeTasks(context, tasks)),
  ])
    stops.set(prospectId, { status: 'failed', reason })
  const due: StepFacts[] = [...emails, ...calls, ...tasks]
  const stopping = all.filter(({ prospectId }) => stops.has(prospectId))
  const written = due.filter(({ prospectId }) => !stops.has(prospectId))
  await countPlanned(tx, written, now)
  const progressed = new Set([...written, ...waiting].map(({ campaignId }) => campaignId))
  for (const campaignId of [...progressed.difference(context.blocked)].sort())
    await setCampaignHealth(tx, campaignId, null)
  if (pass === 2) {
    for (const facts of stopping) {
      const { status, reason } = stops.get(facts.prospectId)!
      await stop(context, facts, status, reason)
    }
  } else if (stops.size > 0) {
    // The missing data may have been added, or the address corrected, while this transaction waited for locks; now that
    // it holds them, try once more. The signature of a rep may be missing too.
    await lockRepsForShare(
      tx,
      stopping.flatMap(({ taskRep }) => taskRep?.id ?? []),
    )
    await planClaims(
      context,
      claims.filter(({ id }) => stops.has(id)),
      2,
    )
  }
  // The steps planned above determine what the limits leave for the others.
  if (overLimit.size > 0)
    await planClaims(
      context,
      claims.filter(({ id }) => overLimit.has(id)),
      pass,
    )
}

type PlanDecision =
  | Decision
  | { kind: 'stop'; status: 'completed'; reason: string }
  /** The invitation was not accepted in time, so the sequence skips the step. */
  | { kind: 'skip' }

async function decide(
  { app, tx, accountId, now }: PlanContext,
  all: readonly StepFacts[],
  limits: Limits,
): Promise<PlanDecision[]> {
  const optOuts = await findOptOutForEach(
    { sql: tx, accountId, app },
    all.map(({ personId, contact }) => ({
      ...contact,
      personId,
      emails: contact.email ? [contact.email] : [],
    })),
  )
  return all.map((facts, index) => {
    const { step, rep, contact } = facts
    // The remaining steps were deleted.
    if (!step) return { kind: 'stop', status: 'completed', reason: 'no_step_left' }
    const { wait, task } = toHoldFacts(step, { ...facts, hasRep: facts.taskRep !== undefined })
    const decision = maySend(
      {
        ...facts.clock,
        isSendingPaused: facts.isSendingPaused,
        campaignStatus: facts.campaignStatus,
        prospectStatus: facts.prospectStatus,
        wait,
        task,
        optOut: optOuts[index]?.value,
        email: contact.email,
        heldAddress: contact.email ? findHeldAddress(app, contact.email, facts) : undefined,
        mailboxId: rep?.mailboxId,
        mailboxWaitsUntil: facts.mailboxWaitsUntil,
        lacksPostalAddress: facts.postalAddress === null,
        isInboxStale: isInboxStale(app, facts.inboxSyncedAt),
        newProspectLimit: limits.getNewProspectLimit(facts),
        quota: limits.getQuota(facts),
      },
      now,
    )
    return decision.kind === 'send' && task?.acceptanceUntil ? { kind: 'skip' } : decision
  })
}

async function postpone(
  { tx, now, blocked }: PlanContext,
  { prospectId, campaignId, rep, hasOtherMailbox }: StepFacts,
  { reason, until }: { reason: string; until?: Date },
): Promise<void> {
  // A prospect that changes mailboxes still has the dispatch key of the old one, so a limit of the new mailbox does not
  // keep it from being claimed. It is postponed below instead.
  if (until && limitHolds.includes(reason) && !hasOtherMailbox) {
    // Many prospects wait for the same limit. Releasing the claim keeps their order, and none is claimed before the
    // limit allows it.
    if (reason === 'new_prospects_cap') await pauseNewProspects(tx, campaignId, until)
    if (reason === 'daily_cap') await markCapReached(tx, rep!.mailboxId, until)
    await releaseClaim(tx, prospectId)
    return
  }
  const waitMs = reason === 'schedule_over' ? LONG_POSTPONE_MS : POSTPONE_MS
  await postponeStep(tx, prospectId, until ?? new Date(now.getTime() + waitMs))
  if (reason === 'window') await postponeClosed(tx, prospectId, now)
  const health = healthMessages[reason]
  // Holds that end by themselves need no message.
  if (until || !health) return
  await setCampaignHealth(tx, campaignId, health)
  blocked.add(campaignId)
}

async function stop(
  { tx, now, ended }: PlanContext,
  { prospectId, campaignId }: StepFacts,
  status: 'completed' | 'failed' | 'paused',
  reason: string,
): Promise<void> {
  await stopProspect(tx, prospectId, status, reason, now)
  ended.add(campaignId)
}
