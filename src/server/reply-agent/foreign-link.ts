import type { ReplyFacts } from './reply-facts.ts'

/** Web and mail addresses, names of hosts that mail programs make links of, and numbers. */
const lead =
  /(?:https?:\/\/|www\.)[^\s<>"')\]]+|[^\s<>@,;:()"']+@[\w.-]+\w|(?:[\p{L}\d-]+\.)+\p{L}{2,}(?:\/[^\s<>"')\]]*)?|\+?\d[\d\s()/.-]+\d/giu
/** A date has eight digits, a number that can be called has more. */
const MIN_DIGITS = 9

/**
 * Something in a draft that leads elsewhere and stands neither in the campaign's knowledge nor in a mail of ours: a
 * reply may have talked the model into it.
 */
export function foreignLinkIn(draft: string, { knowledge, earlier }: ReplyFacts): string | undefined {
  const ours = [
    ...Object.values(knowledge),
    ...earlier.filter(({ isOurs }) => isOurs).map(({ text }) => text),
  ].flatMap(text => leadsIn(text ?? ''))
  return leadsIn(draft).find(each => !ours.includes(each))
}

const leadsIn = (text: string): string[] =>
  (text.toLowerCase().match(lead) ?? [])
    .map(each => (/^[+\d]/.test(each) && !/\p{L}/u.test(each) ? each.replace(/\D/g, '') : bare(each)))
    .filter(each => !/^\d*$/.test(each) || each.length >= MIN_DIGITS)

const bare = (address: string): string =>
  address
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[/.,;:!?]+$/, '')
