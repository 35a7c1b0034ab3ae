import type { Output } from '../../../contract/index.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Incomplete } from '../campaigns/prospect-effects.ts'
import { failIncomplete, lockProspects } from '../prospects/incomplete.ts'
import { lacksAny, listUsedVariables } from './find-missing.ts'
import { findMissingVariables, toMissingReason } from './missing-variables.ts'
import { type DueStep, findSteps, type StepFacts, selectFacts } from './step-facts.ts'

const CHUNK_SIZE = 200
const MAX_LISTED = 100

/**
 * Fails the pending prospects that lack a value for a variable of any step. Returns their number and the first 100.
 */
export async function failIncompleteProspects(ctx: Context, campaignId: string): Promise<Incomplete> {
  const incomplete: Incomplete = { total: 0, prospects: [] }
  const steps = await findSteps(ctx.sql, campaignId)
  for await (const found of findIncomplete(ctx, campaignId, steps)) {
    const failed = await failProspects(
      ctx.sql,
      ctx.app.now(),
      found.map(({ facts }) => facts),
      steps,
    )
    incomplete.total += failed.length
    incomplete.prospects.push(...failed.slice(0, MAX_LISTED - incomplete.prospects.length))
  }
  return incomplete
}

/** Returns the prospects that failIncompleteProspects would fail, the first 100 with their names. Changes nothing. */
export async function findIncompleteProspects(ctx: Context, campaignId: string): Promise<NamedIncomplete> {
  const incomplete: NamedIncomplete = { ids: [], prospects: [] }
  const steps = await findSteps(ctx.sql, campaignId)
  for await (const found of findIncomplete(ctx, campaignId, steps)) {
    incomplete.ids.push(...found.map(({ facts }) => facts.prospectId))
    const listed = found.slice(0, MAX_LISTED - incomplete.prospects.length)
    for (const { facts, variables } of listed) {
      const { prospectId, personId, contact } = facts
      const name = facts.variables.fullName || contact.email
      incomplete.prospects.push({ prospectId, personId, ...(name && { name }), variables })
    }
  }
  return incomplete
}

export type NamedIncomplete = {
  ids: string[]
  prospects: NonNullable<NonNullable<Output<'forecastCampaign'>['launch']>['incomplete']>['prospects']
}

/** Yields the pending prospects that lack a value, a chunk at a time. */
async function* findIncomplete(
  { sql, app }: Context,
  campaignId: string,
  steps: readonly DueStep[],
): AsyncGenerator<{ facts: StepFacts; variables: string[] }[]> {
  const lacking = lacksAny(sql, await listUsedVariables(steps))
  for (let last = '', hasMore = lacking !== undefined; hasMore; ) {
    const chunk = await selectFacts(sql, app.now(), {
      where: sql`and r.campaign_id = ${campaignId} and r.status = 'pending' and (${lacking!})
                 ${last ? sql`and r.id > ${last}` : sql``} order by r.id limit ${CHUNK_SIZE}`,
    })
    yield await findMissing(chunk, steps)
    hasMore = chunk.length === CHUNK_SIZE
    last = chunk.at(-1)?.prospectId ?? ''
  }
}

/**
 * Locks the prospects and fails those that still lack a value. A concurrent change to a person is either seen here or
 * waits for the lock.
 */
async function failProspects(
  sql: Sql,
  now: Date,
  found: readonly StepFacts[],
  steps: readonly DueStep[],
): Promise<Incomplete['prospects']> {
  if (found.length === 0) return []
  const ids = found.map(({ prospectId }) => prospectId)
  await lockProspects(sql, ids)
  const facts = await selectFacts(sql, now, { where: sql`and r.id = any(${ids}::uuid[]) order by r.id` })
  const failed = (await findMissing(facts, steps)).map(({ facts: { prospectId, personId }, variables }) => ({
    ...{ prospectId, personId, variables },
  }))
  await failIncomplete(
    sql,
    failed.map(({ prospectId, variables }) => ({ id: prospectId, reason: toMissingReason(variables) })),
  )
  return failed
}

async function findMissing(
  prospects: readonly StepFacts[],
  steps: readonly DueStep[],
): Promise<{ facts: StepFacts; variables: string[] }[]> {
  const yieldIfDue = createYielder()
  const found: { facts: StepFacts; variables: string[] }[] = []
  for (const facts of prospects) {
    const variables = await findMissingVariables(facts, steps, yieldIfDue)
    if (variables.length > 0) found.push({ facts, variables })
  }
  return found
}
