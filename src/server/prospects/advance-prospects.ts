import { nextStep } from '../campaigns/next-step.ts'
import { addDelay, type Delay } from '../campaigns/step-delay.ts'
import type { Sql } from '../db.ts'
import { isOpen } from './write-prospects.ts'

/** A claim on a prospect whose step is due; work done under an older epoch is void. */
export type ClaimedProspect = { accountId: string; id: string; epoch: bigint }

/**
 * Prospects whose step is due over all accounts, claimed for `leaseMs`: of each active campaign the longest waiting,
 * as long as it has fewer than `perCampaign` messages on their way. So a huge campaign cannot starve a small one, and
 * nothing is planned far ahead of what the mailboxes can take. Needs the engine's role.
 */
export const claimDueProspects = (
  engine: Sql,
  { now, limit, perCampaign, leaseMs }: { now: Date; limit: number; perCampaign: number; leaseMs: number },
): Promise<ClaimedProspect[]> => engine<ClaimedProspect[]>`
  with due as (
    select r.account_id, r.id
      from campaigns c
     cross join lateral (
       select account_id, id, next_step_at
         from prospects
        where account_id = c.account_id and campaign_id = c.id and status in ${isOpen(engine)} and next_step_at <= ${now}
          and (lease_until is null or lease_until <= ${now})
        order by next_step_at
        limit greatest(0, ${perCampaign} - (select count(*)
                                              from email_sends e
                                             where e.account_id = c.account_id and e.campaign_id = c.id
                                               and e.state in ('queued', 'claimed', 'dot_pending')))
          for update skip locked) r
     where c.status = 'active'
     limit ${limit})
  update prospects p
     set lease_until = ${new Date(now.getTime() + leaseMs)}, lease_epoch = p.lease_epoch + 1
    from due d
   where p.account_id = d.account_id and p.id = d.id
  returning p.account_id as "accountId", p.id, p.lease_epoch as epoch`

/** Its step is written and on its way; nothing more is due until the way's end is known. */
export const markStepUnderWay = (tx: Sql, id: string, repId: string) => tx`
  update prospects
     set status = 'active', status_reason = null, rep_id = ${repId}, next_step_at = null, lease_until = null, updated_at = now()
   where account_id = current_account_id() and id = ${id}`

/** Its step ended well enough: the next one is due after its delay when there is one, else the prospect is through. */
export async function finishStep(
  tx: Sql,
  id: string,
  now: Date,
  reason: string | null = null,
): Promise<void> {
  const [next] = await tx<(Delay & { timezone: string })[]>`
    select st.delay_amount as amount, st.delay_unit as unit, a.timezone
      from prospects r
      join accounts a on a.id = r.account_id
     cross join lateral (${nextStep(tx)}) st
     where r.account_id = current_account_id() and r.id = ${id}`
  await tx`
    update prospects
       set steps_done = steps_done + 1,
           -- Whoever replied, was paused or opted out meanwhile stays so.
           status = case when status <> 'active' or ${next !== undefined} then status else 'completed' end,
           status_reason = case when status = 'active' then ${reason} else status_reason end,
           next_step_at = ${next ? addDelay(now, next, next.timezone) : null}, waits_since = ${now}, updated_at = now()
     where account_id = current_account_id() and id = ${id}`
}

/** Ends it, or takes it out of the running, for that reason. */
export const stopProspect = (
  tx: Sql,
  id: string,
  status: 'paused' | 'bounced' | 'opted_out' | 'failed' | 'completed',
  reason: string,
) => tx`
  update prospects
     set status = ${status}, status_reason = ${reason}, lease_until = null, updated_at = now(),
         next_step_at = case when ${status} = 'paused' then coalesce(next_step_at, now()) end
   where account_id = current_account_id() and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/** Gives the claim back: its step is due again then. */
export const postponeStep = (tx: Sql, id: string, dueAt: Date) => tx`
  update prospects
     set next_step_at = ${dueAt}, lease_until = null
   where account_id = current_account_id() and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/**
 * Its step is taken back and due again then. Somebody who got nothing yet may get it from another rep, whose mailbox
 * works; everybody else keeps the rep they know.
 */
export const takeStepBack = (tx: Sql, id: string, dueAt: Date) => tx`
  update prospects
     set next_step_at = ${dueAt}, lease_until = null, rep_id = case when steps_done > 0 then rep_id end
   where account_id = current_account_id() and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/** What was told of it no longer holds. */
export const dropStatusReason = (tx: Sql, id: string, reason: string) => tx`
  update prospects
     set status_reason = null, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status_reason = ${reason}`
