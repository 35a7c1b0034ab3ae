import type { Input, Output } from '../../../contract/index.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { toBodyParts } from '../../protocols/mime/body.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import { composeOutgoing } from '../outbox/compose-outgoing.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { type CampaignThread, findThread } from '../rendering/campaign-thread.ts'
import { chooseVariant } from '../rendering/choose-variant.ts'
import { renderWithPlaceholders } from '../rendering/missing-variables.ts'
import { renderStep } from '../rendering/render-step.ts'
import { type DueStep, findSteps, type StepFacts } from '../rendering/step-facts.ts'
import { type StepMail, writeStep } from '../rendering/write-step.ts'
import { previewCall } from './preview-call.ts'
import { readPreviewFacts } from './preview-facts.ts'
import { addRenderWarnings, previewTask, type Warn } from './preview-task.ts'

type Facts = StepFacts & { rep: NonNullable<StepFacts['rep']> }

/** Mail clients cut off longer subjects; the recommended line length of RFC 5322 section 2.1.1. */
const LONG_SUBJECT = 78
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

export async function previewCampaign(
  ctx: Context,
  { campaignId, stepId, variantId, prospectId, person }: Input<'previewCampaign'>,
): Promise<Output<'previewCampaign'>> {
  const { facts, isProspect } = await readPreviewFacts(ctx, campaignId, prospectId, person)
  const steps = await findSteps(ctx.sql, campaignId)
  const index = stepId ? steps.findIndex(({ id }) => id === stepId.toLowerCase()) : 0
  const step = steps[index]
  if (!step)
    throw invalid(
      'stepId',
      stepId ? 'must be the ID of a step of this campaign' : 'is required: the campaign has no steps yet',
    )
  const variant = findVariant(step, variantId, facts.prospectId)
  const warnings: Output<'previewCampaign'>['warnings'] = []
  const warn: Warn = (code, message) => void warnings.push({ code, message })
  const identity = {
    stepId: step.id,
    channel: step.channel,
    ...(variant && { variantId: variant.id }),
    ...(isProspect && { prospectId: facts.prospectId }),
  }
  await addOptOutWarning(ctx, facts, warn)
  if (step.channel === 'call')
    return { ...identity, ...(await previewCall(ctx, facts, step, warn)), warnings }
  if (step.channel !== 'email' || !variant)
    return { ...identity, ...(await previewTask(facts, step, variant, warn)), warnings }
  const mailSteps = steps.slice(0, index + 1).filter(({ channel }) => channel === 'email')
  const mail = await renderMail(ctx, facts, mailSteps, variant, warn)
  addSetupWarnings(facts, warn)
  if (mail && [...mail.subject].length > LONG_SUBJECT)
    warn(
      'long_subject',
      `The subject has ${[...mail.subject].length} characters. Many mail apps cut it off after ${LONG_SUBJECT}.`,
    )
  const bytes = mail && facts.rep && facts.contact.email ? await tryCompose(ctx, mail, warn) : undefined
  return {
    ...identity,
    ...(facts.rep && { from: { name: facts.rep.senderName, email: facts.rep.email } }),
    ...(facts.contact.email && mail && { to: mail.recipients.to[0]! }),
    subject: mail?.subject ?? '',
    ...(mail ? await toBodyParts(mail.body, mail.bodyFormat, ctx.accountId) : { text: '', html: '' }),
    headers: bytes ? parseHeaders(bytes) : [],
    ...(bytes && { sizeBytes: bytes.length }),
    warnings,
  }
}

/** Returns the given variant, else the one that the prospect gets; undefined for a step without text. */
function findVariant(
  { variants }: DueStep,
  variantId: string | undefined,
  prospectId: string,
): DueStep['variants'][number] | undefined {
  if (!variantId) return variants.length > 0 ? chooseVariant(prospectId, variants) : undefined
  const variant = variants.find(({ id }) => id === variantId.toLowerCase())
  if (!variant) throw invalid('variantId', 'must be the ID of a variant of this step')
  return variant
}

