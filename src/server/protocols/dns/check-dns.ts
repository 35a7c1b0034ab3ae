import { getDomain } from 'tldts'
import type { z } from 'zod'
import type { domainCheck } from '../../../contract/domains.ts'
import { checkSpf } from './check-spf.ts'
import { DnsError, type DnsResolver } from './resolver.ts'

export type DnsCheck = z.output<typeof domainCheck>
/** One of our DKIM keys, which should be published in DNS. */
export type PublishedKey = { selector: string; publicKey: string }

/** DKIM selectors of common providers. DNS can't list the selectors of a domain. */
const commonSelectors = [
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

/** Checks the DNS records of a sending domain, and returns which of our keys are published. */
export async function checkDns(
  dns: DnsResolver,
  domain: string,
  keys: readonly PublishedKey[],
): Promise<{ checks: DnsCheck[]; seenSelectors: string[] }> {
  const seenSelectors: string[] = []
  const checks = await Promise.all([
    toCheck('mx', checkMx(dns, domain)),
    toCheck('spf', checkSpf(dns, domain)),
    toCheck(
      'dkim',
      keys.length > 0 ? checkOwnKeys(dns, domain, keys, seenSelectors) : findKeyAtCommonSelector(dns, domain),
    ),
    toCheck('dmarc', checkDmarc(dns, domain)),
  ])
  return { checks, seenSelectors }
}

/** Adds the name to a check. The status is `unknown` when a DNS query fails. */
async function toCheck(name: DnsCheck['name'], pending: Promise<Omit<DnsCheck, 'name'>>): Promise<DnsCheck> {
  try {
    const { record, ...check } = await pending
    return { name, ...check, ...(record && { record: record.slice(0, maxRecordLength) }) }
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    return { name, status: 'unknown', message: `Could not be checked: ${error.message}. Try again later.` }
  }
}

async function checkMx(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const hosts = await dns.mx(domain)
  // RFC 7505: a single empty host means that the domain accepts no email.
  if (hosts.length > 0 && hosts.every(host => host === '' || host === '.')) {
    const message = `${domain} declares that it accepts no mail, so replies can't arrive. Replace its MX record.`
    return { status: 'error', message }
  }
  if (hosts.length > 0)
    return { status: 'ok', message: 'Replies can arrive.', record: hosts.toSorted().join(', ') }
  if (await dns.hasAddress(domain)) {
    const message = `${domain} has no MX record, so replies go to its web server. Add the MX records of your mail provider.`
    return { status: 'advice', message }
  }
  const message = `${domain} has no MX record, so replies can't arrive. Add the MX records of your mail provider.`
  return { status: 'error', message }
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
    if (records.some(record => getTag(record, 'p')?.replace(/\s/g, '') === publicKey))
      seenSelectors.push(selector)
    else missing.push(records.length > 0 ? `${selector} has a different record` : `${selector} has no record`)
  }
  if (missing.length === 0) return { status: 'ok', message: 'The signing keys are published.' }
  const message = `Signing keys: ${missing.join(', ')}. Add the complete TXT record shown with the key, and check again.`
  return { status: 'error', message }
}

async function findKeyAtCommonSelector(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const found = await Promise.all(
    commonSelectors.map(async selector => ({
      selector,
      records: await dns.txt(`${selector}._domainkey.${domain}`),
    })),
  )
  const key = found.find(({ records }) => records.some(record => getTag(record, 'p')))
  if (key) {
    const message = `A signing key was found at ${key.selector}: your mail provider seems to sign emails.`
    return { status: 'ok', message, record: key.records[0]! }
  }
  const message =
    'No signing key was found at common selectors. If your mail provider does not sign emails, turn on DKIM there or create a key here.'
  return { status: 'advice', message }
}

async function checkDmarc(dns: DnsResolver, domain: string): Promise<Omit<DnsCheck, 'name'>> {
  const readDmarc = async (name: string) =>
    (await dns.txt(`_dmarc.${name}`)).filter(record => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record))
  const organization = getDomain(domain, { allowPrivateDomains: true }) ?? domain
  const own = await readDmarc(domain)
  // RFC 7489 section 6.6.3: a subdomain without a record inherits that of the organizational domain.
  const records = own.length === 0 && organization !== domain ? await readDmarc(organization) : own
  const [record] = records
  if (!record) {
    const recordToAdd = { name: `_dmarc.${organization}`, value: 'v=DMARC1; p=none' }
    const message = `There is no DMARC record; Gmail, Yahoo and Outlook require one. Add a TXT record at ${recordToAdd.name}: ${recordToAdd.value}`
    return { status: 'error', message, recordToAdd }
  }
  if (records.length > 1)
    return {
      status: 'error',
      message: `There are ${records.length} DMARC records, so receivers ignore them all. Keep one.`,
      record,
    }
  const policy = getTag(record, 'p')?.toLowerCase()
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)) {
    const message = 'The DMARC record has no valid policy. Set p=none, p=quarantine or p=reject.'
    return { status: 'error', message, record }
  }
  const advice = getTag(record, 'rua')
    ? ''
    : ' To see receivers’ reports in Overture, add rua=mailto: with the address of a connected mailbox.'
  return { status: 'ok', message: `Receivers know how to handle forged emails (${policy}).${advice}`, record }
}

/** Returns a tag's value in a record of the form `a=1; b=2` (RFC 6376 section 3.2). */
const getTag = (record: string, name: string): string | undefined =>
  record
    .split(';')
    .map(tag => /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(tag))
    .find(match => match?.[1]?.toLowerCase() === name)?.[2]
