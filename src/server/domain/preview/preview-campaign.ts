import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { toBodyParts } from '../../protocols/mime/body.ts'
import { toLinkWord } from '../../protocols/mime/unsubscribe.ts'
import { composeOutgoing } from '../outbox/compose-outgoing.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import type { StepFacts } from '../rendering/step-facts.ts'
import type { StepEmail } from '../rendering/write-step.ts'
import { previewCall } from './preview-call.ts'
import { readPreviewFacts } from './preview-facts.ts'
import { previewTask, type Warn } from './preview-task.ts'
import { findStep, findVariant, previewLink, renderEmail } from './render-preview.ts'

/** Mail clients cut off longer subjects; the recommended line length of RFC 5322 section 2.1.1. */
const LONG_SUBJECT = 78

export async function previewCampaign(
  ctx: Context,
  { campaignId, stepId, variantId, prospectId, person }: Input<'previewCampaign'>,
): Promise<Output<'previewCampaign'>> {
  const { facts, isProspect } = await readPreviewFacts(ctx, campaignId, prospectId, person)
  const { step, steps } = await findStep(ctx, campaignId, stepId)
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
  const mail = await renderEmail(ctx, facts, steps, variant, warn)
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
    ...(mail
      ? await toBodyParts(mail.body, mail.bodyFormat, ctx.accountId, toLinkWord(previewLink(ctx.app)))
      : { text: '', html: '' }),
    headers: bytes ? parseHeaders(bytes) : [],
    ...(bytes && { sizeBytes: bytes.length }),
    warnings,
  }
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
  const { personId, contact } = facts
  const emails = contact.email ? [contact.email] : []
  const optOut = await findOptOut(ctx, { ...contact, personId, emails })
  if (optOut) warn('do_not_contact', `${optOut.value} is on the Do Not Contact list.`)
}

async function tryCompose(
  { app, accountId }: Context,
  mail: StepEmail,
  warn: Warn,
): Promise<Buffer | undefined> {
  const outgoing = { inReplyTo: null, referenceIds: [], ...mail }
  try {
    return (await composeOutgoing(accountId, outgoing, app.now(), { unsubscribe: previewLink(app) })).bytes
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    warn('template', error.message)
    return undefined
  }
}

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
