import { type BodyFormat, bodyFormat } from '../email/body.ts'
import { messageIdFor } from '../email/compose.ts'
import type { Outgoing } from './attempt.ts'
import { answerIn, type CampaignThread } from './campaign-thread.ts'
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
  facts: StepFacts & { rep: NonNullable<StepFacts['rep']> },
  step: { id: string; variant: DueStep['variants'][number] },
  { email, ...where }: { email: string; unsubscribeUrl: string; earlier: CampaignThread | undefined },
): StepMail {
  const { rep, prospectId, variables } = facts
  return {
    ...renderStep({ ...step.variant, id: step.id }, { ...facts, unsubscribeUrl: where.unsubscribeUrl }),
    ...(where.earlier && answerIn(where.earlier)),
    bodyFormat: bodyFormat(step.variant.body),
    sender: { name: rep.senderName, email: rep.email },
    recipients: { to: [{ name: variables.fullName ?? email, email }] },
    messageId: messageIdFor(
      [accountId, prospectId, step.id],
      rep.email.slice(rep.email.lastIndexOf('@') + 1),
    ),
  }
}
