import type { CampaignStory } from './campaigns.ts'
import type { Teller } from './teller.ts'

export type Words = { subject?: string; body: string }

/** A step of a campaign's story; the words of a second variant make it an A/B test. */
export type StepStory = { delayMinutes: number } & (
  | ({ channel: 'email'; variantB?: Words } & Words)
  | { channel: 'linkedin_connect' | 'linkedin_message'; body: string }
  | { channel: 'call'; assistant: string }
)

export type Step = StepStory & { id: string; variants: ({ id: string } & Words)[] }

/** The steps with their ids; the first one goes by the campaign's name alone. */
export const stepsOf = ({ id }: Teller, { key, steps }: CampaignStory): Step[] =>
  steps.map((step, index) => {
    const names = index === 0 ? [key] : [key, String(index + 1)]
    const words: Words[] = 'body' in step ? [step] : []
    const both = [...words, ...('variantB' in step && step.variantB ? [step.variantB] : [])]
    return {
      ...step,
      id: id('step', ...names),
      variants: both.map(({ subject, body }, place) => ({
        id: id('variant', ...names, ...(place > 0 ? ['B'] : [])),
        ...(subject !== undefined && { subject }),
        body,
      })),
    }
  })
