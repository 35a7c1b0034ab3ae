import { backoffMs } from '../../kernel/async/backoff.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { CallPostponed } from '../../protocols/voice/provider.ts'
import type { ClaimedCall } from './claim-calls.ts'
import type { CallDecision } from './may-call.ts'

/** How often a provider may be too busy for a call, or away, before it is given up: for hours. */
const MAX_POSTPONEMENTS = 20
const PROVIDER_BACKOFF = { baseMs: 4_000, maxMs: 12 * 60_000 }

/** The call waits for what speaks against it now. */
export const postpone = (
  tx: Sql,
  claim: ClaimedCall,
  { reason, until }: Extract<CallDecision, { kind: 'later' }>,
) => tx`
  update calls
     set held_by = ${reason}, not_before = ${until}, due_at = ${until}, lease_until = null, updated_at = now()
   where account_id = ${claim.accountId} and id = ${claim.id} and epoch = ${claim.epoch} and status = 'queued'`

/**
 * All that waits for the same number waits with it, so that a long queue is not looked at call by call whenever there is
 * room for one. Those in other hands find out themselves.
 */
export const postponeOthers = (tx: Sql, { accountId, id }: ClaimedCall, until: Date) => tx`
  update calls
     set held_by = 'daily_cap', not_before = ${until}, due_at = ${until}, updated_at = now()
   where account_id = ${accountId}
     and id in (select o.id
                  from calls c
                  join calls o on o.account_id = c.account_id and o.assistant_id = c.assistant_id
                              and o.status = 'queued' and o.from_number = c.from_number
                 where c.account_id = ${accountId} and c.id = ${id} and o.id <> c.id
                   and o.due_at < ${until} and o.lease_until is null
                   for update of o skip locked)`

/** The provider did not dial, and is asked again later, with all that speaks against a call looked at anew. */
export async function requeue(
  tx: Sql,
  claim: ClaimedCall,
  { now, postponements, fault }: { now: Date; postponements: number; fault: CallPostponed },
): Promise<boolean> {
  const dueAt = new Date(
    now.getTime() + Math.max(fault.retryAfterMs, backoffMs(postponements, PROVIDER_BACKOFF)),
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
