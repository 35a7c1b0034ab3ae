import { advanceCall } from '../domain/calls/advance-call.ts'
import { claimDueCalls } from '../domain/calls/claim-calls.ts'
import { claimLinkedinSends } from '../domain/linkedin/sends.ts'
import { claimProbes } from '../domain/mailboxes/circuit-breaker.ts'
import { probeMailbox } from '../domain/mailboxes/probe.ts'
import { type ClaimedSend, claimLostSends, claimSends } from '../domain/outbox/claim-sends.ts'
import { type ClaimedProspect, claimDueProspects } from '../domain/prospects/claim-prospects.ts'
import { atMost } from '../kernel/async/semaphore.ts'
import type { App } from '../kernel/context.ts'
import { failpoint } from '../kernel/failpoints.ts'
import { measureStage } from '../kernel/metrics.ts'
import type { PlannedMail } from './attempt/attempt.ts'
import { LEASE_MS, MAILS_PER_MAILBOX } from './attempt/lease.ts'
import { planStep } from './plan/plan-step.ts'
import { giveUpLostSend, sendEmail } from './send/send-email.ts'
import { sendLinkedin } from './send/send-linkedin.ts'
import type { SmtpPools } from './send/smtp-pools.ts'

const PROSPECTS = { limit: 200, perMailbox: MAILS_PER_MAILBOX, leaseMs: LEASE_MS }
const SENDS = { limit: 200, perMailbox: MAILS_PER_MAILBOX, leaseMs: LEASE_MS }
const LOST = { limit: 100, leaseMs: LEASE_MS }
const CALLS = 20
const PROBES = 20
const LINKEDIN = 20
/** Bounds what one process has under way, whatever is due; what two looks found may come on top. */
export const MAX_UNDER_WAY = 600

/**
 * A worker that stands still in the middle of recording many mails keeps whoever gives these up waiting for it: one
 * after the other, so that they never hold all connections.
 */
const givingUp = atMost(1)

/** Work that was begun: it ends by itself, with its outcome recorded. A send is to be kept by renewing its lease. */
export type Begun = { done: Promise<void>; send?: ClaimedSend }

/** Who takes mails on their way as soon as they are planned, and how many at most. */
export type Taker = { pools: SmtpPools; room: number; keep: (begun: Begun) => void }

/**
 * What is due by the app's clock is claimed and becomes mails on their way; `done` once it has. `hasMore` when there may
 * be more than one look takes. What no taker has room for waits in the queue.
 */
export async function planDue(
  app: App,
  taker?: Taker,
): Promise<{ found: number; hasMore: boolean; done: Promise<void> }> {
  await failpoint('tick.began')
  const prospects = await claimDueProspects(app.db.engine, { now: app.now(), ...PROSPECTS })
  await failpoint('tick.prospects_claimed')
  const { length: found } = prospects
  return { found, hasMore: found === PROSPECTS.limit, done: planAll(app, prospects, taker) }
}

/** Sends, calls and whatever else is due are begun, so that a slow server holds up nobody else. */
export async function beginDue(app: App, pools: SmtpPools, room: number): Promise<Begun[]> {
  if (room <= 0) return []
  const { engine } = app.db
  const now = app.now()
  const lost = await claimLostSends(engine, { now, ...LOST })
  const calls = await claimDueCalls(engine, { now, limit: CALLS })
  const probes = await claimProbes(engine, { now, limit: PROBES })
  const linkedin = await claimLinkedinSends(engine, { now, limit: LINKEDIN })
  // Last, so that they begin as soon as they are claimed, whatever befell the rest.
  const sends = await claimSends(engine, { now, ...SENDS, limit: Math.min(room, SENDS.limit) })
  await failpoint('tick.sends_claimed')
  return [
    ...lost.map(claim => ({
      done: guarded(
        app,
        claim,
        givingUp(() => giveUpLostSend(app, claim)),
      ),
    })),
    ...calls.map(claim => ({ done: guarded(app, claim, advanceCall(app, claim)) })),
    ...probes.map(claim => ({ done: guarded(app, claim, probeMailbox(app, claim)) })),
    ...linkedin.map(claim => ({ done: guarded(app, claim, sendLinkedin(app, claim)) })),
    ...sends.map(send => begin(app, pools, send)),
  ]
}

const begin = (app: App, pools: SmtpPools, send: ClaimedSend, planned?: PlannedMail): Begun => ({
  done: guarded(app, send, sendEmail(app, pools, send, planned)),
  send,
})

async function planAll(app: App, claims: ClaimedProspect[], taker: Taker | undefined): Promise<void> {
  let room = taker?.room ?? 0
  const plan = async (claim: ClaimedProspect) => {
    const mayBegin = room-- > 0
    const mail = await measureStage(app.metrics, 'plan', () => planStep(app, claim, { mayBegin }))
    if (taker && mail) taker.keep(begin(app, taker.pools, mail.claim, mail))
  }
  await Promise.all(claims.map(claim => guarded(app, claim, plan(claim))))
}

/** One that fails holds up none of the others; its lease ends and it is tried again. */
async function guarded(app: App, claim: object, work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (err) {
    const ids = Object.fromEntries(Object.entries(claim).map(([name, value]) => [name, String(value)]))
    app.log.error({ claim: ids, err }, 'engine: a claim failed')
  }
}
