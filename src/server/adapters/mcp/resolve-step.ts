import type { Output } from '../../../contract/index.ts'
import { invoke } from '../../invoke.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Row } from './lean-row.ts'

type Step = Output<'getCampaign'>['steps'][number]

/** Replaces the position of a step with its ID, and `replace` with the changed texts of the step. */
export async function resolveStep(ctx: Context, args: Row): Promise<Row> {
  const { replace, ...input } = args
  const { campaignId, stepId } = input
  const position = /^\d{1,3}$/.test(String(stepId)) ? Number(stepId) : undefined
  if (position === undefined && replace === undefined) return input
  const { text } = await invoke(ctx, { name: 'getCampaign', input: { campaignId } })
  const { steps } = JSON.parse(text) as Output<'getCampaign'>
  const step = steps.find(each => each.id === stepId || each.position === position)
  if (!step) throw invalid('stepId', `must be an id or a position from 1 to ${steps.length}`)
  return { ...input, stepId: step.id, ...(replace !== undefined && toChange(step, args)) }
}

function toChange(step: Step, { replace, body, subject, variants }: Row): Row {
  if (body !== undefined || subject !== undefined || variants !== undefined) {
    throw invalid('replace', 'excludes `body`, `subject` and `variants`')
  }
  const { find, with: replacement } = (replace ?? {}) as Row
  if (typeof find !== 'string' || find === '' || typeof replacement !== 'string') {
    throw invalid('replace', 'must have the texts `find` and `with`')
  }
  const change = (text: string | undefined) => text?.replaceAll(find, () => replacement)
  const changed = step.variants
    .map(({ id, subject, body }) => ({
      id,
      before: { subject, body },
      subject: change(subject),
      body: change(body),
    }))
    .filter(({ before, subject, body }) => subject !== before.subject || body !== before.body)
  if (changed.length === 0) throw invalid('replace.find', 'does not occur in the step')
  return {
    variants: changed.map(({ id, subject, body }) => ({
      id,
      body,
      ...(subject !== undefined && { subject }),
    })),
  }
}
