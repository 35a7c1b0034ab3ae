import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/server/kernel/db/database.ts'
import { createCaller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { openPgBouncer } from '../support/db/pgbouncer.ts'
import { makeMailCampaign, openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { isMissing } from '../support/processes/environment.ts'

describe.skipIf(isMissing('pgbouncer'))('through PgBouncer in transaction mode,', () => {
  let app: TestApp
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    const direct = opened.use(await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }))
    const { url } = opened.use(await openPgBouncer(direct.connection, { sessions: 2 }))
    const db = opened.use(await openDatabase(direct.connection, { poolUrl: url }))
    app = { ...direct, db }
  })
  afterAll(() => opened.disposeAsync())

  it('a campaign is sent once to each person while workers share sessions', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server, server], 40)
    await using first = openWorker(app)
    await using second = openWorker(app)
    await Promise.all([first.work(), second.work()])
    expect(server.transfers.filter(({ isComplete }) => isComplete)).toHaveLength(40)
    expect((await campaign.messages()).map(({ status }) => status)).toEqual(Array(40).fill('sent'))
  })

  it("accounts that share a session can't see each other's data", async () => {
    const callers = await Promise.all(Array.from({ length: 6 }, () => makeCaller(app)))
    await Promise.all(
      callers.flatMap(({ call, accountId }) =>
        Array.from({ length: 5 }, (_, n) => call('createRep', { name: `${n} of ${accountId}` })),
      ),
    )
    const seen = await Promise.all(
      callers.flatMap(caller =>
        Array.from({ length: 20 }, async () => {
          const { data } = await createCaller(app, caller).call('listReps', { limit: 100 })
          return { accountId: caller.accountId, names: data.map(({ name }) => name) }
        }),
      ),
    )
    for (const { accountId, names } of seen) {
      expect(names).toHaveLength(5)
      expect(names.filter(name => !name.endsWith(accountId))).toEqual([])
    }
    // No account remains set in a session after its transaction.
    await expect(app.db.app`select from reps`).resolves.toHaveLength(0)
  })

  it.each([
    ['the role', () => 'set statement_timeout = 30000'],
    ['a time limit', (role: string) => `set role ${role}`],
  ])('opening the database fails when sessions start without %s', async (_what, createQuery) => {
    await using pooler = await openPgBouncer(app.connection, { sessions: 2, createQuery })
    await expect(openDatabase(app.connection, { poolUrl: pooler.url })).rejects.toThrow(/connect_query/)
  })
})
