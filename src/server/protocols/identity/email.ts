import { invalid } from '../../kernel/errors.ts'
import { asciiDomain } from './domain.ts'
import { cleanText } from './text.ts'

/** RFC 5321 dot-atom, plus non-ASCII characters of RFC 6531. Quoted local parts are rejected; nobody uses them. */
const localPattern =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u

/** Extracts the address from pasted text: `Jane Doe <jane@acme.com>,`, `mailto:`, quotes. Does not validate it. */
export function extractAddress(text: string): string | undefined {
  const cleaned = cleanText(text, 1000)?.replace(/[,;.\s]+$/, '')
  return cleaned && stripQuotationMarks(stripScheme(/<([^<>]*)>$/.exec(cleaned)?.[1]?.trim() ?? cleaned))
}

/**
 * Returns the canonical spelling by which an email address is stored, compared and suppressed: in lower case, with the
 * domain in IDNA ASCII. Keeps dots and plus tags.
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

/** Returns the part of an address after its last @. */
export const getEmailDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1)

/** Replaces email addresses in text for logs, because mail servers repeat addresses in their replies. */
export const redactAddresses = (text: string): string =>
  text.replace(/[^\s<>@,;:()"]{1,64}@[^\s<>@,;:()"]+/g, '…')

/** Returns the canonical spelling. Throws ValidationError for the field `path` when the text is not a valid address. */
export function requireEmail(text: string, path = 'email'): string {
  const email = canonicalEmail(text)
  if (!email) throw invalid(path, 'must be a valid email address')
  return email
}

/**
 * Returns the canonical spelling of a value from a program, such as a token's claim. Returns undefined unless the value
 * is exactly one address: programs disagree about which address `a@evil.example <b@acme.example>` is.
 */
export const parseExactEmail = (value: unknown): string | undefined =>
  typeof value === 'string' && extractAddress(value) === value.normalize('NFC')
    ? canonicalEmail(value)
    : undefined

const stripScheme = (text: string): string =>
  /^mailto:/i.test(text) ? text.slice('mailto:'.length).split('?', 1)[0]! : text

const stripQuotationMarks = (text: string): string => text.replace(/^(['"])(.*)\1$/, '$2')
