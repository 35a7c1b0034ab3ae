import { bodyFormat, escapeHtml } from '../email/body.ts'
import { renderTemplate } from '../email/template.ts'
import { optOutLineWith } from '../email/unsubscribe.ts'
import type { StepFacts } from './step-facts.ts'

type Facts = Pick<StepFacts, 'variables' | 'optOutLine' | 'postalAddress'> & { unsubscribeUrl: string }

/**
 * A step's email for one person: templates filled in, and below the body how to opt out and who writes. Without a
 * subject of its own it has an empty one. Throws MissingVariable when the person lacks what the text needs.
 */
export function renderStep(
  step: { subject: string | null; body: string },
  { variables, optOutLine, postalAddress, unsubscribeUrl }: Facts,
): { subject: string; body: string } {
  // Asked of the template: a person's name with a tag in it must not turn a plain mail into HTML.
  const format = bodyFormat(step.body)
  const body = renderTemplate(step.body, variables, format)
  const address = format === 'html' ? escapeHtml(postalAddress ?? '').replace(/\n/g, '<br>') : postalAddress
  // A campaign that is under way keeps the link when the account's line is taken away.
  const footer = [optOutLineWith(unsubscribeUrl, optOutLine ?? 'Unsubscribe:', format), address].filter(
    Boolean,
  )
  return {
    subject: step.subject === null ? '' : renderTemplate(step.subject, variables, 'line'),
    body:
      format === 'html'
        ? `${body}\n${footer.map(line => `<p><small>${line}</small></p>`).join('\n')}`
        : [body.trimEnd(), ...footer].join('\n\n'),
  }
}
