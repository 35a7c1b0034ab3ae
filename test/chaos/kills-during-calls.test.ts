import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { killDuringCalls } from './kills-during-calls.ts'
import { report } from './tally-deliveries.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('each attempt of a call step dials at most once and no prospect is skipped, wherever engines are killed', async () => {
  const people = 16
  const figures = await killDuringCalls(app, { people })
  report('kills-during-calls', { people, ...figures })
  expect(figures).toMatchObject({ duplicated: 0, invented: 0, stuck: 0 })
  expect(figures.reached + figures.held).toBe(people)
  expect(figures.reached).toBeGreaterThan(0)
  expect(figures.deaths).toBeGreaterThanOrEqual(9)
})
