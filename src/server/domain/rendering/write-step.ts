import { invalid } from '../../kernel/errors.ts'
import { getEmailDomain } from '../../protocols/identity/email.ts'
import type { BodyFormat } from '../../protocols/mime/body.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import type { Outgoing } from '../outbox/compose-outgoing.ts'
import { type CampaignThread, toReplyHeaders } from './campaign-thread.ts'
import { chooseVariant } from './choose-variant.ts'
import { renderStep } from './render-step.ts'
import type { DueStep, StepFacts } from './step-facts.ts'

export type StepEmail = Pick<Outgoing, 'subject' | 'body' | 'sender' | 'recipients' | 'messageId'> &
  Partial<Pick<Outgoing, 'inReplyTo' | 'referenceIds'>> & { bodyFormat: BodyFormat }

/**
 * Renders a variant of a step into an email to the prospect, as a reply in the `earlier` thread if there is one. Throws
 * MissingVariable, or ValidationError for a template error.
 */
export function writeStep(
  accountId: string,
  facts: StepFacts & { rep: NonNullable<StepFacts['rep']>; missing?: Set<string> },
  step: { id: string; variant: DueStep['variants'][number] },
  {
    email,
    ...options
  }: {
    email: string
    unsubscribeUrl: string
    earlier: CampaignThread | undefined
    subject?: string | undefined
  },
): StepEmail {
  const { rep, prospectId, variables } = facts
  const { subject, body, format } = renderStep(
    { ...step.variant, id: step.id },
    { ...facts, unsubscribeUrl: options.unsubscribeUrl },
  )
  return {
    subject,
    body,
    bodyFormat: format,
    ...(options.subject !== undefined && { subject: options.subject }),
    ...(options.earlier && toReplyHeaders(options.earlier)),
    sender: { name: rep.senderName, email: rep.email },
    recipients: { to: [{ name: variables.fullName ?? email, email }] },
    messageId: createMessageId([accountId, prospectId, step.id, email], getEmailDomain(rep.email)),
  }
}

/**
 * Renders the subject of the step that starts the thread, for a step that replies in a thread that the prospect never
 * received because the steps were reordered. Throws like `writeStep`.
 */
export function renderOpeningSubject(facts: StepFacts, steps: readonly DueStep[]): string {
  const index = steps.findIndex(({ id }) => id === facts.step?.id)
  const opener = steps
    .slice(0, Math.max(0, index))
    .findLast(({ channel, thread }) => channel === 'email' && thread === 'new')
  if (!opener) throw invalid('subject', 'is required: no earlier email starts the thread')
  const variant = { ...chooseVariant(facts.prospectId, opener.variants), id: opener.id, body: '' }
  return renderStep(variant, { ...facts, unsubscribeUrl: '' }).subject
}
