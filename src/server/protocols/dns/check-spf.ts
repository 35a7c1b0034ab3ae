import { findProviderByMx, type MailProvider, mailProviders } from '../../../contract/mail-providers.ts'
import type { DnsCheck } from './check-dns.ts'
import type { DnsResolver } from './resolver.ts'

/** Receivers stop evaluating after this many lookups (RFC 7208 section 4.6.4). */
const MAX_LOOKUPS = 10

type LookupCount = { lookups: number; error?: string }

/** Checks that the domain has one SPF record, that receivers can evaluate it, and that it excludes other senders. */
export async function checkSpf(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const records = await readSpfRecords(dns, domain)
  const [record] = records
  if (record === undefined) {
    const provider = findProviderByMx(await dns.mx(domain))
    const { spf }: Partial<MailProvider> = provider ? mailProviders[provider] : {}
    const value = `v=spf1 include:${spf ?? '(the domain of your mail provider)'} ~all`
    const message = `There is no SPF record, so anyone can send as ${domain}. Add a TXT record at ${domain}: ${value}`
    return { status: 'error', message, ...(spf && { recordToAdd: { name: domain, value } }) }
  }
  if (records.length > 1) {
    const message = `There are ${records.length} SPF records, so receivers ignore them all. Merge them into one.`
    return { status: 'error', message, record: records.join(' | ') }
  }
  const { error } = await countLookups(dns, record, 0)
  if (error) return { status: 'error', message: error, record }
  return { ...checkAllTerm(record), record }
}

const readSpfRecords = async (dns: DnsResolver, domain: string): Promise<string[]> =>
  (await dns.txt(domain)).filter(record => /^v=spf1(?:\s|$)/i.test(record))

const getTerms = (record: string): string[] => record.trim().split(/\s+/).slice(1)

function checkAllTerm(record: string): Omit<DnsCheck, 'name'> {
  const terms = getTerms(record).map(term => term.toLowerCase())
  if (terms.some(term => term === '+all' || term === 'all')) {
    const message = 'The SPF record ends with +all, which allows anyone to send. End it with ~all.'
    return { status: 'error', message }
  }
  if (terms.some(term => /^[-~]all$/.test(term) || term.startsWith('redirect=')))
    return {
      status: 'ok',
      message: 'Receivers can verify senders. Make sure that your mail provider is included.',
    }
  const message = 'The SPF record does not cover other senders. End it with ~all.'
  return { status: 'advice', message }
}

/** Counts the lookups of a record and the records that it includes, as receivers do. */
async function countLookups(dns: DnsResolver, record: string, lookupsBefore: number): Promise<LookupCount> {
  let lookups = lookupsBefore
  for (const term of getTerms(record)) {
    const [, kind = '', target] =
      /^[+?~-]?(include|a|mx|ptr|exists|redirect)(?:[:=]([^/\s]+))?(?:\/|$)/i.exec(term) ?? []
    if (!kind) continue
    lookups += 1
    if (lookups > MAX_LOOKUPS) {
      const error = `The SPF record requires more than ${MAX_LOOKUPS} lookups, after which receivers give up. Remove senders that you no longer use.`
      return { lookups, error }
    }
    const isFollowed = /^(?:include|redirect)$/i.test(kind)
    // A target with a macro (%) depends on the email.
    if (!isFollowed || !target || target.includes('%')) continue
    const [included] = await readSpfRecords(dns, target)
    if (included === undefined)
      return {
        lookups,
        error: `The SPF record includes ${target}, which has no SPF record, so the whole check fails. Remove it or fix its spelling.`,
      }
    const counted = await countLookups(dns, included, lookups)
    if (counted.error) return counted
    lookups = counted.lookups
  }
  return { lookups }
}
