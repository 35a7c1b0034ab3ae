import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { racePauses } from './pause-during-send.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('once a pause of an account or campaign is acknowledged, only emails that the pause reported as in flight are sent', async () => {
  const emailCount = 120
  const figures = await racePauses(app, { emailCount, random: randomFrom('PAUSE_DURING_SEND_SEED') })
  report('pause-during-send', figures)
  expect(figures).toMatchObject({
    sent: emailCount,
    late: 0,
    lost: 0,
    duplicated: 0,
    misreported: 0,
    unconfirmed: 0,
  })
  // Every result of the race must occur, otherwise the test proves nothing.
  expect(figures.pauses).toBeGreaterThan(5)
  expect(figures.inFlight).toBeGreaterThan(0)
  expect(figures.withheld).toBeGreaterThan(0)
})
