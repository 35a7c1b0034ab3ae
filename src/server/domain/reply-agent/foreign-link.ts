import type { ReplyFacts } from './reply-facts.ts'

// All patterns run in linear time: repetitions are bounded, or can't start in the middle of their own match.

const webAddresses = /(?:https?:\/\/|www\.)[^\s<>"')\]]+/gu
/** Looks back from the @ sign, so that only text before one is scanned. */
const mailAddresses = /(?<=([^\s<>@,;:()"']{1,64}))@[\w.-]+\w/gu
/** Host names that email clients turn into links. */
const hosts = /(?<![\p{L}\d-])(?:[\p{L}\d-]+\.){1,10}\p{L}{2,}(?:\/[^\s<>"')\]]*)?/gu
const numbers = /\+?\d[\d\s()/.-]+\d/g
/** Dates have eight digits; phone numbers have more. */
const MIN_DIGITS = 9

/**
 * Finds a link, email address or phone number in a draft that is neither in the campaign's knowledge nor in our own
 * messages, because a reply may have made the model add it.
 */
export function findForeignLink(draft: string, { knowledge, earlier }: ReplyFacts): string | undefined {
  const knownContacts = new Set(
    [...Object.values(knowledge), ...earlier.filter(({ isOurs }) => isOurs).map(({ text }) => text)].flatMap(
      text => extractContacts(text ?? ''),
    ),
  )
  return extractContacts(draft).find(each => !knownContacts.has(each))
}

function extractContacts(original: string): string[] {
  const text = original.toLowerCase()
  const withoutWeb = text.replace(webAddresses, ' ')
  const rest = withoutWeb.replace(mailAddresses, ' ')
  return [
    ...[
      ...(text.match(webAddresses) ?? []),
      ...[...withoutWeb.matchAll(mailAddresses)].map(([domain, name]) => `${name}${domain}`),
      ...(rest.match(hosts) ?? []),
    ].map(normalizeAddress),
    ...(rest.match(numbers) ?? [])
      .map(each => each.replace(/\D/g, ''))
      .filter(({ length }) => length >= MIN_DIGITS),
  ]
}

const normalizeAddress = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/(?<![/.,;:!?])[/.,;:!?]+$/, '')
