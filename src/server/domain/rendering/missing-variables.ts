import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { MissingVariable } from '../../protocols/templates/template.ts'
import { chooseVariant } from './choose-variant.ts'
import { renderCallData, renderStep, renderTask } from './render-step.ts'
import { type DueStep, findSteps, type StepFacts } from './step-facts.ts'

/** What was written with gaps in brackets, what was missing, and why nothing was written if nothing was. */
type Written<T> = { written?: T; missing: string[]; fault?: AppError }

/** Writes once, with `[name]` in place of every variable that has no value; `write` adds their names to the set. */
export async function withGaps<T>(write: (missing: Set<string>) => T | Promise<T>): Promise<Written<T>> {
  const missing = new Set<string>()
  try {
    const written = await write(missing)
    return { written, missing: [...missing] }
  } catch (fault) {
    if (!(fault instanceof AppError)) throw fault
    // A gap that a filter makes has no name that could be filled.
    if (fault instanceof MissingVariable) missing.add(fault.variable)
    return { missing: [...missing], fault }
  }
}

/** Returns the variables without a value that these steps use, in the prospect's variants and spintax options. */
export async function findMissingVariables(
  facts: StepFacts,
  steps: readonly DueStep[],
  yieldIfDue: () => Promise<void>,
): Promise<string[]> {
  const missing = new Set<string>()
  for (const step of steps) {
    if (step.channel === 'call' && !facts.variables.phone) missing.add('phone')
    const found = await withGaps(gaps => render(step, { ...facts, missing: gaps }))
    for (const variable of found.missing) missing.add(variable)
    // Thirty steps of a hundred thousand characters take long.
    await yieldIfDue()
  }
  return [...missing]
}

function render(step: DueStep, facts: StepFacts & { missing: Set<string> }): unknown {
  if (step.channel === 'call') return renderCallData(step, facts)
  if (step.variants.length === 0) return undefined
  const chosen = { ...chooseVariant(facts.prospectId, step.variants), id: step.id }
  return step.channel === 'email'
    ? renderStep(chosen, { ...facts, unsubscribeUrl: '' })
    : renderTask(chosen, facts)
}

/** Creates a function that finds what a new prospect lacks for the whole sequence, so that nobody gets half of it. */
export async function createMissingFinder(
  tx: Sql,
  due: readonly StepFacts[],
): Promise<(facts: StepFacts) => Promise<string[]>> {
  const steps = new Map<string, DueStep[]>()
  for (const { isFirstOfMany, campaignId } of due)
    if (isFirstOfMany && !steps.has(campaignId)) steps.set(campaignId, await findSteps(tx, campaignId))
  const yieldIfDue = createYielder()
  return async facts => {
    await yieldIfDue()
    return facts.isFirstOfMany ? findMissingVariables(facts, steps.get(facts.campaignId)!, yieldIfDue) : []
  }
}

export const missingReason = (missing: readonly string[]): string => `missing_variable: ${missing.join(', ')}`
