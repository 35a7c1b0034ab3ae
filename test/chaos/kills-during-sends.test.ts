import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { killDuringSends } from './kills-during-sends.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('no step is sent twice or lost, wherever four engines are killed and however their SMTP servers fail', async () => {
  const random = randomFrom('KILLS_DURING_SENDS_SEED')
  const figures = await killDuringSends(app, { engines: 4, mailsPerServer: 30, oneDeathIn: 24, random })
  report('kills-during-sends', figures)
  expect(figures).toMatchObject({ doubled: 0, lost: 0, silent: 0 })
  expect(figures.combinations).toBeGreaterThanOrEqual(600)
  expect(figures.deaths).toBeGreaterThanOrEqual(25)
}, 1_200_000)
