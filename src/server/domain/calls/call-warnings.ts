import { consentKinds } from '../../../contract/consents.ts'
import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findConsentKinds } from '../people/consents/consents.ts'
import { type CallDecision, mayCall } from './may-call.ts'

type Warning = NonNullable<Output<'getCallRequest'>['warnings']>[number]
type Refusal = Extract<CallDecision, { kind: 'refuse' }>

const toWarning = ({ reason, advice }: Refusal): Warning => ({ reason: reason as Warning['reason'], advice })

/** Returns everything that would prevent or delay the call if it were placed now. */
export async function findWarnings(
  ctx: Context,
  callee: { phone: string; timezone: string | null | undefined; isOptedOut: boolean },
  now: Date,
): Promise<Warning[]> {
  const facts = {
    phone: callee.phone,
    timezone: callee.timezone ?? null,
    isOptedOut: false,
    isStep: false,
    isSendingPaused: false,
    consents: consentKinds,
    isOnThePhone: false,
    lastSpokenAt: null,
    callerCapResetsAt: null,
    calleeCapResetsAt: null,
    stepHold: undefined,
  }
  const consents = await findConsentKinds(ctx, callee.phone)
  const warnings: Warning[] = []
  const forbidden = mayCall({ ...facts, isOptedOut: callee.isOptedOut, consents }, now)
  if (forbidden.kind === 'refuse') warnings.push(toWarning(forbidden))
  // Calling hours are checked as if the call were otherwise allowed.
  const hours = mayCall(facts, now)
  if (hours.kind === 'later') {
    const advice = `It is outside the callee’s calling hours. The call would wait until ${hours.until.toISOString()}.`
    warnings.push({ reason: 'calling_hours', advice })
  } else if (hours.kind === 'refuse' && forbidden.kind !== 'refuse') warnings.push(toWarning(hours))
  return warnings
}
