const FOOTER_START = '\n<p><small>'

/**
 * Prepares sanitized HTML of an email for a frame: folds quoted emails and the footer of campaign emails, and leaves out
 * images of other hosts unless they are asked for, because they report that the email was read.
 */
export function toFrameHtml(html: string, { withRemoteImages }: { withRemoteImages: boolean }): string {
  const [content, footer] = splitFooter(html)
  return foldQuotes(removeImages(content, withRemoteImages)) + (footer && fold('Footer', footer))
}

const fold = (label: string, html: string): string => `<details><summary>${label}</summary>${html}</details>`

/** Returns the HTML without the small paragraphs at its end, and those. */
function splitFooter(html: string): [content: string, footer: string] {
  if (!html.endsWith('</small></p>')) return [html, '']
  const last = html.lastIndexOf(FOOTER_START)
  if (last === -1) return [html, '']
  const before = html.lastIndexOf(FOOTER_START, last - 1)
  const start = before !== -1 && html.slice(0, last).endsWith('</small></p>') ? before : last
  return [html.slice(0, start), html.slice(start)]
}

/** Expects attribute values without angle brackets and quotation marks, as sanitizing leaves them. */
const removeImages = (html: string, withRemoteImages: boolean): string =>
  html.replace(/(<img\b[^<>]*?) src="([^"<>]*)"/g, (image, before, source) =>
    source.startsWith('data:image/') || (withRemoteImages && /^https?:/i.test(source)) ? image : before,
  )

/** Folds each outermost quote. Quotes without a border are indented paragraphs. */
function foldQuotes(html: string): string {
  let depth = 0
  let foldedAt = 0
  return html.replace(/<blockquote\b[^<>]*>|<\/blockquote>/g, tag => {
    if (tag === '</blockquote>') {
      const isFoldedHere = depth > 0 && depth === foldedAt
      if (depth > 0) depth -= 1
      if (!isFoldedHere) return tag
      foldedAt = 0
      return `${tag}</details>`
    }
    depth += 1
    if (foldedAt > 0 || /border:\s*none/i.test(tag)) return tag
    foldedAt = depth
    return `<details><summary>Quoted text</summary>${tag}`
  })
}
