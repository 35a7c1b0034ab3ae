import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceForQuota } from './mailbox-caps.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it("sixteen claimers never exceed a mailbox's cap in any 24 hours and use at least 98% of the quota", async () => {
  const random = randomFrom('MAILBOX_CAPS_SEED')
  const size = { claimers: 16, cap: 50, due: 1_000, mailboxes: 1, days: 1 }
  const figures = await raceForQuota(app, { ...size, random })
  report('mailbox-caps', figures)
  expect(figures).toMatchObject({ worst: 50, duplicated: 0 })
  expect(figures.used).toBeGreaterThanOrEqual(0.98)
})
