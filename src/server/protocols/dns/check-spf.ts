import type { DnsCheck } from './check-dns.ts'
import type { DnsResolver } from './resolver.ts'

/** RFC 7208 section 4.6.4: receivers give up behind it. */
const MAX_LOOKUPS = 10

type Counted = { lookups: number; fault?: string }

/** Whether the domain's one SPF record can be read to its end by a receiver, and says who may not send. */
export async function checkSpf(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const records = await spfRecords(dns, domain)
  const [record] = records
  if (record === undefined) {
    const message = `There is no SPF record, so anybody may send in the name of ${domain}. Add a TXT record at ${domain}: v=spf1 include:(what your mail provider tells you) ~all`
    return { status: 'fault', message }
  }
  if (records.length > 1) {
    const message = `There are ${records.length} SPF records, so none counts. Put them together into one.`
    return { status: 'fault', message, record: records.join(' | ') }
  }
  const { fault } = await countLookups(dns, record, 0)
  if (fault) return { status: 'fault', message: fault, record }
  return { ...judgeEnd(record), record }
}

const spfRecords = async (dns: DnsResolver, domain: string): Promise<string[]> =>
  (await dns.txt(domain)).filter(record => /^v=spf1(?:\s|$)/i.test(record))

const termsOf = (record: string): string[] => record.trim().split(/\s+/).slice(1)

function judgeEnd(record: string): Omit<DnsCheck, 'name'> {
  const terms = termsOf(record).map(term => term.toLowerCase())
  if (terms.some(term => term === '+all' || term === 'all')) {
    const message = 'The SPF record ends in +all, which lets everybody send. End it in ~all.'
    return { status: 'fault', message }
  }
  if (terms.some(term => /^[-~]all$/.test(term) || term.startsWith('redirect=')))
    return {
      status: 'ok',
      message: 'Receivers can tell who may send. Your mail provider must be among them.',
    }
  const message = 'The SPF record does not say what to think of others. End it in ~all.'
  return { status: 'advice', message }
}

/** Follows what the record includes, as far as a receiver would. */
async function countLookups(dns: DnsResolver, record: string, before: number): Promise<Counted> {
  let lookups = before
  for (const term of termsOf(record)) {
    const [, kind = '', target] =
      /^[+?~-]?(include|a|mx|ptr|exists|redirect)(?:[:=]([^/\s]+))?(?:\/|$)/i.exec(term) ?? []
    if (!kind) continue
    lookups += 1
    if (lookups > MAX_LOOKUPS) {
      const fault = `The SPF record makes receivers look up more than ${MAX_LOOKUPS} names, behind which they give up. Take out what no longer sends.`
      return { lookups, fault }
    }
    const isFollowed = /^(?:include|redirect)$/i.test(kind)
    // A macro depends on the mail.
    if (!isFollowed || !target || target.includes('%')) continue
    const [included] = await spfRecords(dns, target)
    if (included === undefined)
      return {
        lookups,
        fault: `The SPF record names ${target}, which has none: then the whole of it fails. Take it out, or mend its spelling.`,
      }
    const counted = await countLookups(dns, included, lookups)
    if (counted.fault) return counted
    lookups = counted.lookups
  }
  return { lookups }
}
