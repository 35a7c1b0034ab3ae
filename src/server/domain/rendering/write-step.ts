import { invalid } from '../../kernel/errors.ts'
import { type BodyFormat, detectBodyFormat } from '../../protocols/mime/body.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import type { Outgoing } from '../outbox/compose-outgoing.ts'
import { type CampaignThread, toReplyHeaders } from './campaign-thread.ts'
import { chooseVariant } from './choose-variant.ts'
import { renderStep } from './render-step.ts'
import type { DueStep, StepFacts } from './step-facts.ts'

export type StepMail = Pick<Outgoing, 'subject' | 'body' | 'sender' | 'recipients' | 'messageId'> &
  Partial<Pick<Outgoing, 'inReplyTo' | 'referenceIds'>> & { bodyFormat: BodyFormat }

/**
 * The mail of a step to one prospect in one of its variants, in the thread of the mails before if there is one.
 * Throws MissingVariable, or `invalid` for a template at fault.
 */
export function writeStep(
  accountId: string,
  facts: StepFacts & { rep: NonNullable<StepFacts['rep']>; missing?: Set<string> },
  step: { id: string; variant: DueStep['variants'][number] },
  {
    email,
    ...where
  }: {
    email: string
    unsubscribeUrl: string
    earlier: CampaignThread | undefined
    subject?: string | undefined
  },
): StepMail {
  const { rep, prospectId, variables } = facts
  return {
    ...renderStep({ ...step.variant, id: step.id }, { ...facts, unsubscribeUrl: where.unsubscribeUrl }),
    ...(where.subject !== undefined && { subject: where.subject }),
    ...(where.earlier && toReplyHeaders(where.earlier)),
    bodyFormat: detectBodyFormat(step.variant.body),
    sender: { name: rep.senderName, email: rep.email },
    recipients: { to: [{ name: variables.fullName ?? email, email }] },
    messageId: createMessageId(
      [accountId, prospectId, step.id],
      rep.email.slice(rep.email.lastIndexOf('@') + 1),
    ),
  }
}

/**
 * The subject of a step that stays in the thread, for somebody who never got the mail that opens it, because the steps
 * were moved: that mail's own. Throws as writeStep does.
 */
export function renderOpeningSubject(facts: StepFacts, steps: readonly DueStep[]): string {
  const place = steps.findIndex(({ id }) => id === facts.step?.id)
  const opener = steps
    .slice(0, Math.max(0, place))
    .findLast(({ channel, thread }) => channel === 'email' && thread === 'new')
  if (!opener) throw invalid('subject', 'is required: no earlier email starts the thread')
  const variant = { ...chooseVariant(facts.prospectId, opener.variants), id: opener.id, body: '' }
  return renderStep(variant, { ...facts, unsubscribeUrl: '' }).subject
}
