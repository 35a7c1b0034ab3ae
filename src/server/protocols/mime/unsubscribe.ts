import { type BodyFormat, escapeHtml } from './body.ts'

const subjectWord = 'unsubscribe'

/** RFC 2369 and RFC 8058: the mail program's own button, by one request or, where it can't, by a mail. */
export function toUnsubscribeHeaders(
  mailbox: string,
  { url, token }: { url: string; token: string },
): Record<string, string> {
  const address = encodeURIComponent(mailbox).replace('%40', '@')
  return {
    'List-Unsubscribe': `<${url}>, <mailto:${address}?subject=${subjectWord}%20${token}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** The token in the subject of a mail that such an address asked for; undefined for every other mail. */
export function parseUnsubscribeSubject(subject: string): string | undefined {
  // A long subject may have been folded anywhere.
  const [, token] = /^\s*unsubscribe\s+([\w\s-]{60,1000})$/i.exec(subject) ?? []
  return token?.replace(/\s+/g, '')
}

/** Where the account's line wants the link to stand. */
const placeholder = /\{\{-?\s*unsubscribeUrl\s*-?\}\}/g

/** The account's opt-out line with the link in it: at its placeholder, else the line becomes the link in HTML. */
export function renderOptOutLine(url: string, line: string, format: BodyFormat): string {
  const [before, ...after] = line.split(placeholder)
  if (format === 'text') return after.length > 0 ? [before, ...after].join(url) : `${line}\n${url}`
  const anchor = (text: string) => `<a href="${escapeHtml(url)}">${text}</a>`
  const html = (text: string) => escapeHtml(text).replace(/\n/g, '<br>')
  return after.length > 0 ? [before!, ...after].map(html).join(anchor(escapeHtml(url))) : anchor(html(line))
}
