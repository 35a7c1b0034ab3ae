import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { freezeEngines, freezeFailpoints } from './frozen-engines.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('an engine frozen past its lease sends nothing that another engine took over', async () => {
  const freezes = freezeFailpoints.length
  const figures = await freezeEngines(app, { freezes, random: randomFrom('FROZEN_ENGINES_SEED') })
  report('frozen-engines', figures)
  expect(figures).toMatchObject({ duplicated: 0, lost: 0, misreported: 0, sentByOldEpoch: 0 })
  // Both cases must occur, otherwise the test proves nothing.
  expect(figures.takenOver).toBeGreaterThan(freezes / 4)
  expect(figures.unconfirmed).toBeGreaterThan(freezes / 8)
})
