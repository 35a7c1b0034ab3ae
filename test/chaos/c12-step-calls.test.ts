import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { report } from './check.ts'
import { killCalls } from './step-calls.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('C12: each attempt of a step dials once at most, and nobody is forgotten, wherever engines are killed', async () => {
  const people = 16
  const figures = await killCalls(app, { people })
  report('C12 steps', { people, ...figures })
  expect(figures).toMatchObject({ doubled: 0, invented: 0, stuck: 0 })
  expect(figures.reached + figures.shown).toBe(people)
  expect(figures.reached).toBeGreaterThan(0)
  expect(figures.deaths).toBeGreaterThanOrEqual(9)
}, 600_000)
