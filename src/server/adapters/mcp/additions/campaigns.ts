import type { Output } from '../../../../contract/index.ts'
import type { Row } from '../lean-row.ts'
import { formatPerson, removeFooter } from '../lean-shapes.ts'
import { truncateText } from '../list-rows.ts'
import type { Addition, Read } from './reader.ts'

type Campaign = Output<'getCampaign'>
type Step = Campaign['steps'][number]

/** Object type that marks text as written by the account's own users rather than external. */
const objectType = 'campaign_texts'

/** Adds the steps and schedule after a change, and everything that prevents a launch. */
export const describeCampaign: Addition = async (read, result) => {
  const campaign = await read('getCampaign', { campaignId: result.id })
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

/** Adds the step that changed, with its texts. */
export const describeStep: Addition = async (read, result, input) => {
  const { id, steps } = result as Campaign
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

/** Adds launch details besides the forecast: who gets which text, and when. */
export const describeLaunch: Addition = async (read, result, { campaignId }) => {
  const [campaign, people] = await Promise.all([
    read('getCampaign', { campaignId }),
    read('listProspects', { campaignId, limit: FIRST_PEOPLE }),
  ])
  if (!campaign) return {}
  const dates = new Map((result as Output<'forecastCampaign'>).steps.map(step => [step.stepId, step]))
  return {
    objectType,
    status: campaign.status,
    steps: campaign.steps.map(step => {
      const { count, firstOn, lastOn } = dates.get(step.id) ?? {}
      return { ...toStep(step), count, firstOn, ...(lastOn !== firstOn && { lastOn }) }
    }),
    // This object type marks the recipients as external text.
    newestProspects: {
      objectType: 'prospects',
      recipients: people?.data.map(({ person }) => formatPerson(person)),
    },
  }
}

/** Adds the people whom a launch skips, with the reasons. */
export const describeSkipped: Addition = async (read, { id }) => {
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

/** Adds previews of all steps of a campaign, for the person of the first preview. */
export const previewSteps: Addition = async (read, result, { stepId, variantId, ...input }) => {
  const isOne = stepId !== undefined || variantId !== undefined
  const campaign = isOne ? undefined : await read('getCampaign', { campaignId: input.campaignId })
  if (!campaign || campaign.steps.length < 2) return {}
  const [first, ...others] = campaign.steps.slice(0, MAX_PREVIEWS)
  const prospect = result.prospectId ? { prospectId: result.prospectId } : {}
  const previews = others.map(async step => ({
    step,
    preview: await read('previewCampaign', { ...input, ...prospect, stepId: step.id }),
  }))
  const all = [
    { step: first!, preview: result as Output<'previewCampaign'> },
    ...(await Promise.all(previews)),
  ]
  return {
    replaces: ['stepId', 'variantId', 'channel', 'content', 'warnings'],
    steps: all.map(({ step, preview }) => {
      const { subject, text = '', warnings } = preview ?? {}
      const { position, channel } = step
      return { position, channel, after: formatDelay(step), subject, text: removeFooter(text), warnings }
    }),
  }
}

/**
 * Returns the warnings of a preview of each step. The sample person has every field, so only unknown variables are
 * reported.
 */
async function listWarnings(read: Read, campaignId: string, steps: Step[]): Promise<string[]> {
  const previews = await Promise.all(
    steps
      .slice(0, MAX_PREVIEWS)
      .map(({ id }) => read('previewCampaign', { campaignId, stepId: id, person: samplePerson })),
  )
  const found = previews.flatMap((preview, index) =>
    (preview?.warnings ?? []).map(({ message }) => `Step ${index + 1}: ${message}`),
  )
  return [...new Set(found)]
}

const samplePerson = {
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
      after: formatDelay(step),
      subject: first?.subject,
      text: truncateText(first?.body, 120),
    },
    ...(others.length > 0 && { variants: variants.length }),
  }
}

/** Returns a string such as `3 business_days`; undefined without a delay. */
const formatDelay = ({ delay }: Step): string | undefined =>
  delay.amount > 0 ? `${delay.amount} ${delay.unit}` : undefined
