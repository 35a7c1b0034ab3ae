import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openEngine } from '../../src/server/engine/loop.ts'
import { openDatabase } from '../../src/server/kernel/db/database.ts'
import { createCaller, openTestApp, type TestApp } from '../support/app.ts'
import { openDatabaseProxy } from '../support/db/database-proxy.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import type { NetworkFault } from './fault-proxy.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

const PEOPLE = 300

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it.each<[string, NetworkFault]>([
  ['drops all data', { kind: 'blackhole' }],
  ['drops responses', { kind: 'half_open' }],
  ['resets every connection', { kind: 'reset', afterBytes: 0 }],
])(
  'the engine and the API recover by themselves after the network connection to the database %s',
  async (_name, fault) => {
    using journal = new Journal()
    await using peer = await openJournaledSmtp(journal)
    await using network = await openDatabaseProxy(app.connection)
    await using db = await openDatabase(network.connection, { statementTimeoutMs: 2_000 })
    const campaign = await makeMailCampaign(app, [peer, peer, peer, peer], PEOPLE)
    const clock = openClock()
    const remote = { ...app, db, now: clock.now }
    const api = createCaller(remote, campaign.owner)
    await using opened = new AsyncDisposableStack()
    opened.use(openEngine(remote))
    opened.defer(() => {
      network.proxy.fault = undefined
    })
    await vi.waitUntil(() => journal.dots.length > 20, { timeout: 180_000, interval: 10 })
    network.proxy.fault = fault
    const calls = Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0
        ? api.call('listReps', {})
        : api.call('addOptOuts', { identifiers: [{ identifier: `${n}@stranger.example` }] }),
    )
    const results = await Promise.allSettled(calls)
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([])
    network.proxy.fault = undefined
    await vi.waitFor(
      () => api.call('addOptOuts', { identifiers: [{ identifier: 'late@stranger.example' }] }),
      {
        timeout: 180_000,
        interval: 100,
      },
    )
    await waitUntilIdle(app, [campaign.owner.accountId], clock)
    const figures = await tallyDeliveries(app.owner, journal, campaign.owner.accountId)
    expect(figures).toMatchObject({
      prospects: PEOPLE,
      lost: 0,
      duplicated: 0,
      misreported: 0,
      late: 0,
      failed: 0,
    })
    expect(figures.sent + figures.unconfirmed).toBe(PEOPLE)
    const idleTransactions = await app.owner`
    select pid from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%' and state_change < now() - interval '10 s'`
    expect(idleTransactions).toEqual([])
  },
  240_000,
)
