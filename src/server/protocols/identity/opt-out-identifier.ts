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
 * An entry for the Do Not Contact list in canonical form, or undefined when it can't be read. Without a type, the
 * kind is read from the text; a page's address never becomes a block of the whole site it lies on.
 */
export function parseOptOutIdentifier(
  { identifier, identifierType }: { identifier: string; identifierType?: OptOutKind | undefined },
  defaultCountry?: string,
): OptOutIdentifier | undefined {
  const domain = domainOfEverybody(identifier)
  if (domain && (!identifierType || identifierType === 'email')) return { kind: 'domain', value: domain }
  if (!identifierType) return inferIdentifier(identifier, defaultCountry)
  const value = canonicalValue(identifierType, identifier, defaultCountry)
  return value === undefined ? undefined : { kind: identifierType, value }
}

/** Whether the entry blocks a domain on which anybody may have an address, as gmail.com, or a site, as co.uk. */
export const isPublicDomain = ({ kind, value }: OptOutIdentifier): boolean =>
  kind === 'domain' && (isFreeMail(value) || !getDomain(value, { allowPrivateDomains: true }))

/** `*@acme.com`, as exported lists have it. It is a legal address, but what is meant is everybody there. */
function domainOfEverybody(text: string): string | undefined {
  const host = /^[*%]+@([^@/?#\\]+)$/.exec(extractAddress(text) ?? '')?.[1]
  return host && canonicalDomain(host)
}

function inferIdentifier(text: string, defaultCountry?: string): OptOutIdentifier | undefined {
  for (const kind of likelyKinds(stripInvisible(text))) {
    const value = canonicalValue(kind, text, defaultCountry)
    if (value !== undefined) return { kind, value }
  }
  return undefined
}

function likelyKinds(text: string): OptOutKind[] {
  if (/\blinkedin\.com\/+[^\s/]/i.test(text)) return ['linkedin']
  if (/[^\s]@/.test(text)) return ['email']
  // Its dots would pass for those of a phone number.
  if (isIPv4(text.trim())) return []
  return /^\s*(?:(?:https?:)?\/\/)?[^/?#]+\/?\s*$/i.test(text) ? ['phone', 'domain'] : ['phone']
}

function canonicalValue(kind: OptOutKind, text: string, defaultCountry?: string): string | undefined {
  switch (kind) {
    case 'email':
      return singleAddress(text)
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

/** `info*@acme.com` is a legal address that nobody has: an entry that is meant for several would block none of them. */
function singleAddress(text: string): string | undefined {
  const address = canonicalEmail(text)
  return address?.includes('*') ? undefined : address
}

/** Ids of chat visitors are another system's: kept as they are, as far as they are storable text. */
function canonicalChatId(text: string): string | undefined {
  const id = text.trim()
  return id.length > 0 && id.length <= 320 && id.isWellFormed() && !/\p{Cc}/u.test(id) ? id : undefined
}
