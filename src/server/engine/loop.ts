import { renewSends } from '../domain/outbox/claim-sends.ts'
import { hasSlept } from '../kernel/async/sleep.ts'
import { waitAtMost } from '../kernel/async/with-timeout.ts'
import type { App } from '../kernel/context.ts'
import { failpoint } from '../kernel/failpoints.ts'
import { LEASE_MS, RENEW_MS } from './attempt/lease.ts'
import { keepDatabase } from './database-maintenance.ts'
import { type Begun, beginDue, MAX_UNDER_WAY, planDue } from './dispatch.ts'
import { openReplyTurns } from './replies/reply-worker.ts'
import { SmtpPools } from './send/smtp-pools.ts'
import { openReader, type ReadingSettings } from './sync/sync-mailboxes.ts'
import { openWebhookTurns } from './webhooks/webhook-worker.ts'

const IDLE_MS = 500
const FAULT_MS = 2_000
/** Both end far sooner, as everything in them is bounded; what a fault of ours lets hang stands in nobody's way. */
const LONGEST_TICK_MS = 120_000
const LONGEST_SEND_MS = 15 * 60_000
/** Looking for work costs as much as several sends do, so what ends within this makes room for one look together. */
const GATHER_MS = { plan: 50, send: 25 }

/**
 * Does what is due, again and again, renews the leases of what is under way, reads the mailboxes, answers replies and posts to
 * webhooks.
 * Disposing stops claiming, lets what is under way end (each send is bounded by its timeouts), then closes the connections.
 */
export function openEngine(app: App, settings: { reading?: Partial<ReadingSettings> } = {}): AsyncDisposable {
  const stop = new AbortController()
  const end = new AbortController()
  const pools = new SmtpPools()
  const reader = openReader(app, settings.reading)
  const webhooks = openWebhookTurns(app)
  const replies = openReplyTurns(app)
  const underWay = new Set<Begun & { since: number }>()
  let news = new AbortController()
  /** What the look before found is written. */
  let planned = Promise.resolve()
  // Each at its own pace: planning many holds up nothing that is on its way.
  const running = [
    again(GATHER_MS.plan, async () => {
      const taker = { pools, room: MAX_UNDER_WAY - underWay.size, keep }
      const { found, hasMore, done } = await planDue(app, taker)
      // The next look is made while this one's are written, and no further.
      await planned
      planned = waitAtMost(LONGEST_TICK_MS, done).then(() => (found > 0 ? tell() : undefined))
      if (!hasMore) await planned
      return hasMore
    }),
    again(GATHER_MS.send, async () => {
      for (const begun of await beginDue(app, pools, MAX_UNDER_WAY - underWay.size)) keep(begun)
      return false
    }),
  ]
  const renewing = keepLeases()
  const keeping = keepDatabase(app, stop.signal)

  /** A look tells whether it may have left some; then the next one begins at once. */
  async function again(gatherMs: number, look: () => Promise<boolean>): Promise<void> {
    while (!stop.signal.aborted) {
      if (news.signal.aborted) news = new AbortController()
      const { signal: more } = news
      try {
        const looking = look()
        if (!(await waitAtMost(LONGEST_TICK_MS, looking)))
          app.log.error('engine: a look for work hangs; the next one begins')
        else if (await looking) continue
        await hasSlept(IDLE_MS, more)
        await hasSlept(gatherMs, stop.signal)
      } catch (err) {
        app.log.error({ err }, 'engine: a look for work failed; the next one tries again')
        await hasSlept(FAULT_MS, stop.signal)
      }
    }
  }

  /** Something is planned, or has ended and made room, or all is to stop. */
  function tell(): void {
    news.abort()
  }

  function keep(work: Begun): void {
    const kept = { ...work, since: performance.now() }
    underWay.add(kept)
    void waitAtMost(LONGEST_SEND_MS, work.done).finally(() => {
      underWay.delete(kept)
      tell()
    })
  }

  /** On its own, so that no slow tick costs a live send its lease. */
  async function keepLeases(): Promise<void> {
    while (await hasSlept(RENEW_MS, end.signal)) {
      const oldest = performance.now() - LONGEST_SEND_MS
      const sends = [...underWay].flatMap(({ send, since }) => (send && since > oldest ? [send] : []))
      if (sends.length === 0) continue
      try {
        await failpoint('lease.renewing')
        await waitAtMost(LEASE_MS, renewSends(app.db.engine, sends, new Date(app.now().getTime() + LEASE_MS)))
      } catch (err) {
        app.log.error({ err }, 'engine: leases were not renewed; the next time tries again')
      }
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      tell()
      await Promise.all([
        ...running,
        keeping,
        reader[Symbol.asyncDispose](),
        webhooks[Symbol.asyncDispose](),
        replies[Symbol.asyncDispose](),
      ])
      await planned
      await Promise.all(Array.from(underWay, work => work.done))
      end.abort()
      await renewing
      await pools[Symbol.asyncDispose]()
    },
  }
}
