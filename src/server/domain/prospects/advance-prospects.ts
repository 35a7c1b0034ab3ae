import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { nextStep } from '../campaigns/next-step.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import { type Clock, clockColumns, getDueTime } from './due-time.ts'

/**
 * Marks steps as in flight; nothing more is due until the result is known. If the step needs no mailbox and the rep has
 * no working one, the prospect keeps its mailbox.
 */
export const markStepsInFlight = (
  tx: Sql,
  steps: readonly { prospectId: string; repId: string; mailboxId: string | null }[],
  now: Date,
) => tx`
  update prospects r
     set status = 'active', status_reason = null, rep_id = s.rep_id,
         mailbox_id = case when s.mailbox_id is null and r.rep_id = s.rep_id then r.mailbox_id else s.mailbox_id end,
         began_at = coalesce(began_at, ${now}), next_step_at = null, lease_until = null, updated_at = now()
    from unnest(${steps.map(({ prospectId }) => prospectId)}::uuid[], ${steps.map(({ repId }) => repId)}::uuid[],
                ${steps.map(({ mailboxId }) => mailboxId)}::uuid[]) s(prospect_id, rep_id, mailbox_id)
   where r.account_id = ${currentAccount(tx)} and r.id = s.prospect_id`

/**
 * Advances prospects whose step is done: the next step is due after its delay; if there is no next step, the prospect
 * is completed. Returns whether any prospect has no further step.
 */
export async function finishSteps(
  tx: Sql,
  ids: readonly string[],
  now: Date,
  reason: string | null = null,
): Promise<boolean> {
  const dueAt = await findNextDue(tx, ids, now)
  await tx`
    update prospects r
       set steps_done = steps_done + 1, rejection_count = 0, rejected_at = null,
           -- Prospects that have replied, been paused or opted out in the meantime keep their status.
           status = case when next.due_at is null and status in ('active', 'out_of_office') then 'completed' else status end,
           status_reason = case when status in ('active', 'out_of_office') then ${reason} else status_reason end,
           next_step_at = next.due_at, delay_starts_at = ${now}, updated_at = now()
      from unnest(${[...ids]}::uuid[], ${ids.map(id => dueAt.get(id) ?? null)}::timestamptz[]) next(id, due_at)
     where r.account_id = ${currentAccount(tx)} and r.id = next.id`
  return dueAt.size < ids.length
}

/**
 * Schedules another attempt at a step that reached nobody, after its retry delay. Returns false when no step is left,
 * because the step was moved before a step that is done.
 */
export async function retryStep(tx: Sql, id: string, now: Date): Promise<boolean> {
  const dueAt = (await findNextDue(tx, [id], now)).get(id)
  if (!dueAt) return false
  await tx`
    update prospects
       set next_step_at = ${dueAt}, delay_starts_at = ${now}, updated_at = now()
     where account_id = ${currentAccount(tx)} and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`
  return true
}

/**
 * Returns when the next step of each prospect is due if the previous one ends now; omits prospects without a next step.
 */
async function findNextDue(tx: Sql, ids: readonly string[], now: Date): Promise<Map<string, string>> {
  const nextSteps = await tx<(Delay & Clock & { id: string })[]>`
    select r.id, st.delay_amount as amount, st.delay_unit as unit, ${clockColumns(tx)}
      from prospects r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = r.account_id
     cross join lateral (${nextStep(tx)}) st
     where r.account_id = ${currentAccount(tx)} and r.id = any(${[...ids]}::uuid[])`
  return new Map(nextSteps.map(next => [next.id, getDueTime(now, next, next).toISOString()]))
}

/** Ends or pauses a prospect for the given reason. */
export const stopProspect = (
  tx: Sql,
  id: string,
  status: 'paused' | 'bounced' | 'opted_out' | 'failed' | 'completed',
  reason: string,
  now: Date,
) => tx`
  update prospects
     set status = ${status}, status_reason = ${reason}, lease_until = null, updated_at = now(),
         next_step_at = case when ${status} = 'paused' then coalesce(next_step_at, ${now}) end
   where account_id = ${currentAccount(tx)} and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/** Releases the claim and makes the step due at `dueAt`. */
export const postponeStep = (tx: Sql, id: string, dueAt: Date) => tx`
  update prospects
     set next_step_at = ${dueAt}, lease_until = null
   where account_id = ${currentAccount(tx)} and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/** Releases the claim and keeps the due time. */
export const releaseClaim = (tx: Sql, id: string) => tx`
  update prospects set lease_until = null where account_id = ${currentAccount(tx)} and id = ${id}`

/**
 * Reverts a planned step, which is planned again at `dueAt`. A prospect that has not been contacted yet may
 * then get another mailbox; the others keep their mailbox.
 */
export const revertStep = (tx: Sql, id: string, dueAt: Date) => tx`
  update prospects
     set next_step_at = ${dueAt}, lease_until = null, rep_id = case when steps_done > 0 then rep_id end,
         mailbox_id = case when steps_done > 0 then mailbox_id end, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id} and status in ('pending', 'active', 'out_of_office', 'paused')`

/**
 * Counts a rejection of the current step's email if the mailbox has delivered other emails since the last rejection.
 * Returns the number of rejections.
 */
export async function countRejection(tx: Sql, id: string, mailboxId: string): Promise<number> {
  const [counted] = await tx<{ count: number }[]>`
    update prospects r
       set rejected_at = now(),
           rejection_count = rejection_count + case
             when exists (select from email_sends e
                           where e.account_id = r.account_id and e.mailbox_id = ${mailboxId} and e.state = 'sent'
                             and e.ended_at > coalesce(r.rejected_at, '-infinity')) then 1 else 0 end
     where account_id = ${currentAccount(tx)} and id = ${id}
    returning rejection_count as count`
  return counted?.count ?? 0
}

/** Clears the status reason if it is still `reason`. */
export const clearStatusReason = (tx: Sql, id: string, reason: string) => tx`
  update prospects
     set status_reason = null, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id} and status_reason = ${reason}`
