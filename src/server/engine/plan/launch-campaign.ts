import type { Input, Output } from '../../../contract/index.ts'
import { launchCampaign as launch } from '../../domain/campaigns/status-transitions.ts'
import { findDomainWarnings } from '../../domain/domains/domain-warnings.ts'
import { failIncomplete, hasOpenProspects, lockProspects } from '../../domain/prospects/incomplete.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import { lackingOneOf, namedIn } from './find-missing.ts'
import { missingReason, missingVariables } from './missing-variables.ts'
import { type DueStep, findSteps, type StepFacts, selectFacts } from './step-facts.ts'

type Incomplete = NonNullable<Output<'launchCampaign'>['incomplete']>

const CHUNK = 200
const NAMED = 100

/**
 * Whoever has no value for what some step says is told and left out from the beginning, instead of getting half of the
 * sequence; with the value they come in by themselves. Where that is everybody, the campaign stays a draft.
 */
export async function launchCampaign(
  ctx: Context,
  { campaignId }: Input<'launchCampaign'>,
): Promise<Output<'launchCampaign'>> {
  const { text } = await launch(ctx, { campaignId })
  const incomplete = await leaveOutIncomplete(ctx, campaignId)
  if (incomplete.total > 0 && !(await hasOpenProspects(ctx, campaignId))) {
    throw conflict(
      `The campaign stays a draft: none of its ${incomplete.total} prospects has a value for everything that its steps say. Give them values, or the steps fallbacks as in {{ company | default: "your company" }}.`,
      incomplete.prospects.map(({ prospectId, variables }) => ({
        path: `prospects.${prospectId}`,
        message: `has no ${variables.join(', ')}`,
      })),
    )
  }
  const domainWarnings = await findDomainWarnings(ctx, campaignId)
  return {
    ...JSON.parse(text),
    ...(incomplete.total > 0 && { incomplete }),
    ...(domainWarnings.length > 0 && { domainWarnings }),
  }
}

async function leaveOutIncomplete({ sql, app }: Context, campaignId: string): Promise<Incomplete> {
  const steps = await findSteps(sql, campaignId)
  const incomplete: Incomplete = { total: 0, prospects: [] }
  const lacking = lackingOneOf(sql, await namedIn(steps))
  for (let last = '', isFull = lacking !== undefined; isFull; ) {
    const chunk = await selectFacts(sql, app.now(), {
      where: sql`and r.campaign_id = ${campaignId} and r.status = 'pending' and (${lacking!})
                 ${last ? sql`and r.id > ${last}` : sql``} order by r.id limit ${CHUNK}`,
    })
    const found = (await findMissing(chunk, steps)).map(({ facts }) => facts)
    const left = await leaveOut(sql, app.now(), found, steps)
    incomplete.total += left.length
    incomplete.prospects.push(...left.slice(0, NAMED - incomplete.prospects.length))
    isFull = chunk.length === CHUNK
    last = chunk.at(-1)?.prospectId ?? ''
  }
  return incomplete
}

/** Looks once more with the prospects locked: a change of a person waits for them, or is seen here. */
async function leaveOut(
  sql: Sql,
  now: Date,
  found: readonly StepFacts[],
  steps: readonly DueStep[],
): Promise<Incomplete['prospects']> {
  if (found.length === 0) return []
  const ids = found.map(({ prospectId }) => prospectId)
  await lockProspects(sql, ids)
  const facts = await selectFacts(sql, now, { where: sql`and r.id = any(${ids}::uuid[]) order by r.id` })
  const left = (await findMissing(facts, steps)).map(({ facts: { prospectId, personId }, variables }) => ({
    ...{ prospectId, personId, variables },
  }))
  await failIncomplete(
    sql,
    left.map(({ prospectId, variables }) => ({ id: prospectId, reason: missingReason(variables) })),
  )
  return left
}

/** Those of the prospects that lack something, with what. */
async function findMissing(
  prospects: readonly StepFacts[],
  steps: readonly DueStep[],
): Promise<{ facts: StepFacts; variables: string[] }[]> {
  const yieldIfDue = createYielder()
  const found: { facts: StepFacts; variables: string[] }[] = []
  for (const facts of prospects) {
    const variables = await missingVariables(facts, steps, yieldIfDue)
    if (variables.length > 0) found.push({ facts, variables })
  }
  return found
}
