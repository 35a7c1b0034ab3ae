import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { openWorker } from './worker.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('gives the slot of a job that hangs to the next job and logs an error', async () => {
  const waiting = ['hangs', 'next']
  const performed: string[] = []
  const errors: unknown[] = []
  await using _worker = openWorker<string>(app, {
    queue: 'tests',
    pollMs: 1,
    leaseMs: 5,
    concurrency: 1,
    claim: async limit => waiting.splice(0, limit),
    prepare: () => undefined,
    perform: async claim => {
      performed.push(claim)
      if (claim === 'hangs') await new Promise(() => {})
    },
    logError: (claim, err) => errors.push([claim, String(err)]),
  })
  await expect.poll(() => performed).toEqual(['hangs', 'next'])
  expect(errors).toEqual([['hangs', expect.stringContaining('hangs')]])
})
