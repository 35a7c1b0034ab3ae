import type { Context } from '../../kernel/context.ts'
import { withdrawQueuedSteps } from '../outbox/withdraw-queued.ts'
import { isUnfinished } from '../prospects/incomplete.ts'

type MergedProspect = {
  id: string
  campaignId: string
  isMoving: boolean
  isOpen: boolean
  /** Another prospect of these persons in the same campaign goes on. */
  isBehind: boolean
}

/**
 * Moves the prospects of duplicates to the person. In a campaign with several of them one goes on: a reply or opt-out
 * ends the sequence, else the one that got most steps, so that no step is sent twice. Stops the others, and returns the
 * campaigns of those. Steps in the queue are written anew, because they are addressed to a duplicate.
 */
export async function mergeProspects(
  ctx: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<string[]> {
  const { sql, accountId, app } = ctx
  const prospects = await findProspects(ctx, personId, duplicateIds)
  const select = (isWanted: (prospect: MergedProspect) => boolean) =>
    prospects.filter(isWanted).map(({ id }) => id)
  await withdrawQueuedSteps(
    sql,
    select(({ isOpen, isMoving, isBehind }) => isOpen && (isMoving || isBehind)),
    app.now(),
  )
  const stopped = await sql<{ campaignId: string }[]>`
    update prospects r
       set status = 'stopped', status_reason = 'merged', next_step_at = null, lease_until = null,
           lease_epoch = lease_epoch + 1, updated_at = now()
     where account_id = ${accountId} and id = any(${select(({ isBehind }) => isBehind)}::uuid[])
       and ${isUnfinished(sql, sql`r`)}
    returning campaign_id as "campaignId"`
  // Those that are behind first: a person has one prospect in a campaign that isn't.
  for (const [isDuplicate, ids] of [
    [true, select(({ isBehind }) => isBehind)],
    [false, select(({ isMoving, isBehind }) => isMoving && !isBehind)],
  ] as const)
    await sql`
      update prospects
         set person_id = ${personId}, is_duplicate = is_duplicate or ${isDuplicate}, lease_until = null,
             lease_epoch = lease_epoch + 1, updated_at = now()
       where account_id = ${accountId} and id = any(${ids}::uuid[])`
  return stopped.map(({ campaignId }) => campaignId)
}

/** A step that bounced reached nobody. */
const findProspects = (
  { sql, accountId }: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<MergedProspect[]> => sql<MergedProspect[]>`
  select r.id, r.campaign_id as "campaignId", r.person_id <> ${personId} as "isMoving",
         ${isUnfinished(sql, sql`r`)} as "isOpen",
         r.is_duplicate or row_number() over (
           partition by r.campaign_id, r.is_duplicate
               order by r.status in ('replied', 'opted_out') desc,
                        r.steps_done - case r.status when 'bounced' then 1 else 0 end desc,
                        ${isUnfinished(sql, sql`r`)} desc, r.began_at is null, r.created_at, r.id) > 1 as "isBehind"
    from prospects r
   where r.account_id = ${accountId} and r.person_id = any(${[personId, ...duplicateIds]}::uuid[])
   order by r.id`
