import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import { isFreeMail } from './free-mail.ts'
import { cleanText } from './text.ts'

/** At least two labels (RFC 1035 lengths), the last of them no number: an IP address is no domain. */
const domainPattern =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** A host name in IDNA ASCII and lower case, without the root's dot; undefined when it is no domain. */
export function asciiDomain(host: string): string | undefined {
  // domainToASCII reads its argument as a URL's authority: what would end or change a host there is no host here.
  if (/[/:?#%@\\[\]\s\p{Cc}]/u.test(host)) return undefined
  const domain = domainToASCII(host).replace(/\.$/, '')
  return domain.length <= 253 && domainPattern.test(domain) ? domain : undefined
}

/** The host of a website, an email address or a domain as people write it, without `www.`. */
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

/** Sites on which a path is somebody's page: as a website they say nothing about the company. */
const pageHosts =
  /^(?:facebook|linkedin|instagram|twitter|x|youtube|tiktok|github|medium|google|linktr|wa)\.(?:com|ee|me)$/

/**
 * The registrable domain of a company's website or of somebody's business address. Undefined for free-mail and
 * access providers, for pages on social networks and for public suffixes; customers of a hosting suffix
 * (acme.github.io) stay apart.
 */
export function businessDomain(emailOrWebsite: string): string | undefined {
  const host = canonicalDomain(emailOrWebsite)
  const domain = host && getDomain(host, { allowPrivateDomains: true })
  if (!domain || isFreeMail(host) || isFreeMail(domain)) return undefined
  return pageHosts.test(domain) && /[^/:]\/[^/]/.test(emailOrWebsite) ? undefined : domain
}
