import { type BodyFormat, type BodyParts, detectBodyFormat, toTextParts } from './body.ts'
import { htmlToText } from './html-to-text.ts'

/** Returns both parts of a signature: text, or HTML that was sanitized when it was stored. */
export const toSignatureParts = (signature: string): BodyParts =>
  detectBodyFormat(signature) === 'html'
    ? { text: htmlToText(signature), html: signature }
    : toTextParts(signature)

/** The line above a message that a person forwards. */
const forwardedLine = /^-+ Forwarded message -+$/m

/**
 * Adds a signature to an email that a person wrote, above a forwarded message, unless the email already contains it.
 */
export function addSignature(
  { body, format, parts }: { body: string; format: BodyFormat; parts: BodyParts },
  signature: string,
): BodyParts {
  const { text, html } = toSignatureParts(signature)
  const forwardedIndex = format === 'text' ? body.search(forwardedLine) : -1
  const written = forwardedIndex < 0 ? parts : toTextParts(body.slice(0, forwardedIndex))
  if (collapseWhitespace(written.text).includes(collapseWhitespace(text))) return parts
  const forwarded = forwardedIndex < 0 ? undefined : toTextParts(body.slice(forwardedIndex))
  return {
    text: [written.text.trimEnd(), text, ...(forwarded ? [forwarded.text] : [])].join('\n\n'),
    html: [written.html, html, ...(forwarded ? [forwarded.html] : [])].join('\n'),
  }
}

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, ' ').trim()
