import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, notFound, outOfScope } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { getCall } from './calls.ts'

/**
 * Withdraws a queued call. The engine locks the same row before it dials, so a call is either withdrawn or dialed.
 */
export async function cancelCall(
  ctx: Context,
  { callId }: Input<'cancelCall'>,
): Promise<Json<Output<'cancelCall'>>> {
  const { sql, accountId } = ctx
  const [call] = await sql<
    { status: string; stepId: string | null; isReadable: boolean; isEditable: boolean }[]
  >`
    select c.status, c.step_id as "stepId", ${isInScope(ctx, 'Call.ReadCall', sql`c.rep_id`)} as "isReadable",
           ${isInScope(ctx, 'Call.TriggerCall', sql`c.rep_id`)} as "isEditable"
      from calls c
     where c.account_id = ${accountId} and c.id = ${callId}
       for update of c`
  if (!call?.isReadable) throw notFound('call')
  if (!call.isEditable) throw outOfScope('Call.TriggerCall', 'this call belongs to another rep')
  if (call.stepId)
    throw conflict(
      'This call belongs to a campaign step, which would queue it again. Pause the prospect instead.',
    )
  if (call.status !== 'queued')
    throw conflict(
      call.status === 'ended' ? 'This call has already ended.' : 'This call is already being placed.',
    )
  await sql`
    update calls
       set status = 'ended', outcome = 'withdrawn', outcome_reason = 'cancelled', ended_at = ${ctx.app.now()},
           held_by = null, due_at = null, lease_until = null, updated_at = now()
     where account_id = ${accountId} and id = ${callId}`
  await audit(ctx, 'cancel', 'call', callId)
  return getCall(ctx, { callId })
}
