import type { ReplyFacts } from './reply-facts.ts'

// All are linear in the text: parts are bounded, or begin only where no part of the same kind ends before them.

const webAddresses = /(?:https?:\/\/|www\.)[^\s<>"')\]]+/gu
/** Looks back from the sign, so that only what stands before one is read. */
const mailAddresses = /(?<=([^\s<>@,;:()"']{1,64}))@[\w.-]+\w/gu
/** Names of hosts that mail programs make links of. */
const hosts = /(?<![\p{L}\d-])(?:[\p{L}\d-]+\.){1,10}\p{L}{2,}(?:\/[^\s<>"')\]]*)?/gu
const numbers = /\+?\d[\d\s()/.-]+\d/g
/** A date has eight digits, a number that can be called has more. */
const MIN_DIGITS = 9

/**
 * Something in a draft that leads elsewhere and stands neither in the campaign's knowledge nor in a mail of ours: a
 * reply may have talked the model into it.
 */
export function foreignLinkIn(draft: string, { knowledge, earlier }: ReplyFacts): string | undefined {
  const ours = new Set(
    [...Object.values(knowledge), ...earlier.filter(({ isOurs }) => isOurs).map(({ text }) => text)].flatMap(
      text => leadsIn(text ?? ''),
    ),
  )
  return leadsIn(draft).find(each => !ours.has(each))
}

function leadsIn(given: string): string[] {
  const text = given.toLowerCase()
  const withoutWeb = text.replace(webAddresses, ' ')
  const rest = withoutWeb.replace(mailAddresses, ' ')
  return [
    ...[
      ...(text.match(webAddresses) ?? []),
      ...[...withoutWeb.matchAll(mailAddresses)].map(([domain, name]) => `${name}${domain}`),
      ...(rest.match(hosts) ?? []),
    ].map(bare),
    ...(rest.match(numbers) ?? [])
      .map(each => each.replace(/\D/g, ''))
      .filter(({ length }) => length >= MIN_DIGITS),
  ]
}

const bare = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/(?<![/.,;:!?])[/.,;:!?]+$/, '')
