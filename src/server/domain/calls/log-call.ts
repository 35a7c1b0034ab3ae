import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { requirePhone } from '../../protocols/identity/phone.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { findSubject } from '../prospects/find-subject.ts'
import { getCall } from './calls.ts'

/** The rep's own number is not recorded. */
const OWN_NUMBER = 'unknown'
const MAX_CLOCK_SKEW_MS = 60_000

/**
 * Records a call that has taken place. Sets `placed_at` for outbound calls, so that they count toward the limit on
 * assistants' calls to the number.
 */
export async function logCall(ctx: Context, input: Input<'logCall'>): Promise<Json<Output<'logCall'>>> {
  const { callType, outcome, notes, duration } = input
  const subject = await findSubject(ctx, 'Call.TriggerCall', input)
  const phone = input.phoneNumber
    ? requirePhone(input.phoneNumber, await getDefaultCountry(ctx))
    : subject.phone
  if (!phone) throw invalid('phoneNumber', 'is required: this person has no phone number')
  const durationMs = (duration ?? 0) * 1000
  const now = ctx.app.now()
  const beganAt = getStart(now, input.startedAt, durationMs)
  const endedAt = new Date(beganAt.getTime() + durationMs)
  if (endedAt.getTime() > now.getTime() + MAX_CLOCK_SKEW_MS)
    throw invalid('duration', 'must not extend into the future: the call must have ended')
  const [from, to] = callType === 'outbound' ? [OWN_NUMBER, phone] : [phone, OWN_NUMBER]
  const callId = randomUUIDv7()
  await ctx.sql`
    insert into calls (account_id, id, rep_id, prospect_id, person_id, from_number, to_number, call_type, status, outcome,
                       person_name, summary, duration_seconds, placed_at, started_at, ended_at)
    values (${ctx.accountId}, ${callId}, ${subject.repId}, ${subject.prospectId}, ${subject.personId}, ${from}, ${to},
            ${callType}, 'ended', ${outcome}, ${subject.name}, ${notes ?? null}, ${duration ?? null},
            ${callType === 'outbound' ? beganAt : null}, ${outcome === 'answered' ? beganAt : null}, ${endedAt})`
  await audit(ctx, 'log', 'call', callId)
  return getCall(ctx, { callId })
}

/** Returns the time at which a call began. Without a start time, assumes that the call has just ended. */
function getStart(now: Date, text: string | undefined, durationMs: number): Date {
  if (text === undefined) return new Date(now.getTime() - durationMs)
  const at = new Date(text)
  if (at.getTime() > now.getTime() + MAX_CLOCK_SKEW_MS)
    throw invalid('startedAt', 'must not be in the future')
  return at
}
