import { getDomain } from 'tldts'
import type { z } from 'zod'
import type { domainCheck } from '../../../contract/domains.ts'
import { checkSpf } from './check-spf.ts'
import { DnsError, type DnsResolver } from './resolver.ts'

export type DnsCheck = z.output<typeof domainCheck>
/** A key of ours whose record should stand in the DNS. */
export type PublishedKey = { selector: string; publicKey: string }

/** Where the common providers keep their keys; a key under another name can't be found by asking. */
const usualSelectors = [
  'google',
  'selector1',
  'selector2',
  'default',
  'dkim',
  'mail',
  'k1',
  's1',
  's2',
  'fm1',
  'zoho',
]
const maxRecordLength = 2_000

/** What stands in the DNS for a domain that sends, and which of our keys were found there. */
export async function checkDns(
  dns: DnsResolver,
  domain: string,
  keys: readonly PublishedKey[],
): Promise<{ checks: DnsCheck[]; seenSelectors: string[] }> {
  const seenSelectors: string[] = []
  const checks = await Promise.all([
    told('mx', checkMx(dns, domain)),
    told('spf', checkSpf(dns, domain)),
    told('dkim', keys.length > 0 ? checkOwnKeys(dns, domain, keys, seenSelectors) : findAnyKey(dns, domain)),
    told('dmarc', checkDmarc(dns, domain)),
  ])
  return { checks, seenSelectors }
}

/** A DNS that gives no answer says nothing about the domain. */
async function told(name: DnsCheck['name'], checking: Promise<Omit<DnsCheck, 'name'>>): Promise<DnsCheck> {
  try {
    const { record, ...check } = await checking
    return { name, ...check, ...(record && { record: record.slice(0, maxRecordLength) }) }
  } catch (fault) {
    if (!(fault instanceof DnsError)) throw fault
    return { name, status: 'unknown', message: `Could not be checked: ${fault.message}. Try again later.` }
  }
}

async function checkMx(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const hosts = await dns.mx(domain)
  // RFC 7505: a single empty host says that the domain takes no mail.
  if (hosts.length > 0 && hosts.every(host => host === '' || host === '.')) {
    const message = `${domain} says that it takes no mail at all, so no reply can arrive. Replace its MX record.`
    return { status: 'fault', message }
  }
  if (hosts.length > 0)
    return { status: 'ok', message: 'Replies can arrive.', record: hosts.toSorted().join(', ') }
  if (await dns.hasAddress(domain)) {
    const message = `${domain} has no MX record, so replies go to its web server. Add the MX records of your mail provider.`
    return { status: 'advice', message }
  }
  const message = `${domain} has no MX record, so no reply can arrive. Add those that your mail provider tells you.`
  return { status: 'fault', message }
}

async function checkOwnKeys(
  dns: DnsResolver,
  domain: string,
  keys: readonly PublishedKey[],
  seenSelectors: string[],
): Promise<Omit<DnsCheck, 'name'>> {
  const missing: string[] = []
  for (const { selector, publicKey } of keys) {
    const records = await dns.txt(`${selector}._domainkey.${domain}`)
    if (records.some(record => tagOf(record, 'p')?.replace(/\s/g, '') === publicKey))
      seenSelectors.push(selector)
    else missing.push(records.length > 0 ? `${selector} has another record` : `${selector} has none`)
  }
  if (missing.length === 0) return { status: 'ok', message: 'The records of the signing keys are there.' }
  const message = `Of the signing keys, ${missing.join(', ')}. Add the TXT record that the key shows, as a whole, and check again.`
  return { status: 'fault', message }
}

async function findAnyKey(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const found = await Promise.all(
    usualSelectors.map(async selector => ({
      selector,
      records: await dns.txt(`${selector}._domainkey.${domain}`),
    })),
  )
  const key = found.find(({ records }) => records.some(record => tagOf(record, 'p')))
  if (key) {
    const message = `A signing key stands under ${key.selector}: your mail provider seems to sign.`
    return { status: 'ok', message, record: key.records[0]! }
  }
  const message =
    'No signing key was found under the usual names. If your mail provider signs mails (DKIM), all is well; else turn it on there, or make a key here.'
  return { status: 'advice', message }
}

async function checkDmarc(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const at = async (name: string) =>
    (await dns.txt(`_dmarc.${name}`)).filter(record => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record))
  const organisation = getDomain(domain, { allowPrivateDomains: true }) ?? domain
  const own = await at(domain)
  // RFC 7489 section 6.6.3: a subdomain without one goes by that of the organisation.
  const records = own.length === 0 && organisation !== domain ? await at(organisation) : own
  const [record] = records
  if (!record) {
    const message = `There is no DMARC record; Gmail, Yahoo and Outlook ask for one. Add a TXT record at _dmarc.${organisation}: v=DMARC1; p=none`
    return { status: 'fault', message }
  }
  if (records.length > 1)
    return {
      status: 'fault',
      message: `There are ${records.length} DMARC records, so none counts. Leave one.`,
      record,
    }
  const policy = tagOf(record, 'p')?.toLowerCase()
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)) {
    const message = 'The DMARC record has no policy that counts. It needs p=none, p=quarantine or p=reject.'
    return { status: 'fault', message, record }
  }
  return { status: 'ok', message: `Receivers are told what to do with forged mails (${policy}).`, record }
}

/** A tag's value in a record of the form `a=1; b=2` (RFC 6376 section 3.2). */
const tagOf = (record: string, name: string): string | undefined =>
  record
    .split(';')
    .map(tag => /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(tag))
    .find(match => match?.[1]?.toLowerCase() === name)?.[2]
