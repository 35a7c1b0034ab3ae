import type { Output } from '../../../../contract/index.ts'
import { type RateName, rateDenominators } from '../../../../contract/reports.ts'
import { dropZeros, type Row } from '../lean-row.ts'
import { cutText } from '../list-rows.ts'
import type { Addition } from './reader.ts'

type Stats = Output<'getCampaignStats'>
type Numbers = { delivered: number; replied: number }

/** Steps and variants with their texts, and reply rates with the number of emails behind them. */
export const describeStats: Addition = async (read, answer) => {
  const { campaignId, steps } = answer as Stats
  const campaign = await read('getCampaign', { campaignId })
  if (!campaign) return {}
  const variants = campaign.steps.flatMap(step => step.variants)
  const nameVariant = (id: string): Row => {
    const variant = variants.find(each => each.id === id)
    return { subject: variant?.subject, ...(!variant?.subject && { text: cutText(variant?.body, 60) }) }
  }
  return {
    objectType: 'campaign_texts',
    steps: steps.map(({ stepId, variants, ...step }) => ({
      ...(dropZeros(step) as Row),
      ...(step.position === undefined && { stepId }),
      ...toRate(step),
      variants: variants.map(({ variantId, ...numbers }) => ({
        ...nameVariant(variantId),
        ...(dropZeros(numbers) as Row),
        ...toRate(numbers),
      })),
    })),
  }
}

/** `6 of 19 delivered (32 %)` */
const toRate = ({ delivered, replied }: Numbers): Row =>
  delivered === 0
    ? {}
    : { replyRate: `${replied} of ${delivered} delivered (${Math.round((100 * replied) / delivered)} %)` }

/** The denominator of each rate of a report, and why a rate may differ from the numbers beside it. */
export const nameDenominators: Addition = async (_read, answer) => {
  const { rates } = (answer as Output<'getReport'>).total
  const names = Object.entries(rates).filter(([, value]) => value > 0)
  return {
    ratesOf: Object.fromEntries(names.map(([name]) => [name, rateDenominators[name as RateName]])),
    notice:
      'Rates count responses to what was sent in the period. Numbers such as `replied` also count responses to earlier messages.',
  }
}
