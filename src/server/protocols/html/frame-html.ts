const QUOTED = 'Quoted text'
const FOOTER_START = '\n<p><small>'

/**
 * Prepares sanitized HTML of an email for a frame: folds quoted emails and the footer of campaign emails, and leaves
 * out remote images unless they are requested, because loading one reports to the sender that the email was read.
 */
export function toFrameHtml(html: string, { withRemoteImages }: { withRemoteImages: boolean }): string {
  const [content, footer] = splitFooter(html)
  const [own, original] = splitOriginal(removeImageSources(content, withRemoteImages))
  return foldQuotes(own) + (original && fold(QUOTED, original)) + (footer && fold('Footer', footer))
}

const fold = (label: string, html: string): string => `<details><summary>${label}</summary>${html}</details>`

/** Splits off the footer: the last one or two small paragraphs at the end. */
function splitFooter(html: string): [content: string, footer: string] {
  if (!html.endsWith('</small></p>')) return [html, '']
  const last = html.lastIndexOf(FOOTER_START)
  if (last === -1) return [html, '']
  const before = html.lastIndexOf(FOOTER_START, last - 1)
  const start = before !== -1 && html.slice(0, last).endsWith('</small></p>') ? before : last
  return [html.slice(0, start), html.slice(start)]
}

/** The first header field that Outlook and others put above the original, or an "Original message" line. */
const originalStart =
  /(?<=^|[>\s])(?:from|von|de|da|van|från|fra|od|от|差出人|发件人)\s?:|-{3,}\s?(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht)\s?-{3,}/gi
/** Further header fields. A "From:" in ordinary text isn't followed by them. */
const moreFields =
  /(?:sent|date|gesendet|datum|envoyé|enviado|fecha|data|inviato|verzonden|skickat|sendt|wysłano|отправлено|送信日時|发送时间)\s?:.{1,3000}?(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|тема|件名|主题)\s?:/is
const MAX_HEADER_LENGTH = 5_000
const MAX_CANDIDATES = 20
const MAX_OPEN_TAGS = 30

/**
 * Splits the HTML at the header that Outlook puts above the original instead of quoting it. The split may separate tags
 * from their end tags: browsers then close the fold with the enclosing element.
 */
function splitOriginal(html: string): [own: string, original: string] {
  let candidates = 0
  for (const { index } of html.matchAll(originalStart)) {
    if (++candidates > MAX_CANDIDATES) break
    const header = html.slice(index, index + MAX_HEADER_LENGTH).replace(/<[^<>]*>/g, '')
    if (!moreFields.test(header)) continue
    const above = html.slice(0, index)
    if (count(above, '<blockquote') > count(above, '</blockquote>')) continue
    const start = findOpeningTagsStart(html, index)
    return [html.slice(0, start), html.slice(start)]
  }
  return [html, '']
}

const count = (html: string, part: string): number => html.split(part).length - 1

/** Returns the start of the opening tags directly before the position `at`. */
function findOpeningTagsStart(html: string, at: number): number {
  let start = at
  for (let tags = 0; tags < MAX_OPEN_TAGS; tags++) {
    const open = html.lastIndexOf('<', start - 1)
    if (open === -1 || !/^<[a-z][^<>]*>\s*$/i.test(html.slice(open, start))) break
    start = open
  }
  return start
}

/**
 * Removes the sources of images that are neither embedded nor requested. Expects attribute values without angle
 * brackets or quotation marks, as the sanitizer writes them.
 */
const removeImageSources = (html: string, withRemoteImages: boolean): string =>
  html.replace(/(<img\b[^<>]*?) src="([^"<>]*)"/g, (image, before, source) =>
    source.startsWith('data:image/') || (withRemoteImages && /^https?:/i.test(source)) ? image : before,
  )

/** Folds each outermost quote. Quotes without a border are indented paragraphs. */
function foldQuotes(html: string): string {
  let depth = 0
  let foldedDepth = 0
  return html.replace(/<blockquote\b[^<>]*>|<\/blockquote>/g, tag => {
    if (tag === '</blockquote>') {
      const isFoldedHere = depth > 0 && depth === foldedDepth
      if (depth > 0) depth -= 1
      if (!isFoldedHere) return tag
      foldedDepth = 0
      return `${tag}</details>`
    }
    depth += 1
    if (foldedDepth > 0 || /border:\s*none/i.test(tag)) return tag
    foldedDepth = depth
    return `<details><summary>${QUOTED}</summary>${tag}`
  })
}
