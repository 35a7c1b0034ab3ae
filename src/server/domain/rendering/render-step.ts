import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { setBounded } from '../../kernel/set-bounded.ts'
import { type BodyFormat, detectBodyFormat, escapeHtml, textToHtml } from '../../protocols/mime/body.ts'
import { toSignatureParts } from '../../protocols/mime/signature.ts'
import { renderOptOutLine } from '../../protocols/mime/unsubscribe.ts'
import { Markup } from '../../protocols/templates/markup.ts'
import { expandSpintax, resolveSpintax } from '../../protocols/templates/spintax.ts'
import { listVariables, renderTemplate, type TemplateFormat } from '../../protocols/templates/template.ts'
import { hashToUnit } from './choose-variant.ts'
import type { DueStep, StepFacts } from './step-facts.ts'

type Facts = RenderFacts &
  Pick<StepFacts, 'optOutLine' | 'postalAddress'> & {
    unsubscribeUrl: string
  }

type RenderFacts = Pick<StepFacts, 'prospectId' | 'variables'> & {
  /** If set, collects the variables without a value and renders `[name]` in their place instead of throwing. */
  missing?: Set<string>
}

/**
 * Chooses the spintax options of a template, before variables are filled in, because their values may contain braces.
 */
const chooseOptions = (prospectId: string, stepId: string, part: string, text: string): string =>
  resolveSpintax(text, nth => hashToUnit(prospectId, stepId, part, String(nth)))

/** Renders the text of a task or LinkedIn step, without a signature or footer. Throws like `renderStep`. */
export const renderTask = (
  step: { id: string; body: string },
  { prospectId, variables, missing }: RenderFacts,
): string =>
  renderTemplate(chooseOptions(prospectId, step.id, 'body', step.body), variables, 'text', missing).trim()

/** Renders text in its own format, with the signature only where the text includes it. Throws like `renderStep`. */
export function renderText(
  { id, text }: { id: string; text: string },
  { personId, variables, missing }: Pick<RenderFacts, 'variables' | 'missing'> & { personId: string },
): string {
  const signature = variables.signature ? getSignature(variables.signature) : null
  const template = chooseOptions(personId, id, 'body', text)
  return renderTemplate(template, { ...variables, signature }, detectBodyFormat(text), missing).trim()
}

/** Renders the data that the assistant gets for a call. Throws like `renderStep`. */
export async function renderCallData(
  { id, call }: Pick<DueStep, 'id' | 'call'>,
  { prospectId, variables, missing }: RenderFacts,
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
 * Renders a step's email for a prospect, with the same spintax options every time. Appends the opt-out line and the
 * postal address, and before them the signature unless the body contains it. A formatted signature makes the email
 * HTML. The subject is empty if the step has none. Throws MissingVariable if a variable without a fallback has no
 * value.
 */
export function renderStep(
  step: { id: string; subject: string | null; body: string },
  { prospectId, variables, optOutLine, postalAddress, unsubscribeUrl, missing }: Facts,
): { subject: string; body: string; format: BodyFormat } {
  const signature = variables.signature ? getSignature(variables.signature) : null
  const render = (part: string, text: string, as: TemplateFormat, signature: Markup | null) =>
    renderTemplate(chooseOptions(prospectId, step.id, part, text), { ...variables, signature }, as, missing)
  const subject = step.subject === null ? '' : render('subject', step.subject, 'line', signature)
  // Detected in the template: a tag in a person's name must not turn a plain-text email into HTML.
  const isHtml = detectBodyFormat(step.body) === 'html'
  const inserted = signature?.isFormatted && !isHtml ? placeholder : signature
  const rendered = [render('body', step.body, isHtml ? 'html' : 'text', inserted).trimEnd()]
  if (inserted && !listVariables(expandSpintax(step.body)).includes('signature'))
    rendered.push(isHtml ? inserted.html : inserted.text)
  const body = rendered.join(isHtml ? '\n' : '\n\n')
  const format = isHtml || body.includes(placeholder.text) ? 'html' : 'text'
  const address = format === 'html' ? escapeHtml(postalAddress ?? '').replace(/\n/g, '<br>') : postalAddress
  // An active campaign keeps the link even if the account's opt-out line is removed.
  const footer = [
    renderOptOutLine(unsubscribeUrl, optOutLine ?? 'No longer interested?', format),
    address,
  ].filter(Boolean)
  if (format === 'text') return { subject, format, body: [body, ...footer].join('\n\n') }
  const html = isHtml ? body : textToHtml(body).replace(placeholderPattern, () => signature!.html)
  return { subject, format, body: [html, ...footer.map(line => `<p><small>${line}</small></p>`)].join('\n') }
}

/** Keeps the place of a formatted signature until the text around it is converted to HTML. */
const placeholder = new Markup({ text: '\uE000', html: '\uE000' })
const placeholderPattern = /<p>\uE000<\/p>|\uE000/g

class Signature extends Markup {
  readonly isFormatted: boolean

  constructor(signature: string) {
    super(toSignatureParts(signature))
    this.isFormatted = detectBodyFormat(signature) === 'html'
  }
}

const signatures = new Map<string, Signature>()
const MAX_CACHED_SIGNATURES = 200

/** Caches converted signatures, because many emails share one; evicts the oldest. */
function getSignature(text: string): Signature {
  const cached = signatures.get(text)
  if (cached) return cached
  const signature = new Signature(text)
  setBounded(signatures, text, signature, MAX_CACHED_SIGNATURES)
  return signature
}
