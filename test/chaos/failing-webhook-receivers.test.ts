import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { stormWebhooks } from './failing-webhook-receivers.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('every event reaches every webhook, signed and under one ID, while receivers fail and engines are killed', async () => {
  const events = 200
  const figures = await stormWebhooks(app, { events, kills: 9, random: randomFrom('WEBHOOKS_SEED') })
  report('failing-webhook-receivers', figures)
  expect(figures).toMatchObject({
    expected: 5 * events,
    lost: 0,
    inconsistent: 0,
    unsigned: 0,
    undelivered: 0,
  })
  // Two engines may reach a failpoint before either is disarmed.
  expect(figures.kills).toBeGreaterThanOrEqual(9)
})
