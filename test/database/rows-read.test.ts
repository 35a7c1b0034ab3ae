import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { makeMailCampaign, openWorker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

const EMAILS = 1_200
const MAILBOXES = 8
const tables = ['email_sends', 'email_messages', 'email_threads', 'prospects', 'persons']

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

/**
 * Returns the number of rows read so far, by table. Runs queries in every session first, because sessions
 * report statistics once a second.
 */
async function countRowsRead(): Promise<Record<string, number>> {
  await sleep(1_100)
  const pools = [app.db.app, app.db.work, app.db.gate, app.db.engine]
  await Promise.all(pools.flatMap(pool => Array.from({ length: 10 }, () => pool`select pg_sleep(0.05)`)))
  const rows = await app.owner<{ name: string; read: number }[]>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read
      from pg_stat_user_tables where relname = any(${tables})`
  return Object.fromEntries(rows.map(({ name, read }) => [name, read]))
}

it('sending an email reads fewer than 200 rows of each table, even with plans that were cached while the tables were small', async () => {
  await using server = await ScriptedSmtp.open()
  await using worker = openWorker(app)
  await makeMailCampaign(app, [server], 20)
  await worker.work()
  await makeMailCampaign(app, Array(MAILBOXES).fill(server), EMAILS)
  // Invalidates existing plans, so that new ones are made for small tables.
  await app.owner`analyze email_sends, email_messages, email_threads`
  const before = await countRowsRead()
  await worker.work()
  const after = await countRowsRead()
  expect(server.transfers).toHaveLength(20 + EMAILS)
  // In a small account, two statements of a batch read all prospects of the account: twelve rows per email.
  for (const table of tables) expect((after[table]! - before[table]!) / EMAILS, table).toBeLessThan(200)
})

it('an import into a new account reads fewer than 50 persons per row, even without statistics for the account', async () => {
  const rows = 3_000
  const file = `First Name,Last Name,Company,Email\n${Array.from(
    { length: rows },
    (_, n) => `Ada,Byron ${n},Works ${n % 300},ada${n}@works${n % 300}.example\n`,
  ).join('')}`
  await (await makeCaller(app)).call('importPersons', { csv: file })
  await app.owner`analyze persons, companies`
  const { call } = await makeCaller(app)
  const before = await countRowsRead()
  expect(await call('importPersons', { csv: file, tags: ['Fair'] })).toMatchObject({ created: rows })
  const after = await countRowsRead()
  expect((after.persons! - before.persons!) / rows).toBeLessThan(50)
})
