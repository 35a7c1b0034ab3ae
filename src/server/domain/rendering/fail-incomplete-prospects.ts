import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Context } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Incomplete } from '../campaigns/prospect-effects.ts'
import { failIncomplete, lockProspects } from '../prospects/incomplete.ts'
import { lacksAny, listUsedVariables } from './find-missing.ts'
import { findMissingVariables, toMissingReason } from './missing-variables.ts'
import { type DueStep, findSteps, type StepFacts, selectFacts } from './step-facts.ts'

const CHUNK = 200
const MAX_LISTED = 100

/**
 * Fails the pending prospects that lack a value for a variable of any step. Returns their number and the first of them.
 */
export async function failIncompleteProspects(
  { sql, app }: Context,
  campaignId: string,
): Promise<Incomplete> {
  const steps = await findSteps(sql, campaignId)
  const incomplete: Incomplete = { total: 0, prospects: [] }
  const lacking = lacksAny(sql, await listUsedVariables(steps))
  for (let last = '', hasMore = lacking !== undefined; hasMore; ) {
    const chunk = await selectFacts(sql, app.now(), {
      where: sql`and r.campaign_id = ${campaignId} and r.status = 'pending' and (${lacking!})
                 ${last ? sql`and r.id > ${last}` : sql``} order by r.id limit ${CHUNK}`,
    })
    const found = (await findMissing(chunk, steps)).map(({ facts }) => facts)
    const failed = await failProspects(sql, app.now(), found, steps)
    incomplete.total += failed.length
    incomplete.prospects.push(...failed.slice(0, MAX_LISTED - incomplete.prospects.length))
    hasMore = chunk.length === CHUNK
    last = chunk.at(-1)?.prospectId ?? ''
  }
  return incomplete
}

/**
 * Checks again with the prospects locked: a concurrent change of a person is either seen here or waits for the lock.
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
