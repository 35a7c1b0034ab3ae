import { maxNoteLength, type previewWarnings } from '../../../contract/campaigns.ts'
import type { AppError } from '../../kernel/errors.ts'
import { withGaps } from '../rendering/missing-variables.ts'
import { renderTask } from '../rendering/render-step.ts'
import type { DueStep, StepFacts } from '../rendering/step-facts.ts'

export type Warn = (code: (typeof previewWarnings)[number], message: string) => void

/** Previews the task of a rep; subject and headers are empty. */
export async function previewTask(
  facts: StepFacts,
  step: DueStep,
  variant: DueStep['variants'][number] | undefined,
  warn: Warn,
): Promise<{ subject: ''; text: string; html: ''; headers: [] }> {
  const { written = '', ...gaps } = variant
    ? await withGaps(missing => renderTask({ ...variant, id: step.id }, { ...facts, missing }))
    : { missing: [] }
  warnOfGaps(gaps, warn)
  if (!facts.taskRep) warn('no_rep', 'This campaign has no rep who could do it.')
  if (step.channel.startsWith('linkedin') && !facts.variables.linkedinUrl)
    warn('no_linkedin_url', 'No LinkedIn profile of this person is known; the rep has to look for it.')
  if (step.channel === 'linkedin_connect' && [...written].length > maxNoteLength)
    warn(
      'long_note',
      `The note has ${[...written].length} characters; LinkedIn takes ${maxNoteLength} from everybody.`,
    )
  return { subject: '', text: written, html: '', headers: [] }
}

export function warnOfGaps(
  { missing, fault }: { missing: readonly string[]; fault?: AppError | undefined },
  warn: Warn,
): void {
  for (const name of missing) {
    warn(
      'missing_variable',
      `${name} has no value for this person. Give it one, or the step a fallback such as {{ ${name} | default: "…" }}.`,
    )
  }
  if (fault && missing.length === 0) warn('template', fault.message)
}
