import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { setBounded } from '../../kernel/set-bounded.ts'
import { detectBodyFormat, escapeHtml, toTextParts } from '../../protocols/mime/body.ts'
import { htmlToText } from '../../protocols/mime/html-to-text.ts'
import { renderOptOutLine } from '../../protocols/mime/unsubscribe.ts'
import { expandSpintax, resolveSpintax } from '../../protocols/templates/spintax.ts'
import {
  listVariables,
  Markup,
  renderTemplate,
  type TemplateFormat,
} from '../../protocols/templates/template.ts'
import { hashToUnit } from './choose-variant.ts'
import type { DueStep, StepFacts } from './step-facts.ts'

type Facts = Person &
  Pick<StepFacts, 'optOutLine' | 'postalAddress'> & {
    unsubscribeUrl: string
  }

type Person = Pick<StepFacts, 'prospectId' | 'variables'> & {
  /** If set, collects the variables without a value and renders `[name]` in their place instead of throwing. */
  missing?: Set<string>
}

/** Chooses the spintax options of a text. Runs before the variables are filled in, whose values may contain braces. */
const chooseOptions = (prospectId: string, stepId: string, part: string, text: string): string =>
  resolveSpintax(text, nth => hashToUnit(prospectId, stepId, part, String(nth)))

/** Renders the text of a task or LinkedIn step, without signature and footer. Throws like `renderStep`. */
export const renderTask = (
  step: { id: string; body: string },
  { prospectId, variables, missing }: Person,
): string =>
  renderTemplate(chooseOptions(prospectId, step.id, 'body', step.body), variables, 'text', missing).trim()

/** Renders a text in its own format, with the signature only where the text has it. Throws like `renderStep`. */
export function renderText(
  { id, text }: { id: string; text: string },
  { personId, variables, missing }: Pick<Person, 'variables' | 'missing'> & { personId: string },
): string {
  const signature = variables.signature ? getSignatureMarkup(variables.signature) : null
  const template = chooseOptions(personId, id, 'body', text)
  return renderTemplate(template, { ...variables, signature }, detectBodyFormat(text), missing).trim()
}

/** Renders the data that the assistant gets for a call. Throws like `renderStep`. */
export async function renderCallData(
  { id, call }: Pick<DueStep, 'id' | 'call'>,
  { prospectId, variables, missing }: Person,
): Promise<Record<string, string>> {
  const yieldIfDue = createYielder()
  const rendered: [string, string][] = []
  for (const [name, text] of Object.entries(call?.data ?? {})) {
    const template = chooseOptions(prospectId, id, name, text)
    rendered.push([name, renderTemplate(template, variables, 'text', missing).trim()])
    await yieldIfDue()
  }
  return Object.fromEntries(rendered)
}

/**
 * Renders a step's email for a prospect, with the same spintax options every time. Appends the signature unless the
 * body contains it, the opt-out line and the postal address. The subject is empty if the step has none. Throws
 * MissingVariable if a variable without fallback has no value.
 */
export function renderStep(
  step: { id: string; subject: string | null; body: string },
  { prospectId, variables, optOutLine, postalAddress, unsubscribeUrl, missing }: Facts,
): { subject: string; body: string } {
  // Detected in the template: a tag in a person's name must not turn a plain-text mail into HTML.
  const format = detectBodyFormat(step.body)
  const signature = variables.signature ? getSignatureMarkup(variables.signature) : null
  const values = { ...variables, signature }
  const render = (part: string, text: string, as: TemplateFormat) =>
    renderTemplate(chooseOptions(prospectId, step.id, part, text), values, as, missing)
  const subject = step.subject === null ? '' : render('subject', step.subject, 'line')
  const body = [render('body', step.body, format).trimEnd()]
  if (signature && !listVariables(expandSpintax(step.body)).includes('signature'))
    body.push(signature[format])
  const address = format === 'html' ? escapeHtml(postalAddress ?? '').replace(/\n/g, '<br>') : postalAddress
  // An active campaign keeps the link even if the account's opt-out line is removed.
  const footer = [renderOptOutLine(unsubscribeUrl, optOutLine ?? 'Unsubscribe:', format), address].filter(
    Boolean,
  )
  return {
    subject,
    body:
      format === 'html'
        ? [...body, ...footer.map(line => `<p><small>${line}</small></p>`)].join('\n')
        : [...body, ...footer].join('\n\n'),
  }
}

const signatures = new Map<string, Markup>()
const MAX_CACHED_SIGNATURES = 200

/** Caches converted signatures, because many emails share one; evicts the oldest. */
function getSignatureMarkup(signature: string): Markup {
  const cached = signatures.get(signature)
  if (cached) return cached
  const isHtml = detectBodyFormat(signature) === 'html'
  const markup = new Markup(
    isHtml ? { text: htmlToText(signature), html: signature } : toTextParts(signature),
  )
  setBounded(signatures, signature, markup, MAX_CACHED_SIGNATURES)
  return markup
}
