import { parseMessageIds, sentIdHeader } from '../../identity/message-id.ts'
import type { ParsedEmail } from '../../mime/parse.ts'
import { parseFieldBlocks } from './field-blocks.ts'
import { findAddresses } from './find-addresses.ts'

/** Fields of the original email that a report returns. */
export type ReturnedMessage = { messageIds: string[]; to: string[]; from: string[]; returnPath: string[] }

/**
 * Lines above the returned email in notices of Exim, qmail, Sendmail, OpenSMTPD, Gmail, Yahoo, James, Domino and
 * others.
 */
const returnedBelow =
  /^[ \t|>*#=_-]{0,60}(?:(?:this is (?:a|the) )?(?:copy|text|headers?|contents?) of (?:the|your|this) (?:\w+ )?(?:message|mail|e-?mail|headers?)|(?:below this line|enclosed|attached) is (?:a|the) (?:copy|original)|(?:the )?(?:header of the )?(?:original|unsent|returned|undelivered|failed) (?:message|mail|headers?|e-?mail)(?: (?:follows|is following|below|header))?|message (?:text|header|contents?) follows|(?:unsent|returned|original) message follows)[ \t.:|>*#=_-]{0,60}.{0,60}$/im

/** The start of a mail header inside a text. */
const headerBegins =
  /^(?:>? ?)(?:return-path|received|x-[\w-]{2,40}|dkim-signature|delivered-to|message-id|mime-version)[ \t]{0,3}:[ \t]/im

/** Splits a report into its own text and the returned email below it. */
export function splitNotice(text: string): { notice: string; returned: string } {
  const found = [returnedBelow, headerBegins]
    .map(pattern => text.search(pattern))
    .filter(at => at > 0)
    .sort((a, b) => a - b)[0]
  return found === undefined
    ? { notice: text, returned: '' }
    : { notice: text.slice(0, found), returned: text.slice(found) }
}

const returnedType = /^(?:message\/(?:rfc822|global|partial|global-headers)|text\/rfc822-headers?)$/

/** Returns true when the original email is returned, as a part or below the notice. */
export const hasReturnedMessage = (mail: ParsedEmail): boolean =>
  mail.reports.some(({ type }) => returnedType.test(type)) ||
  headerBegins.test(splitNotice(mail.bodyText).returned)

export function parseReturnedMessage(mail: ParsedEmail): ReturnedMessage {
  const parts = mail.reports.filter(({ type }) => returnedType.test(type)).map(({ text }) => text)
  if (parts.length === 0) {
    parts.push(splitNotice(mail.bodyText).returned)
    parts.push(...mail.reports.filter(({ type }) => type === 'text/plain').map(({ text }) => text))
  }
  const blocks = parts.flatMap(text => parseFieldBlocks(text).slice(0, 5))
  const all = (name: string) => blocks.flatMap(block => block.get(name) ?? [])
  return {
    messageIds: [
      ...new Set([...all(sentIdHeader.toLowerCase()), ...all('message-id')].flatMap(parseMessageIds)),
    ],
    to: findAddresses([...all('to'), ...all('cc')].join('\n')),
    from: findAddresses([...all('from'), ...all('sender')].join('\n')),
    returnPath: findAddresses(all('return-path').join('\n')),
  }
}
