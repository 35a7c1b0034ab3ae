import { randomUUIDv7 } from 'node:crypto'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import type { StepCall } from '../campaigns/parse-steps.ts'

type NewCall = {
  assistantId: string
  prospectId: string | null
  /** In E.164. */
  to: string
  name: string
  email: string | null
  /** Null for a campaign step, whose call uses the person's time zone when it is dialed. */
  timezone: string | null
  data: object | undefined
  callTransfer?: object | undefined
  personId: string | null
  /** Earliest time to place the call. */
  callableAt: Date
  /** The reason the call waits until `callableAt`; null when the call can be placed at once. */
  heldBy: 'calling_hours' | 'scheduled' | null
  /** The campaign step, if the call is part of a sequence. */
  step?: { id: string; campaignId: string; onAnswered: StepCall['onAnswered'] } | undefined
}

/**
 * Queues a call for the engine, which checks everything again before dialing. For a campaign step, withdrawn calls
 * don’t count as attempts, and the prospect must be locked, so that attempts are numbered one at a time.
 */
export async function queueCall(tx: Sql, { data, callTransfer, step, ...call }: NewCall): Promise<string> {
  const id = randomUUIDv7()
  const asJson = (value: object | undefined) => (value === undefined ? null : tx.json(value as never))
  await tx`
    insert into calls (account_id, id, assistant_id, rep_id, prospect_id, person_id, from_number, to_number, call_type, status,
                       person_name, person_email, person_timezone, data, call_transfer, held_by, not_before, due_at,
                       campaign_id, step_id, attempt, on_answered)
    select a.account_id, ${id}, a.id, a.rep_id, ${call.prospectId}, ${call.personId}, a.from_number, ${call.to}, 'outbound', 'queued',
           ${call.name}, ${call.email}, ${call.timezone}, ${asJson(data)}, ${asJson(callTransfer)},
           ${call.heldBy}, ${call.heldBy && call.callableAt}, ${call.callableAt},
           ${step?.campaignId ?? null}, ${step?.id ?? null}, ${step ? nextAttempt(tx, call.prospectId!, step.id) : null},
           ${step?.onAnswered ?? null}
      from assistants a
     where a.account_id = ${currentAccount(tx)} and a.id = ${call.assistantId}`
  return id
}

const nextAttempt = (tx: Sql, prospectId: string, stepId: string) => tx`
  (select count(*) + 1
     from calls k
    where k.account_id = ${currentAccount(tx)} and k.prospect_id = ${prospectId} and k.step_id = ${stepId}
      and k.outcome is distinct from 'withdrawn')`
