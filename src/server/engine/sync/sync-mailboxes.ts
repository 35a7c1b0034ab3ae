import {
  type ClaimedReading,
  claimReadings,
  isReadingDue,
  renewReadings,
} from '../../domain/mailboxes/claim-syncs.ts'
import { FairQueue } from '../../kernel/async/fair-queue.ts'
import { hasSlept } from '../../kernel/async/sleep.ts'
import { waitAtMost } from '../../kernel/async/with-timeout.ts'
import type { App } from '../../kernel/context.ts'
import { LEASE_MS, RENEW_MS } from '../attempt/lease.ts'
import { type ReadingConditions, type ReadingSettings, readMailbox, usualSettings } from './sync-mailbox.ts'

export type { ReadingSettings }

const CLAIM_MS = 1_000
const MAX_MAILS_IN_WORK = 16

type Session = { claim: ClaimedReading; stop: AbortController; done: Promise<void> }

/**
 * Reads the mailboxes that nobody else reads, each over a connection of its own, and renews the leases on them.
 * Disposing closes the connections once the mails in work are done, and leaves the mailboxes to others.
 */
export function openReader(app: App, given: Partial<ReadingSettings> = {}): AsyncDisposable {
  const settings = { ...usualSettings, ...given }
  const stop = new AbortController()
  const sessions = new Map<string, Session>()
  const mails = new FairQueue({ places: MAX_MAILS_IN_WORK, waitingPerKey: settings.maxConnections })
  let isCrowded = false
  const claiming = repeat(CLAIM_MS, claim)
  const renewing = repeat(RENEW_MS, renew)

  async function repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (await hasSlept(everyMs, stop.signal)) {
      try {
        if (!(await waitAtMost(LEASE_MS, work()))) app.log.error('engine: claiming mailboxes hangs')
      } catch (err) {
        app.log.error({ err }, 'engine: mailboxes were not claimed; the next time tries again')
      }
    }
  }

  async function claim(): Promise<void> {
    const now = app.now()
    const limit = settings.maxConnections - sessions.size
    const claims = limit > 0 ? await claimReadings(app.db.engine, { now, limit, leaseMs: LEASE_MS }) : []
    isCrowded = claims.length === limit && (await isReadingDue(app.db.engine, now))
    for (const each of claims) begin(each)
  }

  function begin(claim: ClaimedReading): void {
    const key = `${claim.accountId} ${claim.mailboxId}`
    // Its settings were changed, or its lease was lost and won again.
    const before = sessions.get(key)
    before?.stop.abort()
    const ending = new AbortController()
    const conditions: ReadingConditions = {
      settings,
      signal: ending.signal,
      isCrowded: () => isCrowded,
      takeTurn: work => mails.run(claim.accountId, work),
    }
    const read = async (): Promise<void> => {
      await before?.done
      if (!ending.signal.aborted) await readMailbox(app, claim, conditions)
    }
    const done = read()
      .catch(err =>
        app.log.error({ mailboxId: claim.mailboxId, err }, 'engine: reading ended; its lease will, too'),
      )
      .finally(() => {
        if (sessions.get(key)?.stop === ending) sessions.delete(key)
      })
    sessions.set(key, { claim, stop: ending, done })
  }

  async function renew(): Promise<void> {
    if (sessions.size === 0) return
    const all = [...sessions.values()]
    const until = new Date(app.now().getTime() + LEASE_MS)
    const held = await renewReadings(
      app.db.engine,
      all.map(session => session.claim),
      until,
    )
    const isHeld = new Set(held.map(claim => `${claim.mailboxId} ${claim.epoch}`))
    for (const { claim, stop } of all) if (!isHeld.has(`${claim.mailboxId} ${claim.epoch}`)) stop.abort()
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all([claiming, renewing])
      for (const session of sessions.values()) session.stop.abort()
      await Promise.all(Array.from(sessions.values(), session => session.done))
    },
  }
}
