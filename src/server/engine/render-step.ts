import { bodyFormat, escapeHtml } from '../email/body.ts'
import { renderTemplate } from '../email/template.ts'
import type { StepFacts } from './step-facts.ts'

/**
 * A step's email for one person: templates filled in, and below the body how to opt out and who writes. Throws
 * MissingVariable when the person lacks what the text needs.
 */
export function renderStep(
  step: { subject: string; body: string },
  { variables, optOutLine, postalAddress }: Pick<StepFacts, 'variables' | 'optOutLine' | 'postalAddress'>,
): { subject: string; body: string } {
  // Asked of the template: a person's name with a tag in it must not turn a plain mail into HTML.
  const format = bodyFormat(step.body)
  const footer = [optOutLine, postalAddress].filter(line => line !== null)
  const body = renderTemplate(step.body, variables, format)
  return {
    subject: renderTemplate(step.subject, variables, 'line'),
    body: format === 'html' ? withHtmlFooter(body, footer) : [body.trimEnd(), ...footer].join('\n\n'),
  }
}

const withHtmlFooter = (body: string, footer: string[]): string =>
  `${body}\n${footer.map(line => `<p><small>${escapeHtml(line).replace(/\n/g, '<br>')}</small></p>`).join('\n')}`
