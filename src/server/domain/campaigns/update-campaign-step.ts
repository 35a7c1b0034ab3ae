import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, invalid, invalidAll, notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { getCampaign, lockCampaign } from './campaigns.ts'
import type { StepEffects } from './prospect-effects.ts'
import { setCampaignSteps } from './set-campaign-steps.ts'

type Change = Input<'updateCampaignStep'>
type StoredStep = Output<'getCampaign'>['steps'][number]
type StepInput = Input<'setCampaignSteps'>['steps'][number]

/** Changes one step by replacing all steps, with the others unchanged. */
export async function updateCampaignStep(
  ctx: Context,
  { campaignId, stepId, ...change }: Change,
  effects: StepEffects,
): Promise<Json<Output<'updateCampaignStep'>>> {
  await lockCampaign(ctx, campaignId)
  const { steps } = JSON.parse((await getCampaign(ctx, { campaignId })).text) as Output<'getCampaign'>
  const index = steps.findIndex(({ id }) => id === stepId.toLowerCase())
  const stored = steps[index]
  if (!stored) throw notFound('step')
  const changed = steps.map(toStepInput).with(index, applyChange(stored, change))
  try {
    return await setCampaignSteps(ctx, { campaignId, steps: changed }, effects)
  } catch (error) {
    throw error instanceof AppError ? removeStepPath(error, index) : error
  }
}

/** Converts a stored step to input. Omits `variants` for steps without text, which have none. */
const toStepInput = ({ variants, ...step }: StoredStep): StepInput =>
  ({ ...step, ...(variants.length > 0 && { variants }) }) as StepInput

function applyChange(
  stored: StoredStep,
  { subject, body, variants, call, ...fields }: Omit<Change, 'campaignId' | 'stepId'>,
): StepInput {
  const variantChanges = toVariantChanges(stored, { subject, body, variants })
  const changed = {
    ...toStepInput(stored),
    ...dropUndefined(fields),
    ...(call && { call: { ...stored.call, ...dropUndefined(call) } }),
    ...(stored.variants.length > 0
      ? {
          variants: stored.variants.map(variant => ({
            ...variant,
            ...dropUndefined(variantChanges.find(({ id }) => id === variant.id) ?? {}),
          })),
        }
      : dropUndefined({ subject, body })),
  }
  // A removed subject is null here, but absent in the input of setCampaignSteps.
  return JSON.parse(
    JSON.stringify(changed, (name, value) => (name === 'subject' && value === null ? undefined : value)),
  )
}

/** Returns the changes by variant; `subject` and `body` are shorthand for a single variant. */
function toVariantChanges(
  { variants: stored }: StoredStep,
  { subject, body, variants }: Pick<Change, 'subject' | 'body' | 'variants'>,
): NonNullable<Change['variants']> {
  if (subject === undefined && body === undefined) {
    const changes = (variants ?? []).map(variant => ({ ...variant, id: variant.id.toLowerCase() }))
    const errors = changes.flatMap(({ id }, index) =>
      stored.some(variant => variant.id === id)
        ? []
        : [{ path: `variants.${index}.id`, message: 'must be the ID of a variant of this step' }],
    )
    if (errors.length > 0) throw invalidAll(errors)
    return changes
  }
  if (variants) throw invalid('variants', 'must be absent if `subject` or `body` is given')
  if (stored.length > 1)
    throw invalid('variants', `is required, with IDs: the step has ${stored.length} variants`)
  return stored.map(({ id }) => ({ id, subject, body }))
}

const dropUndefined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

/** Removes the path of the step from the errors of its fields, so that the errors name fields as the request does. */
function removeStepPath(error: AppError, index: number): AppError {
  if (error.code !== 'ValidationError' || !error.details) return error
  const stepPath = `steps.${index}`
  return invalidAll(
    error.details.map(({ path, message }) => ({
      path: path === stepPath || path.startsWith(`${stepPath}.`) ? path.slice(stepPath.length + 1) : path,
      message,
    })),
  )
}
