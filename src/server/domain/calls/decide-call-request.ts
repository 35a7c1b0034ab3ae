import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, conflict, notFound } from '../../kernel/errors.ts'
import { audit } from '../accounts/audit-log.ts'
import { isReached } from '../accounts/permission-scope.ts'
import { expiredUntil, getCallRequest } from './call-requests.ts'
import { triggerAssistantCall } from './trigger-assistant-call.ts'

/** Queues the call as anybody's who triggers one: in the name and with the reach of whoever approves. */
export async function approveCallRequest(
  ctx: Context,
  { callRequestId }: Input<'approveCallRequest'>,
): Promise<Output<'approveCallRequest'>> {
  const call = await lockWaiting(ctx, callRequestId)
  const { callId } = await triggerAssistantCall(ctx, call).catch(asObstacle)
  await decide(ctx, callRequestId, { status: 'approved', call_id: callId })
  return getCallRequest(ctx, { callRequestId })
}

export async function declineCallRequest(
  ctx: Context,
  { callRequestId, reason }: Input<'declineCallRequest'>,
): Promise<Output<'declineCallRequest'>> {
  await lockWaiting(ctx, callRequestId)
  await decide(ctx, callRequestId, { status: 'declined', decline_reason: reason ?? null })
  return getCallRequest(ctx, { callRequestId })
}

/** The call that is asked for. Two who decide at once do so one after the other: the second finds it decided. */
async function lockWaiting(ctx: Context, callRequestId: string): Promise<Input<'triggerAssistantCall'>> {
  const { sql, accountId } = ctx
  const [request] = await sql<{ status: string; createdAt: Date; call: Input<'triggerAssistantCall'> }[]>`
    select q.status, q.created_at as "createdAt", q.call
      from call_requests q
     where q.account_id = ${accountId} and q.id = ${callRequestId}
       and ${isReached(ctx, 'Call.TriggerCall', sql`q.rep_id`)}
       for update of q`
  if (!request) throw notFound('call request')
  if (request.status !== 'waiting') throw conflict(`This request is ${request.status} already.`)
  if (request.createdAt <= expiredUntil(ctx.app.now())) {
    throw conflict('This request has expired: nobody decided in time. The call has to be asked for anew.')
  }
  return request.call
}

/** What was right when it was asked for may not be so any more; the fields are not those of whoever approves. */
function asObstacle(error: unknown): never {
  if (error instanceof AppError && error.code === 'ValidationError') {
    throw conflict(`The call can't be placed: ${error.message}.`, error.details)
  }
  throw error
}

async function decide(
  ctx: Context,
  callRequestId: string,
  decision: { status: 'approved'; call_id: string } | { status: 'declined'; decline_reason: string | null },
): Promise<void> {
  const { sql, accountId, userId } = ctx
  await sql`
    update call_requests
       set ${sql.assignments({ ...decision, decided_by_id: userId, decided_at: ctx.app.now() })}, updated_at = now()
     where account_id = ${accountId} and id = ${callRequestId}`
  await audit(ctx, decision.status === 'approved' ? 'approve' : 'decline', 'call_request', callRequestId)
}
