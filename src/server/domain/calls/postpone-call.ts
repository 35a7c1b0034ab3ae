import { computeBackoffMs } from '../../kernel/async/backoff.ts'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import type { CallPostponed } from '../../protocols/voice/provider.ts'
import type { ClaimedCall } from './claim-calls.ts'
import type { CallDecision } from './may-call.ts'

/** Retries while the provider is busy or unavailable. They take several hours; then the call fails. */
const MAX_POSTPONEMENTS = 20
const PROVIDER_BACKOFF = { baseMs: 4_000, maxMs: 12 * 60_000 }

/** Postpones the call until the given time. Its provider has not been contacted yet. */
export const postpone = (
  tx: Sql,
  claim: ClaimedCall,
  { reason, until }: Extract<CallDecision, { kind: 'later' }>,
) => tx`
  update calls
     set status = 'queued', placed_at = null, provider = null, held_by = ${reason}, not_before = ${until},
         due_at = ${until}, lease_until = null, updated_at = now()
   where account_id = ${claim.accountId} and id = ${claim.id} and epoch = ${claim.epoch}
     and status in ('queued', 'dialing')`

/**
 * Postpones all queued calls from the same number, so that a long queue is not checked call by call whenever the cap
 * allows one more. Calls claimed by other workers are skipped; those workers check the cap themselves. Scheduled calls
 * keep their time.
 */
export const postponeSameCaller = (tx: Sql, { accountId, id }: ClaimedCall, until: Date) => tx`
  update calls
     set held_by = 'daily_cap', not_before = ${until}, due_at = ${until}, updated_at = now()
   where account_id = ${accountId}
     and id in (select o.id
                  from calls c
                  join calls o on o.account_id = c.account_id and o.assistant_id = c.assistant_id
                              and o.status = 'queued' and o.from_number = c.from_number
                 where c.account_id = ${accountId} and c.id = ${id} and o.id <> c.id
                   and o.due_at < ${until} and o.held_by is distinct from 'scheduled' and o.lease_until is null
                   for update of o skip locked)`

/**
 * Applies an assistant's new number and caps to its queued calls. Calls held by a cap become due, because every check
 * runs again before they are placed.
 */
export const updateQueuedCalls = (tx: Sql, assistantId: string, now: Date) => tx`
  update calls c
     set from_number = a.from_number,
         (held_by, not_before, due_at) = (
           select case when not is_capped then c.held_by end, case when not is_capped then c.not_before end,
                  case when is_capped then ${now} else c.due_at end
             from (select coalesce(c.held_by in ('daily_cap', 'daily_cap_per_number'), false) as is_capped) held),
         updated_at = now()
    from assistants a
   where c.account_id = ${currentAccount(tx)} and c.assistant_id = ${assistantId} and c.status = 'queued'
     and a.account_id = c.account_id and a.id = c.assistant_id`

/**
 * Requeues a call that the provider did not dial; every check runs again before the next attempt. Returns false after
 * too many attempts.
 */
export async function requeue(
  tx: Sql,
  claim: ClaimedCall,
  { now, postponements, error }: { now: Date; postponements: number; error: CallPostponed },
): Promise<boolean> {
  const dueAt = new Date(
    now.getTime() + Math.max(error.retryAfterMs, computeBackoffMs(postponements, PROVIDER_BACKOFF)),
  )
  const queued = await tx`
    update calls
       set status = 'queued', placed_at = null, provider = null, postponements = postponements + 1,
           held_by = 'provider_busy', not_before = ${dueAt}, due_at = ${dueAt}, lease_until = null,
           updated_at = now()
     where account_id = ${claim.accountId} and id = ${claim.id} and epoch = ${claim.epoch} and status = 'dialing'
       and postponements < ${MAX_POSTPONEMENTS}`
  return queued.count > 0
}
