import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceForPlaces } from './caps.ts'
import { report } from './check.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('C11: sixteen claimers take no place too many in any 24 hours, and leave none', async () => {
  const random = randomFrom('C11_SEED')
  const size = { claimers: 16, cap: 50, due: 10_000, mailboxes: 1, days: 2 }
  const figures = await raceForPlaces(app, { ...size, random })
  report('C11', figures)
  expect(figures).toMatchObject({ worst: 50, doubled: 0 })
  expect(figures.used).toBeGreaterThanOrEqual(0.98)
}, 600_000)
