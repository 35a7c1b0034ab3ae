import { htmlTagPattern } from '../../../contract/html-tags.ts'
import { getParserThreads } from './parser-threads.ts'
import { stripTags } from './strip-tags.ts'

export type BodyFormat = 'text' | 'html'

/**
 * Detects the format of a template. Never call it with rendered text: a tag in a person's name must not turn a
 * plain-text email into HTML.
 */
export function detectBodyFormat(template: string): BodyFormat {
  return htmlTagPattern.test(template) ? 'html' : 'text'
}

const CONVERSION_TIMEOUT_MS = 10_000
const SANITIZE_TIMEOUT_MS = 3_000

export type BodyParts = { text: string; html: string }

/** A word shown instead of URLs that begin with `prefix`. */
export type LinkWord = { prefix: string; word: string }

/** Returns both parts of an email written as text. */
export const toTextParts = (text: string, linkWord?: LinkWord): BodyParts => ({
  text,
  html: textToHtml(text, linkWord),
})

/** Returns both parts of an email. HTML is converted in a worker thread, which accounts share fairly. */
export const toBodyParts = async (
  body: string,
  format: BodyFormat,
  accountId: string,
  linkWord?: LinkWord,
): Promise<BodyParts> =>
  format === 'html'
    ? { text: await convertHtmlToText(body, accountId), html: body }
    : toTextParts(body, linkWord)

/**
 * Returns both parts of an email written by a person or an assistant, without active content or elements that
 * could cover a page.
 */
export async function toSafeBodyParts(
  body: string,
  format: BodyFormat,
  accountId: string,
): Promise<BodyParts> {
  if (format === 'text') return toTextParts(body)
  const html = await toSafeHtml(body, accountId)
  // HTML that takes too long to sanitize is sent as text.
  return html === undefined ? toTextParts(stripTags(body)) : toBodyParts(html, 'html', accountId)
}

const MAX_TAGS = 20_000

/**
 * Returns HTML without active content or elements that could cover a page; undefined when sanitizing takes too long.
 */
export const toSafeHtml = async (html: string, accountId: string): Promise<string | undefined> =>
  html.split('<', MAX_TAGS).length < MAX_TAGS
    ? getParserThreads().run(accountId, () => ({ unsafeHtml: html }), SANITIZE_TIMEOUT_MS)
    : undefined

/** Converts HTML to text; only strips the tags when conversion takes too long. */
export const convertHtmlToText = async (html: string, accountId: string): Promise<string> =>
  (await getParserThreads().run(accountId, () => ({ html }), CONVERSION_TIMEOUT_MS)) ?? stripTags(html)

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

export function textToHtml(text: string, linkWord?: LinkWord): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n(?:[ \t]*\n)+/)
    .map(
      paragraph =>
        `<p>${paragraph
          .split('\n')
          .map(line => lineToHtml(line, linkWord))
          .join('<br>\n')}</p>`,
    )
    .join('\n')
}

function lineToHtml(line: string, linkWord: LinkWord | undefined): string {
  // Splitting by a capturing group makes every second piece a URL.
  return line
    .split(/(\bhttps?:\/\/[^\s<>"]+)/i)
    .map((piece, index) => (index % 2 === 0 ? escapeHtml(piece) : linkToHtml(piece, linkWord)))
    .join('')
}

function linkToHtml(address: string, linkWord: LinkWord | undefined): string {
  let end = address.length
  while (".,;:!?'*)]}".includes(address[end - 1]!)) end -= 1
  const url = escapeHtml(address.slice(0, end))
  const text = linkWord && address.startsWith(linkWord.prefix) ? linkWord.word : url
  return `<a href="${url}">${text}</a>${escapeHtml(address.slice(end))}`
}
