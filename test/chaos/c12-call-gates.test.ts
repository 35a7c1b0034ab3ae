import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceCalls } from './call-races.ts'
import { report } from './check.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
})
afterAll(() => app[Symbol.asyncDispose]())

it('C12: nobody is dialed after an opt-out was acknowledged, without consent, or twice at once', async () => {
  const people = 400
  const figures = await raceCalls(app, { people, random: randomFrom('C12_SEED') })
  report('C12', { people, ...figures })
  const none = { late: 0, untold: 0, doubled: 0, twoAtOnce: 0, withoutConsent: 0, left: 0 }
  expect(figures).toMatchObject(none)
  // Both ends of the races came about, or nothing was shown: others were spared than those who never agreed, and
  // others dialed than those who did nothing about it.
  expect(figures.spared).toBeGreaterThan(people / 5)
  expect(figures.dialed).toBeGreaterThan((people * 2) / 5)
}, 600_000)
