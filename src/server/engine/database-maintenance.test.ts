import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import { analyzeGrownTables, endFrozenSessions } from '../kernel/db/database.ts'
import { maintainDatabase } from './database-maintenance.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const readRowEstimate = async (): Promise<number> => {
  const [table] = await app.owner`select reltuples from pg_class where oid = 'persons'::regclass`
  return table!.reltuples
}
const addPersons = async (count: number) => {
  const { accountId } = await makeCaller(app)
  await app.owner`
    insert into persons (account_id, id, email)
    select ${accountId}, gen_random_uuid(), n || '@acme.example' from generate_series(1, ${count}) n`
}

it('analyzes a table that has just grown', async () => {
  await addPersons(1_000)
  const stop = new AbortController()
  const maintaining = maintainDatabase(app, stop.signal)
  await vi.waitFor(async () => expect(await readRowEstimate()).toBe(1_000), { timeout: 60_000, interval: 50 })
  stop.abort()
  await maintaining
})

it('analyzes only tables that have more than doubled', async () => {
  await app.owner`analyze persons`
  const before = await readRowEstimate()
  await addPersons(20)
  await analyzeGrownTables(app.db.engine)
  expect(await readRowEstimate()).toBe(before)
  await addPersons(2 * before + 1_000)
  await analyzeGrownTables(app.db.engine)
  expect(await readRowEstimate()).toBeGreaterThan(3 * before)
})

it('analyzes a table during a large import', async () => {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const rows = Array.from({ length: 12_000 }, (_, n) => `ada${n}@acme.example`)
  const before = await readRowEstimate()
  await caller.call('importProspects', { campaignId, csv: `email\n${rows.join('\n')}` })
  expect(await readRowEstimate()).toBeGreaterThan(before + 3_000)
})

describe('a session of a frozen process', () => {
  it('holds its locks no longer than a statement may take', async () => {
    const { accountId } = await makeCaller(app)
    const lockAccount = () =>
      app.owner.begin(tx => tx`select from accounts where id = ${accountId} for update nowait`)
    await using frozen = await openFrozenSession(accountId)
    await expect(lockAccount()).rejects.toThrow('could not obtain lock')
    expect(await endFrozenSessions(app.db.engine)).toBe(0)
    await expect(lockAccount()).rejects.toThrow('could not obtain lock')

    expect(await endFrozenAfter(200)).toBe(1)
    await vi.waitFor(lockAccount, { timeout: 60_000, interval: 20 })
    await expect(frozen.work).rejects.toThrow()
  })

  it('is distinguished from idle, waiting and working sessions', async () => {
    const { accountId } = await makeCaller(app)
    const release = Promise.withResolvers<void>()
    const idle = app.db.work.begin(async tx => {
      await tx`select set_config('app.account_id', ${accountId}, true)`
      await tx`select from accounts where id = ${accountId} for update`
      await release.promise
      return 'idle'
    })
    const waiting = app.owner`select from accounts where id = ${accountId} for update`
    const working = app.db.work`select pg_sleep(1)`
    expect(await endFrozenAfter(500)).toBe(0)
    release.resolve()
    expect(await idle).toBe('idle')
    await Promise.all([waiting, working])
  })

  /** Ends frozen sessions with this statement timeout, after waiting for twice as long. */
  async function endFrozenAfter(limitMs: number): Promise<number> {
    await sleep(2 * limitMs)
    return app.db.engine.begin(async tx => {
      await tx`select set_config('statement_timeout', ${`${limitMs}ms`}, true)`
      return endFrozenSessions(tx)
    })
  }

  /** Opens a session whose client freezes after sending the first part of its second statement. */
  async function openFrozenSession(accountId: string) {
    if (!('options' in app.connection)) throw new Error('this test needs connection options instead of a URL')
    const { promise: isSent, resolve: markSent } = Promise.withResolvers<void>()
    const socket = new Socket()
    const client = new pg.Client({
      ...app.connection.options,
      application_name: 'overture overture_app',
      stream: () => socket,
    })
    client.on('error', () => {})
    await client.connect()
    await client.query('begin')
    await client.query('select from accounts where id = $1 for update', [accountId])
    const write = socket.write.bind(socket) as (chunk: Buffer) => boolean
    let isFrozen = false
    socket.write = ((chunk: Buffer) => {
      if (isFrozen) return true
      isFrozen = true
      markSent()
      return write(chunk)
    }) as typeof socket.write
    const work = client.query("select $1 || 'frozen'", ['frozen'])
    work.catch(() => undefined)
    await isSent
    return { work, [Symbol.asyncDispose]: async () => void socket.destroy() }
  }
})

it.each(['analyze_grown_tables', 'end_frozen_sessions'])(
  'the pool for authentication cannot call %s',
  async name => {
    await expect(app.db.auth`select ${app.db.auth.identifier(name)}()`).rejects.toThrow('permission denied')
  },
)
