import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { killEngines } from './engine-takeovers.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('another engine takes over the work of a killed engine within 30 seconds', async () => {
  const figures = await killEngines(app, { waves: 1, random: randomFrom('ENGINE_TAKEOVERS_SEED') })
  report('engine-takeovers', figures)
  expect(figures).toMatchObject({ duplicated: 0, lost: 0, misreported: 0, kills: 4 })
  expect(figures.interrupted).toBeGreaterThan(10)
  // This is the only assertion about time, because the documentation promises this limit.
  expect(figures.takenOverAfterMs.max).toBeLessThan(30_000)
})
