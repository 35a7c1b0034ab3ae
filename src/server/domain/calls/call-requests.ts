import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context, inAccount, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { AppError, conflict, notFound } from '../../kernel/errors.ts'
import { findJson, type Json, verbatimField } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { findActingApp } from '../accounts/acting-app.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { findWarnings } from './call-warnings.ts'
import { nextCallableAt, zonesToHeed } from './calling-hours.ts'
import { checkCall, findOptOutOfCalled, triggerAssistantCall } from './trigger-assistant-call.ts'

type CallRequest = Output<'getCallRequest'>

const EXPIRES_AFTER_DAYS = 7
/** Somebody has to read each of them. */
const MAX_WAITING = 200

const expiryOf = (createdAt: Date): Date => addDays(createdAt, EXPIRES_AFTER_DAYS)

/** What is still waiting and was asked for before has expired. */
const expiredUntil = (now: Date): Date => addDays(now, -EXPIRES_AFTER_DAYS)

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

/** Files it for a person to decide. Whoever asks learns at once what forbids the call, and what would keep it back. */
export async function requestCall(
  ctx: Context,
  { reason, ...input }: Input<'requestCall'>,
): Promise<Output<'requestCall'>> {
  const { sql, accountId } = ctx
  const now = ctx.app.now()
  await checkMayAsk(ctx, now)
  const { assistant, called, person } = await checkCall(ctx, input, now)
  const call = { ...input, ...called, phoneNumber: called.phone, phone: undefined }
  const callRequestId = randomUUIDv7()
  await sql`
    insert into call_requests (account_id, id, assistant_id, rep_id, prospect_id, call, timezones, reason,
                               requested_by_id, requested_by_app, created_at)
    values (${accountId}, ${callRequestId}, ${assistant.id}, ${assistant.repId}, ${person?.prospectId ?? null},
            ${sql.json(call as Parameters<typeof sql.json>[0])}, ${zonesToHeed(called)}, ${reason},
            ${ctx.userId}, ${(await findActingApp(ctx)) ?? null}, ${now})`
  await audit(ctx, 'request', 'call_request', callRequestId)
  const warnings = await findWarnings(ctx, { ...called, isOptedOut: false }, now)
  return { callRequestId, status: 'waiting', expiresAt: expiryOf(now).toISOString(), warnings }
}

/** Locks the account's row, so that two who ask at once are counted one after the other. */
async function checkMayAsk({ sql, accountId }: Context, now: Date): Promise<void> {
  const [account] = await sql<{ mayAsk: boolean }[]>`
    select assistants_may_request_calls as "mayAsk" from accounts where id = ${accountId} for no key update`
  if (!account?.mayAsk) {
    throw conflict(
      'In this account assistants may not ask for calls. An admin can allow it in the web app, under Settings, Account.',
    )
  }
  const [waiting] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from call_requests
     where account_id = ${accountId} and status = 'waiting' and created_at > ${expiredUntil(now)}`
  if (waiting!.count >= MAX_WAITING) {
    throw conflict(
      `${MAX_WAITING} calls wait for approval already. Ask again once somebody has decided about them in the web app.`,
    )
  }
}

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
       and ${isInScope(ctx, 'Call.TriggerCall', sql`q.rep_id`)}
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
