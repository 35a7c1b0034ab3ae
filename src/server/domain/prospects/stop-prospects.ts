import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { pipeline } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { audit } from '../accounts/audit-log.ts'
import { completeCampaign } from './complete-campaign.ts'
import { deleteUncontacted, endProspects, type StopEffects } from './end-prospects.ts'
import { isUnfinished } from './incomplete.ts'
import { readSelectedProspects, selectProspectIds } from './selected-prospects.ts'

/** Ends the sequences of these prospects at a user's request; `remove` deletes those never contacted. */
export async function stopProspects(
  ctx: Context,
  { mode, expectedPeople, ...selection }: Input<'stopProspects'>,
  effects: StopEffects,
): Promise<Output<'stopProspects'>> {
  const prospectIds = await selectProspectIds(ctx, selection, isUnfinished(ctx.sql, ctx.sql`r`))
  const selected = await readSelectedProspects(ctx, prospectIds)
  await effects.withdrawQueuedSteps(
    ctx.sql,
    selected.filter(({ isUnfinished }) => isUnfinished).map(({ id }) => id),
    ctx.app.now(),
  )
  const removed = new Set(mode === 'remove' ? await deleteUncontacted(ctx, prospectIds) : [])
  const stopped = new Set(await endProspects(ctx, prospectIds, 'manual'))
  const data = selected.map(({ id, personId }) => ({
    prospectId: id,
    personId,
    outcome: removed.has(id)
      ? ('removed' as const)
      : stopped.has(id)
        ? ('stopped' as const)
        : ('already_ended' as const),
  }))
  const changed = selected.filter(({ id }) => removed.has(id) || stopped.has(id))
  checkExpectedPeople(expectedPeople, changed, 'stopped')
  for (const campaignId of listCampaignIds(changed)) await completeCampaign(ctx.sql, campaignId)
  if (changed.length > 0)
    await pipeline(
      ...changed.map(({ id }) => audit(ctx, removed.has(id) ? 'remove' : 'stop', 'prospect', id)),
    )
  const response = {
    data,
    total: data.length,
    stopped: stopped.size,
    removed: removed.size,
    skipped: data.length - changed.length,
  }
  return withInFlight(ctx, response, () => effects.countInFlight(ctx, { prospectIds }))
}

const unaffected = {
  paused: 'none of them has a sequence to pause',
  resumed: 'none of them can be resumed',
  stopped: 'none of them has an unfinished sequence',
  moved: 'the other campaign accepts none of them',
}

/** Throws a conflict when a change affects a different number of people than the caller confirmed. */
export function checkExpectedPeople(
  expected: number | undefined,
  changed: readonly { personId: string }[],
  verb: keyof typeof unaffected,
): void {
  const people = new Set(changed.map(({ personId }) => personId)).size
  if (expected === undefined || expected === people) return
  if (people === 0) throw conflict(`No prospects were ${verb}: ${unaffected[verb]}.`)
  throw conflict(
    `No prospects were ${verb}: the request would affect ${people} instead of ${expected} people. Check the prospects, then repeat the request with the current number.`,
  )
}

export const listCampaignIds = (prospects: readonly { campaignId: string }[]): string[] =>
  [...new Set(prospects.map(({ campaignId }) => campaignId))].sort()
