import { type BodyFormat, escapeHtml, type LinkWord } from './body.ts'

const SUBJECT_PREFIX = 'unsubscribe'

/** Returns the headers for the unsubscribe button of email clients: one-click (RFC 8058), else by email (RFC 2369). */
export function toUnsubscribeHeaders(
  mailbox: string,
  { url, token }: { url: string; token: string },
): Record<string, string> {
  const address = encodeURIComponent(mailbox).replace('%40', '@')
  return {
    'List-Unsubscribe': `<${url}>, <mailto:${address}?subject=${SUBJECT_PREFIX}%20${token}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Returns the token in the subject of an unsubscribe email; undefined for other emails. */
export function parseUnsubscribeSubject(subject: string): string | undefined {
  // Folding may have inserted whitespace anywhere in a long subject.
  const [, token] = /^\s*unsubscribe\s+([\w\s-]{60,1000})$/i.exec(subject) ?? []
  return token?.replace(/\s+/g, '')
}

const LINK_WORD = 'Unsubscribe'

/** Returns the word shown instead of unsubscribe links when text is converted to HTML. */
export const toLinkWord = ({ url, token }: { url: string; token: string }): LinkWord => ({
  prefix: url.slice(0, -token.length),
  word: LINK_WORD,
})

/** The placeholder for the link in the account's opt-out line. */
const placeholder = /\{\{-?\s*unsubscribeUrl\s*-?\}\}/g

/**
 * Renders the opt-out line with its link: at the placeholder, else below the line (text) or around it (HTML). HTML
 * shows a word instead of the URL.
 */
export function renderOptOutLine(url: string, line: string, format: BodyFormat): string {
  const [before, ...after] = line.split(placeholder)
  if (format === 'text') return after.length > 0 ? [before, ...after].join(url) : `${line}\n${url}`
  const anchor = (text: string) => `<a href="${escapeHtml(url)}">${text}</a>`
  const html = (text: string) => escapeHtml(text).replace(/\n/g, '<br>')
  return after.length > 0 ? [before!, ...after].map(html).join(anchor(LINK_WORD)) : anchor(html(line))
}
