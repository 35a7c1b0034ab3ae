import { checkHistory } from '../support/campaigns/check-history.ts'
import { openHistoryWorld } from '../support/campaigns/history-world.ts'
import type { TemplateDatabase } from '../support/db/database.ts'

/** Compares statistics, report, states and messages of random campaigns. `seeds` repeat the histories that differ. */
export async function checkHistories(
  { histories, seed }: { histories: number; seed: number },
  place: TemplateDatabase,
): Promise<{ differences: number; seeds: number[]; examples: string[] }> {
  await using world = await openHistoryWorld(place)
  const found: { seed: number; differences: string[] }[] = []
  for (let n = 0; n < histories; n++) {
    // The mails of earlier histories would be read again and again.
    world.server.transfers.length = 0
    const { differences } = await checkHistory(world, seed + n)
    if (differences.length > 0) found.push({ seed: seed + n, differences })
  }
  return {
    differences: found.reduce((sum, { differences }) => sum + differences.length, 0),
    seeds: found.slice(0, 10).map(each => each.seed),
    examples: found.flatMap(({ differences }) => differences).slice(0, 10),
  }
}
