import {
  type CheckedAccount,
  checkHistories,
  describeDifferences,
} from '../support/campaigns/check-history.ts'
import { openHistoryWorld } from '../support/campaigns/history-world.ts'
import type { TemplateDatabase } from '../support/db/database.ts'

type Counts = Record<string, number>
type Figures = {
  differences: number
  examples: string[]
  /** Number of events that had an effect, by kind. */
  events: Counts
  /** Number of outcomes by kind, as the reports count them. */
  outcomes: Counts
}

/** Simulates random campaigns in one database, and compares their statistics, reports, prospects and messages. */
export async function compareRandomHistories(
  options: { count: number; seed: number },
  database: TemplateDatabase,
): Promise<Figures> {
  await using world = await openHistoryWorld(database)
  const accounts = await checkHistories(world, options)
  const different = accounts.filter(({ differences }) => differences.length > 0)
  return {
    differences: different.flatMap(each => each.differences).length,
    examples: different.slice(0, 3).map(describeDifferences),
    events: countEvents(accounts),
    outcomes: sumOutcomes(accounts),
  }
}

function countEvents(accounts: CheckedAccount[]): Counts {
  const counts: Counts = {}
  for (const { act, result } of accounts
    .flatMap(({ histories }) => histories)
    .flatMap(({ events }) => events))
    if (result === 'done') counts[act] = (counts[act] ?? 0) + 1
  return counts
}

function sumOutcomes(accounts: CheckedAccount[]): Counts {
  const sums: Counts = {}
  for (const { total } of accounts)
    for (const [name, value] of Object.entries(total))
      if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value
  return sums
}
