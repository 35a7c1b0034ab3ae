import type { Output } from '../../../contract/index.ts'
import { invoke } from '../../invoke.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { Row } from './lean-row.ts'
import type { Tool } from './tools.ts'

type Step = Output<'getCampaign'>['steps'][number]

/** Arguments of the operation, and fields that the tool adds to its result. */
export type ResolvedStep = { args: Row; resultFields: Row }

/** Replaces the position of a step with its ID, and `replace` with the changed texts of the step. */
export async function resolveStep(ctx: Context, { operation }: Tool, args: Row): Promise<ResolvedStep> {
  const { replace, ...input } = args
  if (operation !== 'updateCampaignStep') return { args, resultFields: {} }
  const { campaignId, stepId } = input
  const position = /^\d{1,3}$/.test(String(stepId)) ? Number(stepId) : undefined
  if (position === undefined && replace === undefined) return { args: input, resultFields: {} }
  const { text } = await invoke(ctx, { name: 'getCampaign', input: { campaignId } })
  const { steps } = JSON.parse(text) as Output<'getCampaign'>
  const step = steps.find(each => each.id === stepId || each.position === position)
  if (!step) throw invalid('stepId', `must be an ID or a position from 1 to ${steps.length}`)
  const resolved = { ...input, stepId: step.id }
  if (replace === undefined) return { args: resolved, resultFields: {} }
  const { find, replacement } = readReplacement(args)
  const replacements = countIn(step, find)
  if (replacements === 0)
    throw invalid('replace.find', `does not occur in the step. ${describeLocation(steps, find)}`)
  return {
    args: { ...resolved, variants: replaceIn(step, find, replacement) },
    resultFields: { replacements },
  }
}

function readReplacement({ replace, body, subject, variants }: Row): { find: string; replacement: string } {
  if (body !== undefined || subject !== undefined || variants !== undefined) {
    throw invalid('replace', 'must not be combined with `body`, `subject` or `variants`')
  }
  const { find, with: replacement } = (replace ?? {}) as Row
  if (typeof find !== 'string' || find === '' || typeof replacement !== 'string') {
    throw invalid('replace', 'must have the strings `find` and `with`')
  }
  return { find, replacement }
}

/** Returns how often the texts of a step contain a string. */
const countIn = ({ variants }: Step, find: string): number =>
  variants
    .flatMap(({ subject = '', body }) => [subject, body])
    .reduce((count, text) => count + text.split(find).length - 1, 0)

const list = new Intl.ListFormat('en-GB')

function describeLocation(steps: Step[], find: string): string {
  const found = steps.filter(step => countIn(step, find) > 0).map(({ position }) => position)
  if (found.length === 0) return 'No step of the campaign contains it; the search is case-sensitive'
  return `It occurs in ${found.length > 1 ? 'steps' : 'step'} ${list.format(found.map(String))}`
}

function replaceIn({ variants }: Step, find: string, replacement: string): Row[] {
  const change = (text: string) => text.replaceAll(find, () => replacement)
  return variants
    .filter(({ subject = '', body }) => [subject, body].some(text => text.includes(find)))
    .map(({ id, subject, body }) => ({
      id,
      body: change(body),
      ...(subject !== undefined && { subject: change(subject) }),
    }))
}
