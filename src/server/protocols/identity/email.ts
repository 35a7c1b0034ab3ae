import { asciiDomain } from './domain.ts'
import { cleanText } from './text.ts'

/** RFC 5321 dot-atom, with RFC 6531's letters beyond ASCII. Quoted local parts are refused: nobody has one to share. */
const localPattern =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u

/** The address in what copying gives: `Jane Doe <jane@acme.com>,`, `mailto:`, quotes around. Whether it is one is open. */
export function extractAddress(text: string): string | undefined {
  const cleaned = cleanText(text, 1000)?.replace(/[,;.\s]+$/, '')
  return cleaned && withoutQuotes(withoutScheme(/<([^<>]*)>$/.exec(cleaned)?.[1]?.trim() ?? cleaned))
}

/**
 * An email address in the one spelling that it is stored, compared and suppressed by: lower case, domain in IDNA
 * ASCII, plus-tags and dots kept.
 */
export function canonicalEmail(text: string): string | undefined {
  const address = extractAddress(text)
  if (!address) return undefined
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0)).toLowerCase().normalize('NFC')
  const domain = asciiDomain(address.slice(at + 1))
  if (!domain || !localPattern.test(local)) return undefined
  const bytes = Buffer.byteLength(local)
  return bytes <= 64 && bytes + 1 + domain.length <= 254 ? `${local}@${domain}` : undefined
}

/**
 * The same of what a program states, such as a token's claim: undefined unless it is the address alone, because in
 * `a@evil.example <b@acme.example>` one program reads the first address and another the second.
 */
export const parseExactEmail = (value: unknown): string | undefined =>
  typeof value === 'string' && extractAddress(value) === value.normalize('NFC')
    ? canonicalEmail(value)
    : undefined

const withoutScheme = (text: string): string =>
  /^mailto:/i.test(text) ? text.slice('mailto:'.length).split('?', 1)[0]! : text

const withoutQuotes = (text: string): string => text.replace(/^(['"])(.*)\1$/, '$2')
