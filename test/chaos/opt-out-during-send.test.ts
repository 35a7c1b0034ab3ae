import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceOptOuts } from './opt-out-during-send.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('no email leaves after an opt-out is acknowledged, except those it reports as in flight', async () => {
  const races = 500
  const figures = await raceOptOuts(app, { races, random: randomFrom('OPT_OUT_DURING_SEND_SEED') })
  report('opt-out-during-send', { races, ...figures })
  expect(figures).toMatchObject({ late: 0, lost: 0, doubled: 0, silent: 0, unknown: 0 })
  // Every result of the race must occur, otherwise the test proves nothing.
  expect(figures.sent).toBeGreaterThan(0)
  expect(figures.suppressed).toBeGreaterThan(0)
  expect(figures.inFlight).toBeGreaterThan(0)
  expect(figures.sent + figures.suppressed).toBe(races)
}, 1_200_000)
