import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { pipeline } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { audit } from '../accounts/audit-log.ts'
import { forbidAppTriggeredCalls } from '../campaigns/forbid-app-triggered-calls.ts'
import { lockPeople } from '../people/companies/lock-people.ts'
import { type FindMissing, lockOpenCampaign, toMissingMessage } from './add-prospects.ts'
import { completeCampaign } from './complete-campaign.ts'
import { endProspects, type StopEffects } from './end-prospects.ts'
import { readSelectedProspects, type SelectedProspect } from './selected-prospects.ts'
import { findSkipReasons } from './skip-reasons.ts'
import { checkExpectedPeople, listCampaignIds } from './stop-prospects.ts'
import { insertProspects } from './write-prospects.ts'

type Result = Output<'moveProspects'>['data'][number]

/**
 * Stops prospects and adds their people to another campaign, in one transaction. Someone selected as a prospect of two
 * campaigns leaves both and is added once.
 */
export async function moveProspects(
  ctx: Context,
  { prospectIds, campaignId, expectedPeople }: Input<'moveProspects'>,
  { findMissing, ...effects }: StopEffects & { findMissing: FindMissing },
): Promise<Output<'moveProspects'>> {
  await forbidAppTriggeredCalls(ctx, campaignId)
  const notFoundError = invalid('campaignId', 'must be the ID of a campaign in this account')
  const campaign = await lockOpenCampaign(ctx, campaignId, notFoundError)
  // Takes the same lock as adding prospects, so that nobody is added twice.
  await lockPeople(ctx)
  const selected = await readSelectedProspects(ctx, prospectIds)
  const results = await findOutcomes(ctx, campaign, selected)
  const moving = selected.filter((_, index) => results[index]!.outcome === 'moved')
  checkExpectedPeople(expectedPeople, moving, 'moved')
  const movingIds = moving.map(({ id }) => id)
  await effects.withdrawQueuedSteps(
    ctx.sql,
    moving.filter(({ isUnfinished }) => isUnfinished).map(({ id }) => id),
    ctx.app.now(),
  )
  await endProspects(ctx, movingIds, 'moved')
  const added = new Map(results.flatMap(each => (each.newProspectId ? [[each.newProspectId, each]] : [])))
  await insertProspects(
    ctx,
    campaignId,
    [...added.values()].map(({ newProspectId, personId }) => ({ id: newProspectId!, personId })),
    ctx.app.now(),
  )
  for (const oldCampaignId of listCampaignIds(moving)) await completeCampaign(ctx.sql, oldCampaignId)
  if (moving.length > 0) await pipeline(...movingIds.map(id => audit(ctx, 'move', 'prospect', id)))
  const missing = await findMissing(ctx, campaignId, [...added.keys()])
  const warnings = results.flatMap(({ newProspectId }, index) => {
    const variables = newProspectId && missing.get(newProspectId)
    return variables ? [`prospectIds.${index} ${toMissingMessage(variables)}`] : []
  })
  const response = {
    data: results,
    total: results.length,
    moved: moving.length,
    skipped: results.length - moving.length,
    ...(warnings.length > 0 && { warnings }),
  }
  return withInFlight(ctx, response, () => effects.countInFlight(ctx, { prospectIds: movingIds }))
}

const erased = { outcome: 'do_not_contact', reason: 'the person was erased' } as const

/** Returns the outcome of each prospect, in order. */
async function findOutcomes(
  ctx: Context,
  campaign: { id: string; skipActiveElsewhere: boolean },
  selected: readonly SelectedProspect[],
): Promise<Result[]> {
  const candidates = selected.map(({ personId, email, linkedinUrl, phone }) => {
    const person = { id: personId, email, linkedinUrl, phone, isNew: false }
    return { person, facts: person }
  })
  const leaving = new Set(selected.map(({ id }) => id))
  const skipReasons = await findSkipReasons(ctx, campaign, candidates, leaving)
  const newIds = new Map(selected.map(({ personId }) => [personId, randomUUIDv7()]))
  return selected.map(({ id, personId, isErased }, index) => {
    const skipped = isErased ? erased : skipReasons.get(candidates[index]!.person)
    const { outcome, reason } = skipped ?? { outcome: 'moved' as const }
    return {
      prospectId: id,
      personId,
      outcome,
      ...(!skipped && { newProspectId: newIds.get(personId)! }),
      ...(reason !== undefined && { reason }),
    }
  })
}
