import { randomUUIDv7 } from 'node:crypto'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'

type NewCall = {
  assistantId: string
  prospectId: string | null
  /** In E.164. */
  to: string
  name: string
  email: string | null
  timezone: string | null
  data: object | undefined
  callTransfer?: object | undefined
  /** From when on it may be placed; `isHeld` tells that it waits until then for calling hours. */
  callableAt: Date
  isHeld: boolean
  /** Of which campaign it is a step. */
  step?: { id: string; campaignId: string } | undefined
}

/**
 * The call waits for the engine, which asks everything about it again before it is dialed. Of a step it is the attempt
 * after those that were dialed; the prospect is locked, so that nobody else counts the same.
 */
export async function queueCall(tx: Sql, { data, callTransfer, step, ...call }: NewCall): Promise<string> {
  const id = randomUUIDv7()
  const asJson = (value: object | undefined) => (value === undefined ? null : tx.json(value as never))
  await tx`
    insert into calls (account_id, id, assistant_id, rep_id, prospect_id, from_number, to_number, call_type, status,
                       person_name, person_email, person_timezone, data, call_transfer, held_by, not_before, due_at,
                       campaign_id, step_id, attempt)
    select a.account_id, ${id}, a.id, a.rep_id, ${call.prospectId}, a.from_number, ${call.to}, 'outbound', 'queued',
           ${call.name}, ${call.email}, ${call.timezone}, ${asJson(data)}, ${asJson(callTransfer)},
           ${call.isHeld ? 'calling_hours' : null}, ${call.isHeld ? call.callableAt : null}, ${call.callableAt},
           ${step?.campaignId ?? null}, ${step?.id ?? null}, ${step ? nextAttempt(tx, call.prospectId!, step.id) : null}
      from assistants a
     where a.account_id = ${currentAccount(tx)} and a.id = ${call.assistantId}`
  return id
}

const nextAttempt = (tx: Sql, prospectId: string, stepId: string) => tx`
  (select count(*) + 1
     from calls k
    where k.account_id = ${currentAccount(tx)} and k.prospect_id = ${prospectId} and k.step_id = ${stepId}
      and k.outcome is distinct from 'withdrawn')`
