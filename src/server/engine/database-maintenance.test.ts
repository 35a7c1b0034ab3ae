import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import { analyzeGrownTables, endFrozenSessions } from '../kernel/db/database.ts'
import { maintainDatabase } from './database-maintenance.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const known = async (): Promise<number> => {
  const [table] = await app.owner`select reltuples from pg_class where oid = 'persons'::regclass`
  return table!.reltuples
}
const addPersons = async (count: number) => {
  const { accountId } = await aCaller(app)
  await app.owner`
    insert into persons (account_id, id, email)
    select ${accountId}, gen_random_uuid(), n || '@acme.example' from generate_series(1, ${count}) n`
}

it('lets PostgreSQL plan by what was imported a moment ago', async () => {
  await addPersons(1_000)
  const over = new AbortController()
  const maintaining = maintainDatabase(app, over.signal)
  await vi.waitFor(async () => expect(await known()).toBe(1_000), { timeout: 20_000, interval: 50 })
  over.abort()
  await maintaining
})

it('looks again at what has more than doubled, and at nothing else', async () => {
  await app.owner`analyze persons`
  const before = await known()
  await addPersons(20)
  await analyzeGrownTables(app.db.engine)
  expect(await known()).toBe(before)
  await addPersons(2 * before + 1_000)
  await analyzeGrownTables(app.db.engine)
  expect(await known()).toBeGreaterThan(3 * before)
})

it('lets an import plan by what it has just added itself', async () => {
  const caller = await aCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const rows = Array.from({ length: 12_000 }, (_, n) => `ada${n}@acme.example`)
  const before = await known()
  await caller.call('importProspects', { campaignId, csv: `email\n${rows.join('\n')}` })
  expect(await known()).toBeGreaterThan(before + 3_000)
})

describe('a session that is sent no end of its statement', () => {
  it('keeps what it locked for no longer than a statement may take', async () => {
    const { accountId } = await aCaller(app)
    const touch = () =>
      app.owner.begin(tx => tx`select from accounts where id = ${accountId} for update nowait`)
    await using frozen = await openFrozenSession(accountId)
    await expect(touch()).rejects.toThrow('could not obtain lock')
    expect(await endFrozenSessions(app.db.engine)).toBe(0)
    await expect(touch()).rejects.toThrow('could not obtain lock')

    expect(await endFrozenAfter(200)).toBe(1)
    await vi.waitFor(touch, { timeout: 10_000, interval: 20 })
    await expect(frozen.work).rejects.toThrow()
  })

  it('is no session that rests, waits for others, or is at work', async () => {
    const { accountId } = await aCaller(app)
    const over = Promise.withResolvers<void>()
    const resting = app.db.work.begin(async tx => {
      await tx`select set_config('app.account_id', ${accountId}, true)`
      await tx`select from accounts where id = ${accountId} for update`
      await over.promise
      return 'rested'
    })
    const waiting = app.owner`select from accounts where id = ${accountId} for update`
    const working = app.db.work`select pg_sleep(1)`
    expect(await endFrozenAfter(500)).toBe(0)
    over.resolve()
    expect(await resting).toBe('rested')
    await Promise.all([waiting, working])
  })

  /** With such a limit to statements, and only those that were under way when it began. */
  async function endFrozenAfter(limitMs: number): Promise<number> {
    await sleep(2 * limitMs)
    return app.db.engine.begin(async tx => {
      await tx`select set_config('statement_timeout', ${`${limitMs}ms`}, true)`
      return endFrozenSessions(tx)
    })
  }

  /** As of a process that was stopped when it had sent the first part of its second statement. */
  async function openFrozenSession(accountId: string) {
    if (!('options' in app.connection)) throw new Error('the tests connect by options')
    const { promise: isSent, resolve: tellSent } = Promise.withResolvers<void>()
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
      tellSent()
      return write(chunk)
    }) as typeof socket.write
    const work = client.query("select $1 || 'frozen'", ['frozen'])
    work.catch(() => undefined)
    await isSent
    return { work, [Symbol.asyncDispose]: async () => void socket.destroy() }
  }
})

it.each(['analyze_grown_tables', 'end_frozen_sessions'])('%s is not for who signs people in', async name => {
  await expect(app.db.auth`select ${app.db.auth.identifier(name)}()`).rejects.toThrow('permission denied')
})
