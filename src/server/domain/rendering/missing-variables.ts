import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { MissingVariable } from '../../protocols/templates/template.ts'
import { chooseVariant } from './choose-variant.ts'
import { renderCallData, renderStep, renderTask } from './render-step.ts'
import { type DueStep, findSteps, type StepFacts } from './step-facts.ts'

/**
 * The result of a rendering. `rendered` contains `[name]` in place of missing variables; it is absent if
 * rendering failed with `error`.
 */
type RenderResult<T> = { rendered?: T; missing: string[]; error?: AppError }

/** Renders with `[name]` in place of every variable without a value; `render` adds the names to the set. */
export async function renderWithPlaceholders<T>(
  render: (missing: Set<string>) => T | Promise<T>,
): Promise<RenderResult<T>> {
  const missing = new Set<string>()
  try {
    const rendered = await render(missing)
    return { rendered, missing: [...missing] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // A filter can still fail on a missing value, which then has no placeholder.
    if (error instanceof MissingVariable) missing.add(error.variable)
    return { missing: [...missing], error }
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
    const result = await renderWithPlaceholders(names => render(step, { ...facts, missing: names }))
    for (const variable of result.missing) missing.add(variable)
    // Rendering thirty steps of a hundred thousand characters takes a long time.
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

/**
 * Returns a function that finds the missing variables of a new prospect for all steps, so that nobody gets half a
 * sequence.
 */
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

export const toMissingReason = (missing: readonly string[]): string =>
  `missing_variable: ${missing.join(', ')}`
