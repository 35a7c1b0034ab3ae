import type { SeedCampaign, SeedStep, StepText } from '../data/campaigns.ts'
import type { SeedContext } from './seed-context.ts'

export type Step = SeedStep & { id: string; variants: ({ id: string } & StepText)[] }

/** Returns the steps of a campaign with their IDs and variants. */
export const buildSteps = ({ id }: SeedContext, { key, steps }: SeedCampaign): Step[] =>
  steps.map((step, index) => {
    const names = index === 0 ? [key] : [key, String(index + 1)]
    const variantA: StepText[] = 'body' in step ? [step] : []
    const variantB = 'variantB' in step && step.variantB ? [step.variantB] : []
    return {
      ...step,
      id: id('step', ...names),
      variants: [...variantA, ...variantB].map(({ subject, body }, variant) => ({
        id: id('variant', ...names, ...(variant > 0 ? ['B'] : [])),
        ...(subject !== undefined && { subject }),
        body,
      })),
    }
  })
