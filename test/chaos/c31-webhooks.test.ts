import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { amount } from '../support/environment.ts'
import { randomFrom } from '../support/random.ts'
import { report } from './check.ts'
import { stormWebhooks } from './webhook-storm.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('C31: every event reaches every receiver, signed and under one id, however they fail and engines die', async () => {
  const events = amount('C31_EVENTS', 200, 5_000)
  const figures = await stormWebhooks(app, { events, kills: 9, random: randomFrom('C31_SEED') })
  report('C31', figures)
  expect(figures).toMatchObject({
    expected: 5 * events,
    lost: 0,
    torn: 0,
    unsigned: 0,
    undelivered: 0,
  })
  // Two may come to the place of a death before either hears of the other's.
  expect(figures.kills).toBeGreaterThanOrEqual(9)
}, 900_000)
