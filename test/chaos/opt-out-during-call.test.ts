import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceCalls } from './opt-out-during-call.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
})
afterAll(() => app[Symbol.asyncDispose]())

it('nobody is dialed after an acknowledged opt-out, without consent, or by two calls at once', async () => {
  const people = 200
  const figures = await raceCalls(app, { people, random: randomFrom('OPT_OUT_DURING_CALL_SEED') })
  report('opt-out-during-call', { people, ...figures })
  const none = { late: 0, unreported: 0, dialedTwice: 0, concurrent: 0, withoutConsent: 0, stillQueued: 0 }
  expect(figures).toMatchObject(none)
  // Both results of the race must occur, otherwise the test proves nothing. A fifth of the people have no consent; two
  // fifths have it and neither opt out nor withdraw.
  expect(figures.notCalled).toBeGreaterThan(people / 5)
  expect(figures.dialed).toBeGreaterThan((people * 2) / 5)
})
