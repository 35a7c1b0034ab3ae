import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import { keepStatistics } from './keep-statistics.ts'

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
  const keeping = keepStatistics(app, over.signal)
  await vi.waitFor(async () => expect(await known()).toBe(1_000), { timeout: 20_000, interval: 50 })
  over.abort()
  await keeping
})

it('looks again at what has more than doubled, and at nothing else', async () => {
  await app.owner`analyze persons`
  const before = await known()
  await addPersons(20)
  await app.db.engine`select analyze_grown_tables()`
  expect(await known()).toBe(before)
  await addPersons(2 * before + 1_000)
  await app.db.engine`select analyze_grown_tables()`
  expect(await known()).toBeGreaterThan(3 * before)
})

it('is for the engine alone', async () => {
  await expect(app.db.app`select analyze_grown_tables()`).rejects.toThrow('permission denied')
})
