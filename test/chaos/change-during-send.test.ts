import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceChanges } from './change-during-send.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('once a pause, a stop or an address change is acknowledged, the prospect gets no email that was not already in flight', async () => {
  const races = 200
  const figures = await raceChanges(app, { emailCount: races, random: randomFrom('CHANGE_DURING_SEND_SEED') })
  report('change-during-send', figures)
  expect(figures.sent + figures.suppressed).toBe(races)
  expect(figures).toMatchObject({
    late: 0,
    failed: 0,
    lost: 0,
    duplicated: 0,
    misreported: 0,
    unconfirmed: 0,
  })
  // Every result of the race must occur, otherwise the test proves nothing.
  expect(figures.races).toBeGreaterThan(races / 4)
  expect(figures.stopped).toBeGreaterThan(0)
  expect(figures.inFlight).toBeGreaterThan(0)
  expect(figures.withheld).toBeGreaterThan(0)
})

it('merging people while their emails are sent neither loses nor duplicates emails, and sends none to a merged address afterwards', async () => {
  const races = 100
  const figures = await raceChanges(app, {
    ...{ emailCount: races, isMerging: true },
    random: randomFrom('MERGE_DURING_SEND_SEED'),
  })
  report('merge-during-send', figures)
  expect(figures).toMatchObject({
    sent: races,
    late: 0,
    failed: 0,
    lost: 0,
    duplicated: 0,
    misreported: 0,
    unconfirmed: 0,
  })
  expect(figures.merged).toBeGreaterThan(races / 10)
})
