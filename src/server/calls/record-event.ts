import { id } from '../../contract/page.ts'
import { auditEngine } from '../accounts/audit-log.ts'
import { type App, inAccount } from '../context.ts'
import type { Sql } from '../db.ts'
import type { CallEvent } from '../voice/provider.ts'

type EndOfCall = Extract<CallEvent, { type: 'end-of-call' }>

/** The reason of a call of which nobody could tell whether it took place. */
export const UNCONFIRMED = 'unconfirmed'

/**
 * What a provider tells, by callback or when asked. Events may come twice, late and in any order: a call only moves
 * forward, and the first end stands. What is told of an unknown call is dropped.
 */
export async function recordCallEvent(
  app: App,
  accountId: string,
  callId: string,
  event: CallEvent,
): Promise<void> {
  if (![accountId, callId].every(text => id.safeParse(text).success)) return
  await inAccount(app.db.app, accountId, async tx => {
    if (event.type === 'end-of-call') await recordEnd(tx, callId, event)
    // That it dials was already written down before the provider was asked.
    else if (event.status === 'in_progress') await recordStart(tx, callId, event.happenedAt)
  })
}

const recordStart = (tx: Sql, callId: string, startedAt: Date) => tx`
  update calls
     set status = 'in_progress', started_at = ${startedAt}, updated_at = now()
   where account_id = current_account_id() and id = ${callId} and status = 'dialing'`

/** A call that was given up as unconfirmed takes the truth when it comes after all. */
async function recordEnd(tx: Sql, callId: string, event: EndOfCall): Promise<void> {
  const ended = await tx`
    update calls
       set status           = 'ended',
           outcome          = ${event.outcome},
           outcome_reason   = ${event.reason ?? null},
           started_at       = coalesce(${event.startedAt ?? null}, started_at),
           ended_at         = ${event.endedAt},
           duration_seconds = ${event.durationSeconds ?? null},
           summary          = ${event.summary ?? null},
           transcript       = ${event.transcript ? tx.json(event.transcript) : null},
           recording_url    = ${event.recordingUrl ?? null},
           due_at = null, lease_until = null, updated_at = now()
     where account_id = current_account_id() and id = ${callId}
       and (status in ('dialing', 'in_progress') or outcome_reason = ${UNCONFIRMED})`
  if (ended.count > 0) await auditEngine(tx, 'end', 'call', callId)
}

/** Ends a call that the provider did not end: it was never placed, or nobody knows. */
export async function closeCall(
  tx: Sql,
  callId: string,
  end: { outcome: 'failed' | 'refused'; reason: string; advice?: string; endedAt: Date },
): Promise<void> {
  const closed = await tx`
    update calls
       set status = 'ended', outcome = ${end.outcome}, outcome_reason = ${end.reason.slice(0, 500)},
           outcome_advice = ${end.advice ?? null}, ended_at = ${end.endedAt}, due_at = null, lease_until = null, updated_at = now()
     where account_id = current_account_id() and id = ${callId} and status <> 'ended'`
  if (closed.count > 0) await auditEngine(tx, end.outcome === 'refused' ? 'refuse' : 'end', 'call', callId)
}
