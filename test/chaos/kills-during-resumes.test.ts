import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { randomFrom } from '../support/random.ts'
import { killDuringResumes } from './kills-during-resumes.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('a prospect resumed after a bounce gets no step twice and misses none, wherever the engines are killed', async () => {
  const random = randomFrom('KILLS_DURING_RESUMES_SEED')
  const size = { people: 40, engines: 2, servers: 2, oneDeathIn: 8 }
  const figures = await killDuringResumes(app, { ...size, random })
  report('kills-during-resumes', figures)
  expect(figures).toMatchObject({ duplicated: 0, lost: 0, misreported: 0, unfinished: 0 })
  expect(figures.resumed).toBeGreaterThanOrEqual(size.people)
  expect(figures.deaths).toBeGreaterThanOrEqual(4)
  expect(figures.delivered).toBeGreaterThan(size.people)
})
