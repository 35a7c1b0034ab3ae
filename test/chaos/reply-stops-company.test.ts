import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { raceCompanyReplies } from './reply-stops-company.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('once a reply is stored, nobody at the same company gets a follow-up that was not already in flight', async () => {
  const companies = 60
  const figures = await raceCompanyReplies(app, { companies, random: randomFrom('REPLY_STOPS_COMPANY_SEED') })
  report('reply-stops-company', figures)
  expect(figures).toMatchObject({ late: 0, duplicated: 0, mismatched: 0 })
  // Every result of the race must occur, otherwise the test proves nothing.
  expect(figures.replies).toBeGreaterThan(companies / 4)
  expect(figures.stopped).toBeGreaterThan(0)
  expect(figures.inFlight).toBeGreaterThan(0)
  expect(figures.withheld).toBeGreaterThan(0)
})