/** Renders the mail in its existing or future thread; undefined for a template error. */
async function renderMail(
  { sql, accountId, app }: Context,
  stepFacts: StepFacts,
  steps: readonly DueStep[],
  variant: DueStep['variants'][number],
  warn: Warn,
): Promise<StepMail | undefined> {
  const step = steps.at(-1)!
  const facts: Facts = { ...stepFacts, rep: stepFacts.rep ?? noSender }
  const email = facts.contact.email ?? PLACEHOLDER_ADDRESS
  const unsubscribeUrl = previewLink(app.config).url
  const sent = step.thread === 'same' ? await findThread(sql, facts.prospectId) : undefined
  const { rendered, missing, error } = await renderWithPlaceholders(missing => {
    const collecting = { ...facts, missing }
    const earlier =
      sent ??
      (step.thread === 'same' ? predictThread(accountId, collecting, steps, unsubscribeUrl) : undefined)
    return writeStep(accountId, collecting, { id: step.id, variant }, { email, unsubscribeUrl, earlier })
  })
  addRenderWarnings({ missing, error }, warn)
  return rendered
}

/**
 * Predicts the thread before anything was sent: started by the last step with a subject, continued by the ones after
 * it.
 */
function predictThread(
  accountId: string,
  facts: Facts & { missing: Set<string> },
  steps: readonly DueStep[],
  unsubscribeUrl: string,
): CampaignThread {
  const opener = steps.findLastIndex(({ thread }) => thread === 'new')
  const [first, ...others] = steps.slice(opener, -1)
  const { subject } = renderStep(
    { ...chooseVariant(facts.prospectId, first!.variants), id: first!.id, body: '' },
    { ...facts, unsubscribeUrl },
  )
  const domain = facts.rep.email.slice(facts.rep.email.lastIndexOf('@') + 1)
  const toMessageId = ({ id }: DueStep) => createMessageId([accountId, facts.prospectId, id], domain)
  return { id: '', subject, messageIds: [toMessageId(first!), ...others.map(toMessageId)] }
}

function addSetupWarnings(facts: StepFacts, warn: Warn): void {
  if (!facts.optOutLine)
    warn('no_opt_out_line', "The account has no opt-out line. A campaign can't be launched without one.")
  if (!facts.postalAddress)
    warn('no_postal_address', "The account has no postal address. A campaign can't be launched without one.")
  if (!facts.rep) warn('no_mailbox', 'No rep of this campaign has a working mailbox.')
  if (!facts.contact.email) warn('no_email', 'This person has no email address.')
}

async function addOptOutWarning(ctx: Context, facts: StepFacts, warn: Warn): Promise<void> {
  const { email } = facts.contact
  const optOut = await findOptOut(ctx, { ...facts.contact, emails: email ? [email] : [] })
  if (optOut) warn('do_not_contact', `${optOut.value} is on the Do Not Contact list.`)
}

async function tryCompose(
  { app, accountId }: Context,
  mail: StepMail,
  warn: Warn,
): Promise<Buffer | undefined> {
  const outgoing = { inReplyTo: null, referenceIds: [], ...mail }
  try {
    return (await composeOutgoing(accountId, outgoing, app.now(), { unsubscribe: previewLink(app.config) }))
      .bytes
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    warn('template', error.message)
    return undefined
  }
}

/** The unsubscribe link of previews, which opts nobody out. */
const previewLink = (config: Context['app']['config']) => ({
  token: 'preview',
  url: `${getPublicUrl(config)}/u/preview`,
})

const parseHeaders = (bytes: Buffer): { name: string; value: string }[] =>
  bytes
    .subarray(0, bytes.indexOf('\r\n\r\n'))
    .toString('latin1')
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map(line => ({
      name: line.slice(0, line.indexOf(':')),
      value: line.slice(line.indexOf(':') + 1).trim(),
    }))
