import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { openTurns } from './worker.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('a turn that never ends loses its place to the next, which is told', async () => {
  const waiting = ['hangs', 'next']
  const taken: string[] = []
  const faults: unknown[] = []
  await using _turns = openTurns<string>(app, {
    what: 'tests',
    claimMs: 1,
    leaseMs: 5,
    most: 1,
    claim: async limit => waiting.splice(0, limit),
    begin: () => undefined,
    take: async claim => {
      taken.push(claim)
      if (claim === 'hangs') await new Promise(() => {})
    },
    logFault: (claim, err) => faults.push([claim, String(err)]),
  })
  await expect.poll(() => taken).toEqual(['hangs', 'next'])
  expect(faults).toEqual([['hangs', expect.stringContaining('hangs')]])
})
