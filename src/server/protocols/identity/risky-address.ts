import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { getDomain } from 'tldts'

/** Local parts that reach a team or a machine: those in RFC 2142 and other common ones. */
const roleNames = new Set(
  `abuse accounting accounts admin administrator billing booking bookings buero career careers contact contacto
  customerservice donotreply enquiries enquiry feedback finance ftp hello help helpdesk hostmaster hr info
  information inquiries inquiry invoice invoices jobs kontakt legal mail mailbox marketing media news newsletter noc
  noreply office order orders postmaster press privacy reception recruiting root sales security service
  shop studio support team usenet uucp vertrieb webmaster welcome www`.split(/\s+/),
)

/** Returns true for addresses such as info@ and no-reply@, which reach no particular person. */
export function isRoleAddress(email: string): boolean {
  const [local = ''] = email.slice(0, email.lastIndexOf('@')).split('+', 1)
  return roleNames.has(local.replace(/[._-]/g, ''))
}

let disposableDomains: Set<string> | undefined

/** Returns true for a domain where anyone can get an address for a few minutes, and for its subdomains. */
export function isDisposableDomain(domain: string): boolean {
  disposableDomains ??= disposableEmailBlocklistSet()
  return disposableDomains.has(domain) || disposableDomains.has(getDomain(domain) ?? '')
}

/** Providers whose domains are often mistyped. */
const providers =
  `gmail.com googlemail.com hotmail.com outlook.com yahoo.com icloud.com protonmail.com comcast.net
  libero.it orange.fr btinternet.com t-online.de`.split(/\s+/)

/** Domains of other providers and companies that look like typos of the domains above. */
const similarDomains = new Set(['mail.com', 'email.com', 'ymail.com', 'tmail.com', 'orange.fi'])

/** Returns the provider that a mistyped domain probably means, such as gmail.com for gmial.com. */
export function findIntendedDomain(domain: string): string | undefined {
  if (similarDomains.has(domain) || providers.includes(domain)) return undefined
  return providers.find(provider => isOneEditApart(domain, provider))
}

/** Returns true if one letter was left out, added or replaced, or if two adjacent letters were swapped. */
function isOneEditApart(a: string, b: string): boolean {
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (restA.length <= 1 && restB.length <= 1) return true
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0]
}
