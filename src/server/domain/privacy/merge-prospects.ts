import type { Context } from '../../kernel/context.ts'
import { bouncedStepCount } from '../outbox/bounced-steps.ts'
import { withdrawQueuedSteps } from '../outbox/withdraw-queued.ts'
import { pausePausableProspects } from '../prospects/in-touch.ts'
import { isHeldAddress, isUnfinished } from '../prospects/incomplete.ts'

type MergedProspect = {
  id: string
  campaignId: string
  isMoving: boolean
  isUnfinished: boolean
  /** True if another of these prospects in the same campaign is kept instead. */
  isDuplicate: boolean
  /** The reason for the pause if it concerns the person rather than their address; null otherwise. */
  pauseReason: string | null
}

/**
 * Moves the prospects of duplicates to the person. If several are in the same campaign, keeps one and stops the others.
 * Keeps one that replied or opted out, which ends the sequence, or else the one with the most steps done, so that no
 * step is sent twice. Pauses the kept prospect if another one was paused. Withdraws queued steps, because they are
 * addressed to a duplicate. Returns the campaigns of the stopped prospects.
 */
export async function mergeProspects(
  ctx: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<string[]> {
  const { sql, accountId, app } = ctx
  const prospects = await findProspects(ctx, personId, duplicateIds)
  const getIds = (isWanted: (prospect: MergedProspect) => boolean) =>
    prospects.filter(isWanted).map(({ id }) => id)
  await withdrawQueuedSteps(
    sql,
    getIds(({ isUnfinished, isMoving, isDuplicate }) => isUnfinished && (isMoving || isDuplicate)),
    app.now(),
  )
  const stopped = await sql<{ campaignId: string }[]>`
    update prospects r
       set status = 'stopped', status_reason = 'merged', next_step_at = null, lease_until = null,
           lease_epoch = lease_epoch + 1, updated_at = now()
     where account_id = ${accountId} and id = any(${getIds(({ isDuplicate }) => isDuplicate)}::uuid[])
       and ${isUnfinished(sql, sql`r`)}
    returning campaign_id as "campaignId"`
  // Updates the duplicates first, because a person can have only one prospect in a campaign that is not a duplicate.
  for (const [isDuplicate, ids] of [
    [true, getIds(({ isDuplicate }) => isDuplicate)],
    [false, getIds(({ isMoving, isDuplicate }) => isMoving && !isDuplicate)],
  ] as const)
    await sql`
      update prospects
         set person_id = ${personId}, is_duplicate = is_duplicate or ${isDuplicate}, lease_until = null,
             lease_epoch = lease_epoch + 1, updated_at = now()
       where account_id = ${accountId} and id = any(${ids}::uuid[])`
  for (const { campaignId, isDuplicate, pauseReason } of prospects)
    if (isDuplicate && pauseReason) {
      const kept = getIds(other => other.campaignId === campaignId && !other.isDuplicate)
      await pausePausableProspects(sql, kept, pauseReason, app.now())
    }
  return stopped.map(({ campaignId }) => campaignId)
}

/** Finds the prospects of these persons. A bounced step does not count as done. */
const findProspects = (
  { sql, accountId }: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<MergedProspect[]> => sql<MergedProspect[]>`
  select r.id, r.campaign_id as "campaignId", r.person_id <> ${personId} as "isMoving",
         ${isUnfinished(sql, sql`r`)} as "isUnfinished",
         case when r.status = 'paused' and not ${isHeldAddress(sql, sql`r`)} then r.status_reason end as "pauseReason",
         r.is_duplicate or row_number() over (
           partition by r.campaign_id, r.is_duplicate
               order by r.status in ('replied', 'opted_out') desc,
                        r.steps_done - case r.status when 'bounced' then ${bouncedStepCount(sql)} else 0 end desc,
                        ${isUnfinished(sql, sql`r`)} desc, r.began_at is null, r.created_at, r.id) > 1 as "isDuplicate"
    from prospects r
   where r.account_id = ${accountId} and r.person_id = any(${[personId, ...duplicateIds]}::uuid[])
   order by r.id`
