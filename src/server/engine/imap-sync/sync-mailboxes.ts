import { type ClaimedSync, claimSyncs, isSyncDue, renewSyncs } from '../../domain/mailboxes/claim-syncs.ts'
import { FairQueue } from '../../kernel/async/fair-queue.ts'
import { sleep } from '../../kernel/async/sleep.ts'
import { withTimeout } from '../../kernel/async/with-timeout.ts'
import type { App } from '../../kernel/context.ts'
import { LEASE_MS, RENEW_MS } from '../attempt/lease.ts'
import { defaultSettings, type SyncOptions, type SyncSettings, syncMailbox } from './sync-mailbox.ts'

const CLAIM_INTERVAL_MS = 1_000
/** Maximum emails fetched and received at a time across all mailboxes, because each may be large. */
const MAX_EMAILS_IN_FLIGHT = 16

type RunningSync = { claim: ClaimedSync; stop: AbortController; done: Promise<void> }

/**
 * Fetches new mail over IMAP: claims mailboxes that no other process syncs, keeps a connection to each, and renews the
 * leases. Disposing waits for emails in flight, closes the connections and releases the mailboxes to other processes.
 */
export function openMailboxSync(app: App, overrides: Partial<SyncSettings> = {}): AsyncDisposable {
  const settings = { ...defaultSettings, ...overrides }
  const stop = new AbortController()
  const running = new Map<string, RunningSync>()
  const queue = new FairQueue({
    concurrency: MAX_EMAILS_IN_FLIGHT,
    maxWaitingPerKey: settings.maxConnections,
  })
  let isCrowded = false
  const claiming = repeat(CLAIM_INTERVAL_MS, claimDue)
  const renewing = repeat(RENEW_MS, renewLeases)

  async function repeat(intervalMs: number, work: () => Promise<void>): Promise<void> {
    while (await sleep(intervalMs, stop.signal)) {
      try {
        if (!(await withTimeout(work(), LEASE_MS)))
          app.log.error('engine: claiming mailboxes or renewing their leases hangs')
      } catch (err) {
        app.log.error({ err }, 'engine: claiming mailboxes or renewing their leases failed; retrying')
      }
    }
  }

  async function claimDue(): Promise<void> {
    const now = app.now()
    const limit = settings.maxConnections - running.size
    const claims = limit > 0 ? await claimSyncs(app.db.engine, { now, limit, leaseMs: LEASE_MS }) : []
    isCrowded = claims.length === limit && (await isSyncDue(app.db.engine, now))
    for (const claim of claims) start(claim)
  }

  function start(claim: ClaimedSync): void {
    const key = `${claim.accountId} ${claim.mailboxId}`
    // A sync of the mailbox is still running if its settings were changed, or if its lease expired and was claimed
    // again.
    const previous = running.get(key)
    previous?.stop.abort()
    const stopThis = new AbortController()
    const options: SyncOptions = {
      settings,
      signal: stopThis.signal,
      isCrowded: () => isCrowded,
      scheduleMail: work => queue.run(claim.accountId, work),
    }
    const sync = async (): Promise<void> => {
      await previous?.done
      if (!stopThis.signal.aborted) await syncMailbox(app, claim, options)
    }
    const done = sync()
      .catch(err =>
        app.log.error(
          { mailboxId: claim.mailboxId, err },
          'engine: syncing a mailbox failed; retrying after its lease',
        ),
      )
      .finally(() => {
        if (running.get(key)?.stop === stopThis) running.delete(key)
      })
    running.set(key, { claim, stop: stopThis, done })
  }

  async function renewLeases(): Promise<void> {
    if (running.size === 0) return
    const syncs = [...running.values()]
    const until = new Date(app.now().getTime() + LEASE_MS)
    const held = await renewSyncs(
      app.db.engine,
      syncs.map(({ claim }) => claim),
      until,
    )
    const heldKeys = new Set(held.map(claim => `${claim.mailboxId} ${claim.epoch}`))
    for (const { claim, stop } of syncs) if (!heldKeys.has(`${claim.mailboxId} ${claim.epoch}`)) stop.abort()
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all([claiming, renewing])
      for (const sync of running.values()) sync.stop.abort()
      await Promise.all(Array.from(running.values(), sync => sync.done))
    },
  }
}
