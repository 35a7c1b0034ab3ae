import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { getEmailDomain } from '../../protocols/identity/email.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import { getUnsubscribeUrl, PREVIEW_TOKEN } from '../people/opt-outs/unsubscribe-token.ts'
import { type CampaignThread, findThread } from '../rendering/campaign-thread.ts'
import { chooseVariant } from '../rendering/choose-variant.ts'
import { renderWithPlaceholders } from '../rendering/missing-variables.ts'
import { renderStep } from '../rendering/render-step.ts'
import { type DueStep, findSteps, type StepFacts } from '../rendering/step-facts.ts'
import { type StepEmail, writeStep } from '../rendering/write-step.ts'
import { addRenderWarnings, type Warn } from './preview-task.ts'

type Facts = StepFacts & { rep: NonNullable<StepFacts['rep']> }

/** Replaces a missing address while composing, and is never shown (RFC 2606 section 2). */
const PLACEHOLDER_ADDRESS = 'nobody@nowhere.invalid'
const noSender: Facts['rep'] = {
  id: '',
  name: '',
  mailboxId: '',
  isPaced: false,
  email: PLACEHOLDER_ADDRESS,
  senderName: '',
}

/** Finds the given step, or else the first one, and all steps up to and including it. */
export async function findStep(
  { sql }: Context,
  campaignId: string,
  stepId: string | undefined,
): Promise<{ step: DueStep; steps: DueStep[] }> {
  const steps = await findSteps(sql, campaignId)
  const index = stepId ? steps.findIndex(({ id }) => id === stepId) : 0
  const step = steps[index]
  if (step) return { step, steps: steps.slice(0, index + 1) }
  throw invalid(
    'stepId',
    stepId ? 'must be the ID of a step of this campaign' : 'has no default: the campaign has no steps yet',
  )
}

/** Returns the given variant, or else the one that the prospect gets; undefined for a step without variants. */
export function findVariant(
  { variants }: DueStep,
  variantId: string | undefined,
  prospectId: string,
): DueStep['variants'][number] | undefined {
  if (!variantId) return variants.length > 0 ? chooseVariant(prospectId, variants) : undefined
  const variant = variants.find(({ id }) => id === variantId)
  if (!variant) throw invalid('variantId', 'must be the ID of a variant of this step')
  return variant
}

/** Renders the email of the last of these steps in its existing or future thread; undefined for a template error. */
export async function renderEmail(
  { sql, accountId, app }: Context,
  stepFacts: StepFacts,
  steps: readonly DueStep[],
  variant: DueStep['variants'][number],
  warn: Warn,
): Promise<StepEmail | undefined> {
  const emailSteps = steps.filter(({ channel }) => channel === 'email')
  const step = emailSteps.at(-1)!
  const facts: Facts = { ...stepFacts, rep: stepFacts.rep ?? noSender }
  const email = facts.contact.email ?? PLACEHOLDER_ADDRESS
  const unsubscribeUrl = previewLink(app).url
  const sent = step.thread === 'same' ? await findThread(sql, facts.prospectId) : undefined
  const { rendered, missing, error } = await renderWithPlaceholders(missing => {
    const collectingFacts = { ...facts, missing }
    const earlier =
      sent ??
      (step.thread === 'same'
        ? predictThread(accountId, collectingFacts, emailSteps, { email, unsubscribeUrl })
        : undefined)
    return writeStep(accountId, collectingFacts, { id: step.id, variant }, { email, unsubscribeUrl, earlier })
  })
  addRenderWarnings({ missing, error }, warn)
  return rendered
}

/**
 * Predicts the thread before anything is sent: the last step with a subject starts it, and the steps after that one
 * continue it.
 */
function predictThread(
  accountId: string,
  facts: Facts & { missing: Set<string> },
  steps: readonly DueStep[],
  { email, unsubscribeUrl }: { email: string; unsubscribeUrl: string },
): CampaignThread {
  const opener = steps.findLastIndex(({ thread }) => thread === 'new')
  const [first, ...others] = steps.slice(opener, -1)
  const { subject } = renderStep(
    { ...chooseVariant(facts.prospectId, first!.variants), id: first!.id, body: '' },
    { ...facts, unsubscribeUrl },
  )
  const domain = getEmailDomain(facts.rep.email)
  const toMessageId = ({ id }: DueStep) => createMessageId([accountId, facts.prospectId, id, email], domain)
  return { id: '', subject, messageIds: [toMessageId(first!), ...others.map(toMessageId)] }
}

/** Returns the unsubscribe link of previews, which opts nobody out. */
export const previewLink = (app: Context['app']) => ({
  token: PREVIEW_TOKEN,
  url: getUnsubscribeUrl(app, PREVIEW_TOKEN),
})
