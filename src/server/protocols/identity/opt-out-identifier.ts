import { isIPv4 } from 'node:net'
import { getDomain } from 'tldts'
import type { identifierTypes } from '../../../contract/dnc.ts'
import { canonicalDomain } from './domain.ts'
import { canonicalEmail, extractAddress } from './email.ts'
import { isFreeMail } from './free-mail.ts'
import { canonicalLinkedin } from './linkedin.ts'
import { canonicalPhone } from './phone.ts'
import { stripInvisible } from './text.ts'

export type OptOutKind = (typeof identifierTypes)[number]
export type OptOutIdentifier = { kind: OptOutKind; value: string }

/**
 * Parses an entry of the Do Not Contact list into canonical form; returns undefined when it is invalid. Without a type,
 * infers the kind from the text, but never infers a domain from the URL of a page, which would block the whole site.
 */
export function parseOptOutIdentifier(
  { identifier, identifierType }: { identifier: string; identifierType?: OptOutKind | undefined },
  defaultCountry?: string,
): OptOutIdentifier | undefined {
  const domain = parseWildcardDomain(identifier)
  if (domain && (!identifierType || identifierType === 'email')) return { kind: 'domain', value: domain }
  if (!identifierType) return inferIdentifier(identifier, defaultCountry)
  const value = toCanonicalValue(identifierType, identifier, defaultCountry)
  return value === undefined ? undefined : { kind: identifierType, value }
}

const kindNames: Record<OptOutKind, string> = {
  email: 'email address',
  linkedin: 'LinkedIn profile',
  phone: 'phone number',
  domain: 'domain',
  sms: 'phone number',
  whatsapp: 'phone number',
  web_chat: 'chat ID',
}

/** Returns the error message for text that is not an identifier of this kind, or of any kind if none is given. */
export const toIdentifierError = (kind: OptOutKind | undefined): string =>
  `must be a valid ${kind ? kindNames[kind] : 'email address, LinkedIn profile, phone number or domain'}`

/** Returns true for an entry that blocks a free-mail domain such as gmail.com, or a public suffix such as co.uk. */
export const isPublicDomain = ({ kind, value }: OptOutIdentifier): boolean =>
  kind === 'domain' && (isFreeMail(value) || !getDomain(value, { allowPrivateDomains: true }))

/** Parses `*@acme.com`, which exported lists use for a whole domain although it is a legal address. */
function parseWildcardDomain(text: string): string | undefined {
  const host = /^[*%]+@([^@/?#\\]+)$/.exec(extractAddress(text) ?? '')?.[1]
  return host && canonicalDomain(host)
}

function inferIdentifier(text: string, defaultCountry?: string): OptOutIdentifier | undefined {
  for (const kind of getLikelyKinds(stripInvisible(text))) {
    const value = toCanonicalValue(kind, text, defaultCountry)
    if (value !== undefined) return { kind, value }
  }
  return undefined
}

function getLikelyKinds(text: string): OptOutKind[] {
  if (/\blinkedin\.com\/+[^\s/]/i.test(text)) return ['linkedin']
  if (/[^\s]@/.test(text)) return ['email']
  // The dots of an IP address would be accepted as separators of a phone number.
  if (isIPv4(text.trim())) return []
  return /^\s*(?:(?:https?:)?\/\/)?[^/?#]+\/?\s*$/i.test(text) ? ['phone', 'domain'] : ['phone']
}

function toCanonicalValue(kind: OptOutKind, text: string, defaultCountry?: string): string | undefined {
  switch (kind) {
    case 'email':
      return canonicalSingleEmail(text)
    case 'linkedin':
      return canonicalLinkedin(text)
    case 'domain':
      return canonicalDomain(text)
    case 'phone':
    case 'sms':
    case 'whatsapp':
      return canonicalPhone(text, defaultCountry)
    case 'web_chat':
      return canonicalChatId(text)
  }
}

/** Returns the canonical address. Rejects patterns such as `info*@acme.com`, which would block nobody as an address. */
function canonicalSingleEmail(text: string): string | undefined {
  const address = canonicalEmail(text)
  return address?.includes('*') ? undefined : address
}

/** Returns the ID of a chat visitor unchanged, since another system defines it; undefined when it can't be stored. */
function canonicalChatId(text: string): string | undefined {
  const id = text.trim()
  return id.length > 0 && id.length <= 320 && id.isWellFormed() && !/\p{Cc}/u.test(id) ? id : undefined
}
