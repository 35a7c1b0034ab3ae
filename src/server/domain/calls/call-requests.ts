import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context, inAccount, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { findJson, type Json, verbatimField } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { findWarnings } from './call-warnings.ts'
import { nextCallableAt } from './calling-hours.ts'
import { findOptOutOfCalled } from './trigger-assistant-call.ts'

type CallRequest = Output<'getCallRequest'>

const EXPIRES_AFTER_DAYS = 7

export const expiryOf = (createdAt: Date): Date => addDays(createdAt, EXPIRES_AFTER_DAYS)

/** What is still waiting and was asked for before has expired. */
export const expiredUntil = (now: Date): Date => addDays(now, -EXPIRES_AFTER_DAYS)

const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * 86_400_000)

const requestJson = ({ sql, app }: Context): Fragment => sql`
  (json_strip_nulls(json_build_object(
     'id', q.id,
     'objectType', 'call_request',
     'createdAt', api_time(q.created_at),
     'updatedAt', api_time(q.updated_at),
     'status', case when q.status = 'waiting' and q.created_at <= ${expiredUntil(app.now())} then 'expired' else q.status end,
     'assistantId', q.assistant_id,
     'prospectId', q.prospect_id,
     'name', q.call -> 'name',
     'phoneNumber', q.call -> 'phoneNumber',
     'email', q.call -> 'email',
     'timezone', q.call -> 'timezone',
     'timezones', q.timezones,
     'callTransfer', q.call -> 'callTransfer',
     'reason', q.reason,
     'requestedById', q.requested_by_id,
     'requestedByName', (select u.name from users u where u.id = q.requested_by_id),
     'requestedByApp', q.requested_by_app,
     'expiresAt', api_time(q.created_at + ${EXPIRES_AFTER_DAYS} * interval '1 day'),
     'decidedById', q.decided_by_id,
     'decidedByName', (select u.name from users u where u.id = q.decided_by_id),
     'decidedAt', api_time(q.decided_at),
     'declineReason', q.decline_reason,
     'callId', q.call_id))::jsonb
   || ${verbatimField(sql, 'data', sql`q.call -> 'data'`)})::text as json`

export const listCallRequests = (
  ctx: Context,
  input: Input<'listCallRequests'>,
): Promise<Json<Output<'listCallRequests'>>> =>
  listPage(ctx, 'listCallRequests', input, page => {
    const { sql } = ctx
    const order = orderAndLimit(sql, page, 'q.created_at', 'q.id')
    const isByOwnReps = authorize(ctx, 'Call.ReadCall') === 'own'
    const requests = sql`
      select q.*
        from call_requests q
       where q.account_id = s.account_id
         ${isByOwnReps ? sql`and q.rep_id = r.id` : sql``}
         ${hasStatus(ctx, page.filters.status)}
         ${afterCursor(sql, page, 'q.created_at', 'q.id')}
         ${order}`
    const ofOwnReps = sql`
      select q.*
        from reps r cross join lateral (${requests}) q
       where r.account_id = s.account_id and r.owned_by_id = ${ctx.userId}
       ${order}`
    // Apart: beside the names of users the planner takes an index that reads every other status for just as good.
    return sql`
      with found as materialized (${isByOwnReps ? ofOwnReps : requests})
      select q.id, api_time(q.created_at) as at, ${requestJson(ctx)}
        from found q
       ${order}`
  })

/** That a request expired is told by its age alone, in the order of the list. */
function hasStatus({ sql, app }: Context, status: CallRequest['status'] | undefined): Fragment {
  if (status === undefined) return sql``
  if (status === 'expired')
    return sql`and q.status = 'waiting' and q.created_at <= ${expiredUntil(app.now())}`
  if (status === 'waiting') return sql`and q.status = 'waiting' and q.created_at > ${expiredUntil(app.now())}`
  return sql`and q.status = ${status}`
}

export async function getCallRequest(
  ctx: Context,
  { callRequestId }: Input<'getCallRequest'>,
): Promise<CallRequest> {
  const { text } = await findJson(
    ctx,
    'call request',
    ctx.sql`
      select ${requestJson(ctx)}
        from call_requests q
       where q.account_id = s.account_id and q.id = ${callRequestId}
         ${ownRepsOnly(ctx, 'Call.ReadCall', ctx.sql`q.rep_id`)}`,
  )
  const request = JSON.parse(text) as CallRequest
  if (request.status !== 'waiting') return request
  const now = ctx.app.now()
  const { phoneNumber: phone, email, timezone } = request
  const warnings = await inAccount(ctx.app.db.app, ctx.accountId, async sql => {
    const inTransaction = { ...ctx, sql }
    const isOptedOut = (await findOptOutOfCalled(inTransaction, { phone, email })) !== undefined
    return findWarnings(inTransaction, { phone, timezone, isOptedOut }, now)
  })
  return { ...request, callableAt: nextCallableAt({ phone, timezone }, now)?.toISOString(), warnings }
}
