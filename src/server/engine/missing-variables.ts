import { MissingVariable } from '../email/template.ts'
import { AppError } from '../errors.ts'
import { chooseVariant } from './choose-variant.ts'
import { renderStep, renderTask } from './render-step.ts'
import type { DueStep, StepFacts } from './step-facts.ts'

type Variables = StepFacts['variables']

/** What was written with gaps in brackets, what was missing, and why nothing was written if nothing was. */
type Written<T> = { written?: T; missing: string[]; fault?: AppError }

/** Writes with `[name]` in place of every variable that has no value. */
export function withGaps<T>(given: Variables, write: (variables: Variables) => T): Written<T> {
  let variables: Record<string, string | null> = given
  const missing: string[] = []
  for (;;) {
    try {
      return { written: write(variables as Variables), missing }
    } catch (fault) {
      if (!(fault instanceof AppError)) throw fault
      if (!(fault instanceof MissingVariable)) return { missing, fault }
      if (!missing.includes(fault.variable)) missing.push(fault.variable)
      // A gap that a filter makes has no name that could be filled.
      if (variables[fault.variable] !== null) return { missing, fault }
      variables = { ...variables, [fault.variable]: `[${fault.variable}]` }
    }
  }
}

/** What these steps, each in the variant and the words that the prospect gets, name and it has no value for. */
export function missingVariables(facts: StepFacts, steps: readonly DueStep[]): string[] {
  const missing = steps
    .filter(({ variants }) => variants.length > 0)
    .flatMap(
      ({ id, channel, variants }) =>
        withGaps(facts.variables, variables => {
          const step = { ...chooseVariant(facts.prospectId, variants), id }
          return channel === 'email'
            ? renderStep(step, { ...facts, variables, unsubscribeUrl: '' })
            : renderTask(step, { ...facts, variables })
        }).missing,
    )
  return [...new Set(missing)]
}

export const missingReason = (missing: readonly string[]): string => `missing_variable: ${missing.join(', ')}`
