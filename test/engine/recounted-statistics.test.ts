import { expect, it } from 'vitest'
import { checkHistories, describeDifferences } from '../support/campaigns/check-history.ts'
import { openHistoryWorld } from '../support/campaigns/history-world.ts'
import { seedFrom } from '../support/random.ts'

/** `HISTORY_SEED=… bin/test test/engine/recounted-statistics.test.ts` repeats the same choices. */
const HISTORIES = 16
const TIMEOUT_MS = 120_000

it(
  'reports, campaign statistics, prospects, messages, tasks and calls agree after random events',
  async () => {
    const seed = seedFrom('HISTORY_SEED')
    await using world = await openHistoryWorld()
    const accounts = await checkHistories(world, { seed, count: HISTORIES })
    const different = accounts.filter(({ differences }) => differences.length > 0)
    expect(different.map(describeDifferences).join('\n\n')).toBe('')
  },
  TIMEOUT_MS,
)
