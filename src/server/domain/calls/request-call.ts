import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import { findActingApp } from '../accounts/acting-app.ts'
import { audit } from '../accounts/audit-log.ts'
import { expiredUntil, expiryOf } from './call-requests.ts'
import { findWarnings } from './call-warnings.ts'
import { zonesToHeed } from './calling-hours.ts'
import { checkCall } from './trigger-assistant-call.ts'

/** Somebody has to read each of them. */
const MAX_WAITING = 200

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
