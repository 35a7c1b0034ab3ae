import {
  countNewProspectsLeft,
  lockNewProspectLimit,
  type NewProspectLimit,
  recordNewProspects,
} from '../../domain/campaigns/new-prospect-limit.ts'
import { countRampDay, lockQuota, type SendQuota, startGap } from '../../domain/mailboxes/quota.ts'
import type { StepFacts } from '../../domain/rendering/step-facts.ts'
import type { Sql } from '../../kernel/db/database.ts'

/** Remaining capacity of mailboxes and campaigns for steps that are planned together. */
export type Limits = {
  getQuota: (facts: StepFacts) => SendQuota | undefined
  getNewProspectLimit: (facts: StepFacts) => NewProspectLimit | undefined
  /** Reserves capacity for the step; returns false when the batch has used up a limit. */
  reserve: (facts: StepFacts) => boolean
}

/**
 * Locks the limits of all mailboxes, then of all campaigns, until the transaction ends, so that no capacity is used
 * twice.
 */
export async function lockLimits(tx: Sql, all: readonly StepFacts[], now: Date): Promise<Limits> {
  const quotas = new Map<string, Awaited<ReturnType<typeof lockQuota>>>()
  for (const id of sortUnique(all.flatMap(each => findPacedMailbox(each) ?? [])))
    quotas.set(id, await lockQuota(tx, id, now))
  const newProspectLimits = new Map<string, NewProspectLimit>()
  const campaignIds = all.flatMap(facts => (facts.newProspectLimit ? facts.campaignId : []))
  for (const id of sortUnique(campaignIds)) newProspectLimits.set(id, await lockNewProspectLimit(tx, id))

  const getQuota = (facts: StepFacts) => quotas.get(findPacedMailbox(facts) ?? '')
  const getNewProspectLimit = (facts: StepFacts) =>
    facts.newProspectLimit && newProspectLimits.get(facts.campaignId)
  const reserved = new Map<object, number>()
  const reserve = (facts: StepFacts) => {
    const quota = getQuota(facts)
    const newProspectLimit = getNewProspectLimit(facts)
    const limits: [object, number][] = []
    if (quota) limits.push([quota, quota.remaining ?? Number.POSITIVE_INFINITY])
    if (newProspectLimit)
      limits.push([newProspectLimit, countNewProspectsLeft(newProspectLimit, facts.clock, now)])
    if (limits.some(([limit, remaining]) => (reserved.get(limit) ?? 0) >= remaining)) return false
    for (const [limit] of limits) reserved.set(limit, (reserved.get(limit) ?? 0) + 1)
    return true
  }
  return { getQuota, getNewProspectLimit, reserve }
}

/**
 * Counts planned steps toward the new-prospect limits. For each mailbox, starts the gap and counts the day toward the
 * warm-up.
 */
export async function countPlanned(tx: Sql, planned: readonly StepFacts[], now: Date): Promise<void> {
  const newProspects = Map.groupBy(
    planned.filter(({ newProspectLimit }) => newProspectLimit),
    ({ campaignId }) => campaignId,
  )
  for (const [campaignId, steps] of newProspects)
    await recordNewProspects(tx, campaignId, steps.length, steps[0]!.clock, now)
  const byMailbox = Map.groupBy(planned, findPacedMailbox)
  for (const mailboxId of sortUnique([...byMailbox.keys()].filter(id => id !== undefined))) {
    await startGap(tx, { mailboxId, afterId: byMailbox.get(mailboxId)!.at(-1)!.prospectId }, now)
    await countRampDay(tx, mailboxId, now)
  }
}

/** Finds the mailbox whose caps apply to the step; undefined for tasks and calls. */
const findPacedMailbox = ({ step, rep }: StepFacts): string | undefined =>
  step?.channel === 'email' && rep?.isPaced ? rep.mailboxId : undefined

const sortUnique = (ids: string[]): string[] => [...new Set(ids)].sort()
