import { convert } from 'html-to-text'

export type BodyFormat = 'text' | 'html'

const htmlTag =
  /<(?:!doctype|html|head|body|style|p|br|hr|div|span|a|b|i|u|s|em|strong|small|font|center|img|ul|ol|li|h[1-6]|blockquote|pre|code|table|thead|tbody|tr|td|th)(?:[\s/][^<>]*)?>/i

/**
 * Ask this of the template, never of what was rendered from it: a person's name with a tag in it
 * must not turn a plain mail into HTML.
 */
export function bodyFormat(template: string): BodyFormat {
  return htmlTag.test(template) ? 'html' : 'text'
}

/** Both parts of a mail from the one that was written. */
export function bodyParts(
  body: string,
  format: BodyFormat = bodyFormat(body),
): { text: string; html: string } {
  return format === 'html' ? { text: htmlToText(body), html: body } : { text: body, html: textToHtml(body) }
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, character => entities[character]!)
}

export function htmlToText(html: string): string {
  try {
    return convert(html, {
      wordwrap: false,
      limits: { maxInputLength: 500_000, maxDepth: 100, maxChildNodes: 10_000 },
      selectors: [
        { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
        { selector: 'img', format: 'skip' },
        ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({
          selector,
          options: { uppercase: false },
        })),
      ],
    })
  } catch {
    // It trips over some lists, such as one numbered in Roman from 10,000 on; the words still count.
    return html.slice(0, 500_000).replace(/<[^<>]*>/g, ' ')
  }
}

function textToHtml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n(?:[ \t]*\n)+/)
    .map(paragraph => `<p>${paragraph.split('\n').map(lineToHtml).join('<br>\n')}</p>`)
    .join('\n')
}

function lineToHtml(line: string): string {
  // split by a capturing group: every second piece is a web address
  return line
    .split(/(\bhttps?:\/\/[^\s<>"]+)/i)
    .map((piece, index) => (index % 2 === 0 ? escapeHtml(piece) : linkToHtml(piece)))
    .join('')
}

function linkToHtml(address: string): string {
  let end = address.length
  while (".,;:!?'*)]}".includes(address[end - 1]!)) end -= 1
  const url = escapeHtml(address.slice(0, end))
  return `<a href="${url}">${url}</a>${escapeHtml(address.slice(end))}`
}
