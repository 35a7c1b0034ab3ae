import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { report } from './check.ts'
import { raceOptOuts } from './opt-out-races.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('C1: no mail leaves after an opt-out was acknowledged, but for those it tells of', async () => {
  const races = 2_000
  const figures = await raceOptOuts(app, { races, random: randomFrom('C1_SEED') })
  report('C1', { races, ...figures })
  expect(figures).toMatchObject({ late: 0, lost: 0, doubled: 0, silent: 0, unknown: 0 })
  // Each end of the race came about, or nothing was shown.
  expect(figures.sent).toBeGreaterThan(0)
  expect(figures.suppressed).toBeGreaterThan(0)
  expect(figures.inFlight).toBeGreaterThan(0)
  expect(figures.sent + figures.suppressed).toBe(races)
}, 1_200_000)
