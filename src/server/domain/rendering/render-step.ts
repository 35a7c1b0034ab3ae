import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
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
  /** Collects the variables without a value instead of throwing at the first; `[name]` is written in their place. */
  missing?: Set<string>
}

/** Before the variables: a brace in somebody's name chooses nothing. */
const resolveWords = (prospectId: string, stepId: string, part: string, text: string): string =>
  resolveSpintax(text, nth => hashToUnit(prospectId, stepId, part, String(nth)))

/** The text of a step that a person does: with nothing below it. Throws as renderStep does. */
export const renderTask = (
  step: { id: string; body: string },
  { prospectId, variables, missing }: Person,
): string =>
  renderTemplate(resolveWords(prospectId, step.id, 'body', step.body), variables, 'text', missing).trim()

/** What the assistant is told for a call. Throws as renderStep does. */
export async function renderCallData(
  { id, call }: Pick<DueStep, 'id' | 'call'>,
  { prospectId, variables, missing }: Person,
): Promise<Record<string, string>> {
  const yieldIfDue = createYielder()
  const rendered: [string, string][] = []
  for (const [name, text] of Object.entries(call?.data ?? {})) {
    const words = resolveWords(prospectId, id, name, text)
    rendered.push([name, renderTemplate(words, variables, 'text', missing).trim()])
    await yieldIfDue()
  }
  return Object.fromEntries(rendered)
}

/**
 * A step's email for one prospect: words chosen, always the same ones, templates filled in, and below the body the
 * signature unless it stands in it, how to opt out and who writes. Without a subject of its own it has an empty one.
 * Throws MissingVariable when the person lacks what the text needs.
 */
export function renderStep(
  step: { id: string; subject: string | null; body: string },
  { prospectId, variables, optOutLine, postalAddress, unsubscribeUrl, missing }: Facts,
): { subject: string; body: string } {
  // Asked of the template: a person's name with a tag in it must not turn a plain mail into HTML.
  const format = detectBodyFormat(step.body)
  const signature = variables.signature ? getSignatureMarkup(variables.signature) : null
  const values = { ...variables, signature }
  const render = (part: string, text: string, as: TemplateFormat) =>
    renderTemplate(resolveWords(prospectId, step.id, part, text), values, as, missing)
  const subject = step.subject === null ? '' : render('subject', step.subject, 'line')
  const body = [render('body', step.body, format).trimEnd()]
  if (signature && !listVariables(expandSpintax(step.body)).includes('signature'))
    body.push(signature[format])
  const address = format === 'html' ? escapeHtml(postalAddress ?? '').replace(/\n/g, '<br>') : postalAddress
  // A campaign that is under way keeps the link when the account's line is taken away.
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
const maxCachedSignatures = 200

/** Converts each signature once: it is short, and the same below many mails. The oldest makes room. */
function getSignatureMarkup(signature: string): Markup {
  const known = signatures.get(signature)
  if (known) return known
  const isHtml = detectBodyFormat(signature) === 'html'
  const markup = new Markup(
    isHtml ? { text: htmlToText(signature), html: signature } : toTextParts(signature),
  )
  if (signatures.size >= maxCachedSignatures) signatures.delete(signatures.keys().next().value!)
  signatures.set(signature, markup)
  return markup
}
