import { getParserThreads } from './parser-threads.ts'
import { stripTags } from './strip-tags.ts'

export type BodyFormat = 'text' | 'html'

const htmlTag =
  /<(?:!doctype|html|head|body|style|p|br|hr|div|span|a|b|i|u|s|em|strong|small|font|center|img|ul|ol|li|h[1-6]|blockquote|pre|code|table|thead|tbody|tr|td|th)(?:[\s/][^<>]*)?>/i

/**
 * Ask this of the template, never of what was rendered from it: a person's name with a tag in it
 * must not turn a plain mail into HTML.
 */
export function detectBodyFormat(template: string): BodyFormat {
  return htmlTag.test(template) ? 'html' : 'text'
}

const CONVERT_MS = 10_000

export type BodyParts = { text: string; html: string }

/** Both parts of a mail that was written as text. */
export const toTextParts = (text: string): BodyParts => ({ text, html: textToHtml(text) })

/** Both parts of a mail from the one that was written. HTML is converted in a thread, in turn with other accounts. */
export const toBodyParts = async (body: string, format: BodyFormat, accountId: string): Promise<BodyParts> =>
  format === 'html' ? { text: await convertHtmlToText(body, accountId), html: body } : toTextParts(body)

/** What HTML says in words; without their form where that takes too long. */
export const convertHtmlToText = async (html: string, accountId: string): Promise<string> =>
  (await getParserThreads().run(accountId, () => ({ html }), CONVERT_MS)) ?? stripTags(html)

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
