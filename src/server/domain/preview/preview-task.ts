import { maxNoteLength, type previewWarnings } from '../../../contract/campaigns.ts'
import type { AppError } from '../../kernel/errors.ts'
import { renderWithPlaceholders } from '../rendering/missing-variables.ts'
import { renderTask } from '../rendering/render-step.ts'
import type { DueStep, StepFacts } from '../rendering/step-facts.ts'

export type Warn = (code: (typeof previewWarnings)[number], message: string) => void

/** Previews the task of a rep; subject, HTML and headers are empty. */
export async function previewTask(
  facts: StepFacts,
  step: DueStep,
  variant: DueStep['variants'][number] | undefined,
  warn: Warn,
): Promise<{ subject: ''; text: string; html: ''; headers: [] }> {
  const { rendered: text = '', ...problems } = variant
    ? await renderWithPlaceholders(missing => renderTask({ ...variant, id: step.id }, { ...facts, missing }))
    : { missing: [] }
  addRenderWarnings(problems, warn)
  if (!facts.taskRep) warn('no_rep', 'This campaign has no rep to do this step.')
  if (step.channel.startsWith('linkedin') && !facts.variables.linkedinUrl)
    warn('no_linkedin_url', 'This person has no LinkedIn profile. The rep has to search for it.')
  if (step.channel === 'linkedin_connect' && [...text].length > maxNoteLength)
    warn(
      'long_note',
      `The note has ${[...text].length} characters. LinkedIn allows only ${maxNoteLength} for some accounts.`,
    )
  return { subject: '', text, html: '', headers: [] }
}

export function addRenderWarnings(
  { missing, error }: { missing: readonly string[]; error?: AppError | undefined },
  warn: Warn,
): void {
  for (const name of missing) {
    if (name === 'signature')
      warn(
        'no_signature',
        'The sender has no signature. Select "Edit rep" under Senders to add one, or remove {{ signature }}: the signature is added to every email automatically.',
      )
    else
      warn(
        'missing_variable',
        `${name} has no value for this person. Add the value, or a fallback such as {{ ${name} | default: "…" }}.`,
      )
  }
  if (error && missing.length === 0) warn('template', error.message)
}
