import type { Output } from '../../../../contract/index.ts'
import { type RateName, rateDenominators, reportNumbers } from '../../../../contract/reports.ts'
import { dropZeros, type Row } from '../lean-row.ts'
import { truncateText } from '../list-rows.ts'
import type { Addition } from './reader.ts'

type Stats = Output<'getCampaignStats'>
type Numbers = { delivered: number; replied: number }

/** Adds the texts of steps and variants, and the number of emails behind each reply rate. */
export const describeStats: Addition = async (read, result) => {
  const { campaignId, steps } = result as Stats
  const campaign = await read('getCampaign', { campaignId })
  if (!campaign) return {}
  const variants = campaign.steps.flatMap(step => step.variants)
  const nameVariant = (id: string): Row => {
    const variant = variants.find(each => each.id === id)
    return { subject: variant?.subject, ...(!variant?.subject && { text: truncateText(variant?.body, 60) }) }
  }
  return {
    objectType: 'campaign_texts',
    steps: steps.map(({ stepId, variants, comparison: { bestVariantId, ...comparison } = {}, ...step }) => ({
      ...(dropZeros(step) as Row),
      ...(step.position === undefined && { stepId }),
      ...toReplyRate(step),
      variants: variants.map(({ variantId, ...numbers }) => ({
        ...nameVariant(variantId),
        ...(dropZeros(numbers) as Row),
        ...toReplyRate(numbers),
      })),
      ...(bestVariantId && { comparison: { best: nameVariant(bestVariantId), ...comparison } }),
    })),
  }
}

/** Returns a row such as `{ replyRate: '6 of 19 delivered (32%)' }`. */
const toReplyRate = ({ delivered, replied }: Numbers): Row =>
  delivered === 0
    ? {}
    : { replyRate: `${replied} of ${delivered} delivered (${Math.round((100 * replied) / delivered)}%)` }

const numberNames = Object.keys(reportNumbers) as (keyof typeof reportNumbers)[]

/** Adds the denominator of each rate of a report, the numbers that are 0, and why rates may differ from the numbers. */
export const nameDenominators: Addition = async (_read, result) => {
  const { rates, ...numbers } = (result as Output<'getReport'>).total
  const names = Object.entries(rates).filter(([, value]) => value > 0)
  const zeros = numberNames.filter(name => numbers[name] === 0)
  return {
    ratesOf: Object.fromEntries(names.map(([name]) => [name, rateDenominators[name as RateName]])),
    ...(zeros.length > 0 && { zeroInTotal: zeros.join(', ') }),
    notice:
      'Rates count responses to messages sent in the period. Numbers such as `replied` also count responses to earlier messages.',
  }
}
