import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { nextCallableAt } from '../../domain/calls/calling-hours.ts'
import { queueCall } from '../../domain/calls/queue-call.ts'
import { markStepsInFlight } from '../../domain/prospects/advance-prospects.ts'
import { createMissingFinder, toMissingReason } from '../../domain/rendering/missing-variables.ts'
import { renderCallData } from '../../domain/rendering/render-step.ts'
import type { DueStep, StepFacts } from '../../domain/rendering/step-facts.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { MissingVariable } from '../../protocols/templates/template.ts'

export type DueCall = StepFacts & { step: DueStep; taskRep: NonNullable<StepFacts['taskRep']> }

/** Queues the calls of these steps. Returns the reason for each prospect that gets none. */
export async function writeCalls(
  { tx, now }: { tx: Sql; now: Date },
  due: readonly DueCall[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  const findMissingFor = await createMissingFinder(tx, due)
  const written: DueCall[] = []
  for (const facts of due) {
    const missing = await findMissingFor(facts)
    const reason = missing.length > 0 ? toMissingReason(missing) : await writeCall(tx, facts, now)
    if (reason) reasons.set(facts.prospectId, reason)
    else written.push(facts)
  }
  if (written.length === 0) return reasons
  await markStepsInFlight(
    tx,
    written.map(({ prospectId, taskRep }) => ({
      ...{ prospectId, repId: taskRep.id, mailboxId: taskRep.mailboxId },
    })),
    now,
  )
  return reasons
}

/**
 * Queues the call, or returns the reason there is none. Consent and calling hours are checked by the call's own gate.
 */
async function writeCall(
  tx: Sql,
  { step, prospectId, personId, campaignId, contact, variables, clock }: DueCall,
  now: Date,
): Promise<string | undefined> {
  const { phone, email } = contact
  const { assistantId, data, onAnswered } = step.call!
  if (!phone) return toMissingReason(['phone'])
  const callableAt = nextCallableAt({ phone, timezone: clock.timezone }, now) ?? now
  try {
    const id = await queueCall(tx, {
      assistantId: assistantId!,
      prospectId,
      personId,
      to: phone,
      name: variables.fullName ?? email ?? phone,
      email,
      timezone: null,
      data: data ? await renderCallData(step, { prospectId, variables }) : undefined,
      callableAt,
      heldBy: callableAt > now ? 'calling_hours' : null,
      step: { id: step.id, campaignId, onAnswered },
    })
    await auditEngine(tx, 'trigger', 'call', id)
    return undefined
  } catch (error) {
    if (error instanceof MissingVariable) return toMissingReason([error.variable])
    if (error instanceof AppError) return `template: ${error.message}`
    throw error
  }
}
