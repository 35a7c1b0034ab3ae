import { advanceCall } from '../domain/calls/advance-call.ts'
import { claimDueCalls } from '../domain/calls/claim-calls.ts'
import { claimLinkedinSends } from '../domain/linkedin/sends.ts'
import { claimProbes } from '../domain/mailboxes/circuit-breaker.ts'
import { probeMailbox } from '../domain/mailboxes/probe.ts'
import { MAX_SENDS_PER_MAILBOX } from '../domain/mailboxes/quota.ts'
import { type ClaimedSend, claimLostSends, claimSends } from '../domain/outbox/claim-sends.ts'
import { type ClaimedProspect, claimDueProspects } from '../domain/prospects/claim-prospects.ts'
import { createSemaphore } from '../kernel/async/semaphore.ts'
import type { App } from '../kernel/context.ts'
import { failpoint } from '../kernel/failpoints.ts'
import { measureStage } from '../kernel/metrics.ts'
import type { PlannedEmail } from './attempt/attempt.ts'
import { LEASE_MS } from './attempt/lease.ts'
import { planStep } from './plan/plan-step.ts'
import { giveUpLostSend, sendEmail } from './send/send-email.ts'
import { sendLinkedin } from './send/send-linkedin.ts'
import type { SmtpPools } from './send/smtp-pools.ts'

const PROSPECTS = { limit: 200, perMailbox: MAX_SENDS_PER_MAILBOX, leaseMs: LEASE_MS }
const SENDS = { limit: 200, perMailbox: MAX_SENDS_PER_MAILBOX, leaseMs: LEASE_MS }
const LOST_SENDS = { limit: 100, leaseMs: LEASE_MS }
const MAX_CALLS = 20
const MAX_PROBES = 20
const MAX_LINKEDIN_SENDS = 20
/** Maximum jobs in flight per process; each of the two loops may exceed it by one claim. */
export const MAX_IN_FLIGHT = 600

/**
 * Gives up lost sends one at a time. Each may wait for the locks of a frozen worker that was recording many sends; the
 * waits must not each occupy a connection.
 */
const giveUpSerially = createSemaphore(1)

/** A job that ends by itself and records its result. The lease of its `send`, if any, must be renewed until then. */
export type Job = { done: Promise<void>; send?: ClaimedSend }

/**
 * The means to send planned emails immediately: the engine's connections, its free capacity, and a function that
 * tracks jobs.
 */
export type Dispatcher = { pools: SmtpPools; capacity: number; track: (job: Job) => void }

/**
 * Claims due prospects and plans their next steps; `done` resolves once they are planned. Emails are sent immediately
 * while the dispatcher has capacity and stay queued otherwise. `hasMore` is true when more prospects may be due.
 */
export async function planDue(
  app: App,
  dispatcher?: Dispatcher,
): Promise<{ found: number; hasMore: boolean; done: Promise<void> }> {
  await failpoint('tick.began')
  const prospects = await claimDueProspects(app.db.engine, { now: app.now(), ...PROSPECTS })
  await failpoint('tick.prospects_claimed')
  const { length: found } = prospects
  return { found, hasMore: found === PROSPECTS.limit, done: planAll(app, prospects, dispatcher) }
}

/**
 * Claims due sends, calls, mailbox probes and LinkedIn messages and starts a job for each, without waiting for it.
 * Sends in `inFlight` are never given up as lost.
 */
export async function dispatchDue(
  app: App,
  pools: SmtpPools,
  capacity: number,
  inFlight: readonly ClaimedSend[] = [],
): Promise<Job[]> {
  if (capacity <= 0) return []
  const { engine } = app.db
  const now = app.now()
  const lostSends = await claimLostSends(engine, { inFlight, now, ...LOST_SENDS })
  const calls = await claimDueCalls(engine, { now, limit: MAX_CALLS })
  const probes = await claimProbes(engine, { now, limit: MAX_PROBES })
  const linkedinSends = await claimLinkedinSends(engine, { now, limit: MAX_LINKEDIN_SENDS })
  // Claimed last, so that a failure above does not delay sends that are already claimed.
  const sends = await claimSends(engine, { now, ...SENDS, limit: Math.min(capacity, SENDS.limit) })
  await failpoint('tick.sends_claimed')
  const start = (claim: object, work: Promise<unknown>): Job => ({ done: logErrors(app, claim, work) })
  return [
    ...lostSends.map(claim =>
      start(
        claim,
        giveUpSerially(() => giveUpLostSend(app, claim)),
      ),
    ),
    ...calls.map(claim => start(claim, advanceCall(app, claim))),
    ...probes.map(claim => start(claim, probeMailbox(app, claim))),
    ...linkedinSends.map(claim => start(claim, sendLinkedin(app, claim))),
    ...sends.map(send => startSend(app, pools, send)),
  ]
}

const startSend = (app: App, pools: SmtpPools, send: ClaimedSend, planned?: PlannedEmail): Job => ({
  done: logErrors(app, send, sendEmail(app, pools, send, planned)),
  send,
})

async function planAll(
  app: App,
  claims: ClaimedProspect[],
  dispatcher: Dispatcher | undefined,
): Promise<void> {
  let capacity = dispatcher?.capacity ?? 0
  const plan = async (claim: ClaimedProspect) => {
    const sendsImmediately = capacity-- > 0
    const email = await measureStage(app.metrics, 'plan', () => planStep(app, claim, { sendsImmediately }))
    if (dispatcher && email) dispatcher.track(startSend(app, dispatcher.pools, email.claim, email))
  }
  await Promise.all(claims.map(claim => logErrors(app, claim, plan(claim))))
}

/** Logs a job that fails; its lease ends and another attempt follows. */
async function logErrors(app: App, claim: object, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (err) {
    const ids = Object.fromEntries(Object.entries(claim).map(([name, value]) => [name, String(value)]))
    app.log.error({ claim: ids, err }, 'engine: a job failed; retrying after its lease')
  }
}
