import { type ClaimedSend, renewSends } from '../domain/outbox/claim-sends.ts'
import { sleep } from '../kernel/async/sleep.ts'
import { withTimeout } from '../kernel/async/with-timeout.ts'
import type { App } from '../kernel/context.ts'
import { failpoint } from '../kernel/failpoints.ts'
import { LEASE_MS, RENEW_MS } from './attempt/lease.ts'
import { maintainDatabase } from './database-maintenance.ts'
import { dispatchDue, type Job, MAX_IN_FLIGHT, planDue } from './dispatch.ts'
import { openExportWorker } from './exports/export-worker.ts'
import { openRevocationWorker } from './grants/revocation-worker.ts'
import type { SyncSettings } from './imap-sync/sync-mailbox.ts'
import { openMailboxSync } from './imap-sync/sync-mailboxes.ts'
import { pauseRestored } from './pause-restored.ts'
import { openProblemWorker } from './problems/problem-worker.ts'
import { openReplyWorker } from './replies/reply-worker.ts'
import { SmtpPools } from './send/smtp-pools.ts'
import { openWebhookWorker } from './webhooks/webhook-worker.ts'

const IDLE_MS = 500
const ERROR_DELAY_MS = 2_000
/** All work is bounded and ends far sooner. Work that hangs because of a bug is no longer awaited after this time. */
const TICK_TIMEOUT_MS = 120_000
const JOB_TIMEOUT_MS = 15 * 60_000
/** A claim query costs as much as several sends, so jobs that end within this time share the next query. */
const LINGER_MS = { plan: 50, dispatch: 25 }

/**
 * Opens the engine, which plans due sequence steps, dispatches due messages and calls, renews their leases, syncs
 * mailboxes, and runs the workers for replies, webhooks, exports, problems and revocations. Any number of engines
 * may work on one database. Disposing stops claiming, waits for the jobs in flight (each send is bounded by its
 * timeouts), then closes the connections.
 */
export function openEngine(app: App, settings: { sync?: Partial<SyncSettings> } = {}): AsyncDisposable {
  const stop = new AbortController()
  const stopRenewing = new AbortController()
  const pools = new SmtpPools()
  const mailboxSync = openMailboxSync(app, settings.sync)
  const webhookWorker = openWebhookWorker(app)
  const replyWorker = openReplyWorker(app)
  const exportWorker = openExportWorker(app)
  const problemWorker = openProblemWorker(app)
  const revocationWorker = openRevocationWorker(app)
  const inFlight = new Set<Job & { startedAt: number }>()
  let wakeUp = new AbortController()
  let planning = Promise.resolve()
  const restorePaused = pauseRestored(app, stop.signal)
  // Two loops, so that planning many steps delays no dispatch.
  const loops = [
    loop(LINGER_MS.plan, async () => {
      const { found, hasMore, done } = await planDue(app, { pools, capacity: freeCapacity(), track })
      // Plans these prospects while the next ones are claimed, but claims no more than one tick ahead.
      await planning
      planning = withTimeout(done, TICK_TIMEOUT_MS).then(() => (found > 0 ? wake() : undefined))
      if (!hasMore) await planning
      return hasMore
    }),
    loop(LINGER_MS.dispatch, async () => {
      for (const job of await dispatchDue(app, pools, freeCapacity(), listSends())) track(job)
      return false
    }),
  ]
  const renewing = renewLeases()
  // Maintenance deletes the evidence of a restore that `pauseRestored` looks for, so it must run afterwards.
  const maintenance = restorePaused.then(() => maintainDatabase(app, stop.signal))

  /** Repeats a tick: immediately when it resolves to true because more may be due, else when woken or after a pause. */
  async function loop(lingerMs: number, tick: () => Promise<boolean>): Promise<void> {
    await restorePaused
    while (!stop.signal.aborted) {
      if (wakeUp.signal.aborted) wakeUp = new AbortController()
      const { signal: woken } = wakeUp
      try {
        const ticking = tick()
        if (!(await withTimeout(ticking, TICK_TIMEOUT_MS)))
          app.log.error('engine: a tick hangs; starting the next one')
        else if (await ticking) continue
        await sleep(IDLE_MS, woken)
        await sleep(lingerMs, stop.signal)
      } catch (err) {
        app.log.error({ err }, 'engine: a tick failed; retrying')
        await sleep(ERROR_DELAY_MS, stop.signal)
      }
    }
  }

  /** Starts the next tick of both loops early: steps were planned, capacity is free again, or the engine stops. */
  function wake(): void {
    wakeUp.abort()
  }

  function freeCapacity(): number {
    return MAX_IN_FLIGHT - inFlight.size
  }

  function listSends(): ClaimedSend[] {
    const oldest = performance.now() - JOB_TIMEOUT_MS
    return [...inFlight].flatMap(({ send, startedAt }) => (send && startedAt > oldest ? [send] : []))
  }

  function track(job: Job): void {
    const tracked = { ...job, startedAt: performance.now() }
    inFlight.add(tracked)
    void withTimeout(job.done, JOB_TIMEOUT_MS).finally(() => {
      inFlight.delete(tracked)
      wake()
    })
  }

  /** Renews leases separately from the ticks, so that a send in progress keeps its lease while a tick is slow. */
  async function renewLeases(): Promise<void> {
    while (await sleep(RENEW_MS, stopRenewing.signal)) {
      const sends = listSends()
      if (sends.length === 0) continue
      try {
        await failpoint('lease.renewing')
        await withTimeout(
          renewSends(app.db.engine, sends, new Date(app.now().getTime() + LEASE_MS)),
          LEASE_MS,
        )
      } catch (err) {
        app.log.error({ err }, 'engine: renewing leases failed; retrying')
      }
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      wake()
      await Promise.all([
        ...loops,
        maintenance,
        mailboxSync[Symbol.asyncDispose](),
        webhookWorker[Symbol.asyncDispose](),
        replyWorker[Symbol.asyncDispose](),
        exportWorker[Symbol.asyncDispose](),
        problemWorker[Symbol.asyncDispose](),
        revocationWorker[Symbol.asyncDispose](),
      ])
      await planning
      await Promise.all(Array.from(inFlight, job => job.done))
      stopRenewing.abort()
      await renewing
      await pools[Symbol.asyncDispose]()
    },
  }
}
