import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import { isFreeMail } from './free-mail.ts'
import { cleanText } from './text.ts'

/** At least two labels (RFC 1035 lengths), the last one not numeric, which excludes IP addresses. */
const domainPattern =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** Returns a host name in IDNA ASCII and lower case, without a trailing dot; undefined when it is not a domain. */
export function asciiDomain(host: string): string | undefined {
  // domainToASCII parses a URL authority; reject characters that would end or change the host there.
  if (/[/:?#%@\\[\]\s\p{Cc}]/u.test(host)) return undefined
  const domain = domainToASCII(host).replace(/\.$/, '')
  return domain.length <= 253 && domainPattern.test(domain) ? domain : undefined
}

/** Extracts the domain, without `www.`, from a website's URL, an email address or a domain as people write it. */
export function canonicalDomain(text: string): string | undefined {
  const authority = cleanText(text, 2048)
    ?.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//i, '')
    .split(/[/?#\\]/, 1)[0]
  if (!authority) return undefined
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/[>,;]+$/, '')
    .replace(/:\d{1,5}$/, '')
    .replace(/^\*\./, '')
  return asciiDomain(host)?.replace(/^(?:www\.)+(?=[^.]+\.)/, '')
}

/** Sites with pages of many users. The URL of such a page does not contain the company's own domain. */
const pageHosts =
  /^(?:facebook|linkedin|instagram|twitter|x|youtube|tiktok|github|medium|google|linktr|wa)\.(?:com|ee|me)$/

/**
 * Returns the registrable domain of a company's website or of a business email address. Returns undefined for free-mail
 * and access providers, pages on social networks, and public suffixes. Customers that share the suffix of a hosting
 * provider (acme.github.io) have different domains.
 */
export function toBusinessDomain(emailOrWebsite: string): string | undefined {
  const host = canonicalDomain(emailOrWebsite)
  const domain = host && getDomain(host, { allowPrivateDomains: true })
  if (!domain || isFreeMail(host) || isFreeMail(domain)) return undefined
  return pageHosts.test(domain) && /[^/:]\/[^/]/.test(emailOrWebsite) ? undefined : domain
}
