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
import { selectMember } from '../accounts/select-member.ts'
import { findWarnings } from './call-warnings.ts'
import { findApplicableZones, nextCallableAt } from './calling-hours.ts'
import { checkCall, findCalleeOptOut, findStart, triggerAssistantCall } from './trigger-assistant-call.ts'

type CallRequest = Output<'getCallRequest'>

const EXPIRES_AFTER_DAYS = 7
/** Limits the waiting requests of an account, because a user has to review each of them. */
const MAX_WAITING = 200

const getExpiry = (createdAt: Date): Date => addDays(createdAt, EXPIRES_AFTER_DAYS)

/** Returns the latest creation time of a waiting request that has expired. */
export const getExpiryCutoff = (now: Date): Date => addDays(now, -EXPIRES_AFTER_DAYS)

const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * 86_400_000)

const requestJson = ({ sql, app }: Context): Fragment => sql`
  (json_strip_nulls(json_build_object(
     'id', q.id,
     'objectType', 'call_request',
     'createdAt', api_time(q.created_at),
     'updatedAt', api_time(q.updated_at),
     'status', case when q.status = 'waiting' and q.created_at <= ${getExpiryCutoff(app.now())} then 'expired' else q.status end,
     'assistantId', q.assistant_id,
     'prospectId', q.prospect_id,
     'name', q.call -> 'name',
     'phoneNumber', q.call -> 'phoneNumber',
     'email', q.call -> 'email',
     'timezone', q.call -> 'timezone',
     'timezones', q.timezones,
     'callTransfer', q.call -> 'callTransfer',
     'notBefore', q.call -> 'notBefore',
     'reason', q.reason,
     'requestedById', q.requested_by_id,
     'requestedByName', ${sql.unsafe(selectMember('name', 'q.account_id', 'q.requested_by_id'))},
     'requestedByApp', q.requested_by_app,
     'expiresAt', api_time(q.created_at + ${EXPIRES_AFTER_DAYS} * interval '1 day'),
     'decidedById', q.decided_by_id,
     'decidedByName', ${sql.unsafe(selectMember('name', 'q.account_id', 'q.decided_by_id'))},
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
    const requestsOfOwnReps = sql`
      select q.*
        from reps r cross join lateral (${requests}) q
       where r.account_id = s.account_id and r.owned_by_id = ${ctx.userId}
       ${order}`
    // Materialized, because the joins of the user names would otherwise make PostgreSQL's planner choose an index that
    // reads requests of every status.
    return sql`
      with found as materialized (${isByOwnReps ? requestsOfOwnReps : requests})
      select q.id, api_time(q.created_at) as at, ${requestJson(ctx)}
        from found q
       ${order}`
  })

/** Returns the condition for a status. Expiry depends only on the age, by which the list is also ordered. */
function hasStatus({ sql, app }: Context, status: CallRequest['status'] | undefined): Fragment {
  if (status === undefined) return sql``
  if (status === 'expired')
    return sql`and q.status = 'waiting' and q.created_at <= ${getExpiryCutoff(app.now())}`
  if (status === 'waiting')
    return sql`and q.status = 'waiting' and q.created_at > ${getExpiryCutoff(app.now())}`
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
  const from = findStart(request, ctx.app.now())
  const { phoneNumber: phone, email, timezone } = request
  const warnings = await inAccount(ctx.app.db.app, ctx.accountId, async sql => {
    const tx = { ...ctx, sql }
    const isOptedOut = (await findCalleeOptOut(tx, { phone, email })) !== undefined
    return findWarnings(tx, { phone, timezone, isOptedOut }, from)
  })
  return { ...request, callableAt: nextCallableAt({ phone, timezone }, from)?.toISOString(), warnings }
}

/**
 * Creates a request that a user approves or declines. Throws when the call could not be queued now; returns warnings
 * about everything else that would prevent or delay it.
 */
export async function requestCall(
  ctx: Context,
  { reason, ...input }: Input<'requestCall'>,
): Promise<Output<'requestCall'>> {
  const { sql, accountId } = ctx
  const now = ctx.app.now()
  await checkMayRequest(ctx, now)
  const { assistant, target, person, from } = await checkCall(ctx, input, now)
  const call = { ...input, ...target, phoneNumber: target.phone, phone: undefined }
  const callRequestId = randomUUIDv7()
  await sql`
    insert into call_requests (account_id, id, assistant_id, rep_id, prospect_id, person_id, call, timezones, reason,
                               requested_by_id, requested_by_app, created_at)
    values (${accountId}, ${callRequestId}, ${assistant.id}, ${assistant.repId}, ${person?.prospectId ?? null},
            ${person?.id ?? null}, ${sql.json(call as Parameters<typeof sql.json>[0])}, ${findApplicableZones(target)}, ${reason},
            ${ctx.userId}, ${(await findActingApp(ctx)) ?? null}, ${now})`
  await audit(ctx, 'request', 'call_request', callRequestId)
  const warnings = await findWarnings(ctx, { ...target, isOptedOut: false }, from)
  return { callRequestId, status: 'waiting', expiresAt: getExpiry(now).toISOString(), warnings }
}

/**
 * Throws Conflict if assistants may not request calls or too many requests are waiting. Locks the account row, so that
 * concurrent requests are counted one after the other.
 */
async function checkMayRequest({ sql, accountId }: Context, now: Date): Promise<void> {
  const [account] = await sql<{ mayRequest: boolean }[]>`
    select assistants_may_request_calls as "mayRequest" from accounts where id = ${accountId} for no key update`
  if (!account?.mayRequest) {
    throw conflict(
      'Assistants may not request calls in this account. An admin can allow it in the web app, under Settings, Account.',
    )
  }
  const [waiting] = await sql<{ count: number }[]>`
    select count(*)::int as count
      from call_requests
     where account_id = ${accountId} and status = 'waiting' and created_at > ${getExpiryCutoff(now)}`
  if (waiting!.count >= MAX_WAITING) {
    throw conflict(
      `${MAX_WAITING} call requests are waiting for approval. Try again after some of them are approved or declined in the web app.`,
    )
  }
}

/** Queues the call like any triggered call, on behalf of the approver and with their permissions. */
export async function approveCallRequest(
  ctx: Context,
  { callRequestId }: Input<'approveCallRequest'>,
): Promise<Output<'approveCallRequest'>> {
  const call = await lockWaitingRequest(ctx, callRequestId)
  const { callId } = await triggerAssistantCall(ctx, call).catch(rethrowAsConflict)
  await decide(ctx, callRequestId, { status: 'approved', call_id: callId })
  return getCallRequest(ctx, { callRequestId })
}

export async function declineCallRequest(
  ctx: Context,
  { callRequestId, reason }: Input<'declineCallRequest'>,
): Promise<Output<'declineCallRequest'>> {
  await lockWaitingRequest(ctx, callRequestId)
  await decide(ctx, callRequestId, { status: 'declined', decline_reason: reason ?? null })
  return getCallRequest(ctx, { callRequestId })
}

/** Locks the request and returns its call. If two users decide simultaneously, the second finds the request decided. */
async function lockWaitingRequest(
  ctx: Context,
  callRequestId: string,
): Promise<Input<'triggerAssistantCall'>> {
  const { sql, accountId } = ctx
  const [request] = await sql<{ status: string; createdAt: Date; call: Input<'triggerAssistantCall'> }[]>`
    select q.status, q.created_at as "createdAt", q.call
      from call_requests q
     where q.account_id = ${accountId} and q.id = ${callRequestId}
       and ${isInScope(ctx, 'Call.TriggerCall', sql`q.rep_id`)}
       for update of q`
  if (!request) throw notFound('call request')
  if (request.status !== 'waiting') throw conflict(`This request is already ${request.status}.`)
  if (request.createdAt <= getExpiryCutoff(ctx.app.now())) {
    throw conflict('This request has expired. Request the call again.')
  }
  return request.call
}

/**
 * Turns validation errors into a conflict: the request has become outdated, and its fields are not the approver’s
 * input.
 */
function rethrowAsConflict(error: unknown): never {
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
