import type { Output } from '../../../../contract/index.ts'
import type { Row } from '../lean-row.ts'
import { cutFooter, toPerson } from '../lean-shapes.ts'
import { cutText } from '../list-rows.ts'
import type { Addition, Read } from './reader.ts'

type Campaign = Output<'getCampaign'>
type Step = Campaign['steps'][number]

/** Marks texts that users of the account wrote. */
const objectType = 'campaign_texts'

/** Steps and schedule after a change, and what prevents a launch. */
export const describeCampaign: Addition = async (read, answer) => {
  const campaign = await read('getCampaign', { campaignId: answer.id })
  if (!campaign) return {}
  const { id, status, steps, schedule } = campaign
  const isDraft = status === 'draft'
  const forecast = isDraft ? await read('forecastCampaign', { campaignId: id, horizonDays: 1 }) : undefined
  return {
    objectType,
    steps: steps.map(toStep),
    schedule: schedule ?? 'any time',
    missingForLaunch: forecast?.launch?.errors.map(({ message }) => message),
    warnings: await listWarnings(read, id, steps),
  }
}

/** The step that changed, with its texts. */
export const describeStep: Addition = async (read, answer, input) => {
  const { id, steps } = answer as Campaign
  const step = steps.find(each => each.id === input.stepId)
  if (!step) return {}
  return {
    objectType,
    step: {
      ...toStep(step),
      subject: undefined,
      text: undefined,
      variants: step.variants.map(({ subject, body }) => ({ subject, body })),
    },
    warnings: await listWarnings(read, id, [step]),
  }
}

/** Launch details besides the forecast: who gets which text, and when. */
export const describeLaunch: Addition = async (read, answer, { campaignId }) => {
  const [campaign, people] = await Promise.all([
    read('getCampaign', { campaignId }),
    read('listProspects', { campaignId, limit: FIRST_PEOPLE }),
  ])
  if (!campaign) return {}
  const dates = new Map((answer as Output<'forecastCampaign'>).steps.map(step => [step.stepId, step]))
  return {
    objectType,
    status: campaign.status,
    steps: campaign.steps.map(step => {
      const { count, firstOn, lastOn } = dates.get(step.id) ?? {}
      return { ...toStep(step), count, firstOn, ...(lastOn !== firstOn && { lastOn }) }
    }),
    // Marked as external.
    newestProspects: {
      objectType: 'prospects',
      recipients: people?.data.map(({ person }) => toPerson(person)),
    },
  }
}

/** People whom a launch skips, and why. */
export const describeLeftOut: Addition = async (read, { id }) => {
  const prospects = await read('listProspects', {
    campaignId: String(id),
    status: ['failed', 'opted_out'],
    limit: 10,
  })
  return {
    notContacted: prospects?.data.map(({ person, status, statusReason }) => ({
      objectType: 'prospect',
      ...{ person, status, statusReason },
    })),
  }
}

const FIRST_PEOPLE = 5
const MAX_PREVIEWS = 20

/** All steps of a campaign, for the person that the first one is previewed for. */
export const previewSteps: Addition = async (read, answer, { stepId, variantId, ...input }) => {
  const isOne = stepId !== undefined || variantId !== undefined
  const campaign = isOne ? undefined : await read('getCampaign', { campaignId: input.campaignId })
  if (!campaign || campaign.steps.length < 2) return {}
  const [first, ...others] = campaign.steps.slice(0, MAX_PREVIEWS)
  const prospect = answer.prospectId ? { prospectId: answer.prospectId } : {}
  const previews = others.map(async step => ({
    step,
    preview: await read('previewCampaign', { ...input, ...prospect, stepId: step.id }),
  }))
  const all = [
    { step: first!, preview: answer as Output<'previewCampaign'> },
    ...(await Promise.all(previews)),
  ]
  return {
    replaces: ['stepId', 'variantId', 'channel', 'content', 'warnings'],
    steps: all.map(({ step, preview }) => {
      const { subject, text = '', warnings } = preview ?? {}
      const { position, channel } = step
      return { position, channel, after: toDelay(step), subject, text: cutFooter(text), warnings }
    }),
  }
}

/** Previews each step for an invented person who has every field, which shows unknown variables. */
async function listWarnings(read: Read, campaignId: string, steps: Step[]): Promise<string[]> {
  const previews = await Promise.all(
    steps
      .slice(0, MAX_PREVIEWS)
      .map(({ id }) => read('previewCampaign', { campaignId, stepId: id, person: anyone })),
  )
  const found = previews.flatMap((preview, index) =>
    (preview?.warnings ?? []).map(({ message }) => `Step ${index + 1}: ${message}`),
  )
  return [...new Set(found)]
}

const anyone = {
  ...{ firstName: 'Ada', lastName: 'Byron', email: 'ada@analytical.example', phone: '+442079460000' },
  ...{ jobTitle: 'Analyst', company: 'Analytical', linkedinUrl: 'https://www.linkedin.com/in/ada-byron' },
  ...{ city: 'London', state: 'England', country: 'United Kingdom' },
}

function toStep(step: Step): Row {
  const { id, position, channel, variants } = step
  const [first, ...others] = variants
  return {
    ...{
      id,
      position,
      channel,
      after: toDelay(step),
      subject: first?.subject,
      text: cutText(first?.body, 120),
    },
    ...(others.length > 0 && { variants: variants.length }),
  }
}

/** `3 business_days`; undefined without a delay. */
const toDelay = ({ delay }: Step): string | undefined =>
  delay.amount > 0 ? `${delay.amount} ${delay.unit}` : undefined
