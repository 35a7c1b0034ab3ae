import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkHistory } from '../support/campaigns/check-history.ts'
import { openHistoryWorld } from '../support/campaigns/history-world.ts'
import { seedFrom } from '../support/random.ts'

/** `HISTORY_SEED=… bin/test test/engine/recounted-statistics.test.ts` repeats the same choices. */
const HISTORIES = 6
const TIMEOUT_MS = 120_000

let world: Awaited<ReturnType<typeof openHistoryWorld>>
beforeAll(async () => {
  world = await openHistoryWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

describe('campaign statistics', () => {
  const first = seedFrom('HISTORY_SEED')
  it.each(Array.from({ length: HISTORIES }, (_, n) => first + n))(
    'match its report, prospects, messages, tasks and calls after random events (HISTORY_SEED=%i)',
    async seed => {
      const { differences, actions } = await checkHistory(world, seed)
      expect(differences, actions).toEqual([])
    },
    TIMEOUT_MS,
  )
})
