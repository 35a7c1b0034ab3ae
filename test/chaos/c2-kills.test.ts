import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { report } from './check.ts'
import { killEverywhere } from './kill-matrix.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('C2: no step goes out twice or is lost, wherever four engines fail and however their servers do', async () => {
  const random = randomFrom('C2_SEED')
  const figures = await killEverywhere(app, { engines: 4, mailsPerServer: 30, oneDeathIn: 6, random })
  report('C2', figures)
  expect(figures).toMatchObject({ doubled: 0, lost: 0, silent: 0 })
  expect(figures.combinations).toBeGreaterThanOrEqual(600)
  expect(figures.deaths).toBeGreaterThanOrEqual(100)
}, 1_200_000)
