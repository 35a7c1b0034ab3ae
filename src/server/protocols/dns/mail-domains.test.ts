import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DnsServer, openDnsServer } from '../../../../test/support/mail/dns-server.ts'
import { readConfig } from '../../kernel/config.ts'
import { MailDomains } from './mail-domains.ts'

const TIMEOUT_MS = 10_000

let dns: DnsServer
beforeAll(async () => {
  dns = await openDnsServer()
})
afterAll(() => dns[Symbol.asyncDispose]())

let now: Date
let domains: MailDomains
beforeEach(() => {
  now = new Date('2026-11-23T09:00:00Z')
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  dns.zone['gmail.com'] = { mx: ['gmail-smtp-in.l.google.com'] }
  dns.queries.length = 0
  domains = open(dns.address)
})

const open = (server: string): MailDomains =>
  new MailDomains({ config: readConfig({}, { DNS_SERVERS: server }), now: () => now })

const check = async (...names: string[]) => {
  await domains.check(names, TIMEOUT_MS)
  return names.map(
    name => domains.findUndeliverableReason(name) ?? (domains.isUnknown(name) ? 'unknown' : 'receives mail'),
  )
}

describe('a domain', () => {
  it('receives mail if it has mail servers, or only an IP address', async () => {
    dns.zone['acme.com'] = { mx: ['mx.acme.com'] }
    dns.zone['host.com'] = { a: ['192.0.2.1'] }
    expect(await check('acme.com', 'host.com')).toEqual(['receives mail', 'receives mail'])
  })

  it('receives no mail if it does not exist, has no IP address, or has a null MX record', async () => {
    dns.zone['empty.com'] = {}
    dns.zone['null.com'] = { mx: ['.'] }
    expect(await check('missing.com', 'empty.com', 'null.com')).toEqual([
      'no_mail_server',
      'no_mail_server',
      'null_mx',
    ])
  })

  it('is unknown after a DNS failure, so that emails are still sent', async () => {
    dns.zone['broken.com'] = { failure: 2 }
    dns.zone['silent.com'] = { isSilent: true }
    expect(await check('broken.com')).toEqual(['unknown'])
    domains = open(dns.address)
    await domains.check(['silent.com'], 100)
    expect(domains.findUndeliverableReason('silent.com')).toBeUndefined()
  })

  it('is unknown when the resolver does not find even the largest mail providers', async () => {
    delete dns.zone['gmail.com']
    expect(await check('acme.com')).toEqual(['unknown'])
  })

  it('is queried again only after its verdict expires', async () => {
    dns.zone['acme.com'] = { mx: ['mx.acme.com'] }
    await check('acme.com', 'missing.com')
    const queryCount = dns.queries.length
    await check('acme.com', 'missing.com')
    expect(dns.queries).toHaveLength(queryCount)
    dns.zone['missing.com'] = { mx: ['mx.missing.com'] }
    now = new Date('2026-11-23T09:11:00Z')
    expect(await check('acme.com', 'missing.com')).toEqual(['receives mail', 'receives mail'])
    expect(dns.queries.slice(queryCount)).toEqual(['missing.com'])
  })

  it('is never queried if it is outside the public DNS', async () => {
    expect(await check('acme.example', 'office.lan')).toEqual(['receives mail', 'receives mail'])
    expect(dns.queries).toEqual([])
  })
})

it('queries a resolver at most once a minute while it resolves no domain', async () => {
  for (const name of ['a.com', 'b.com', 'gmail.com']) dns.zone[name] = { failure: 2 }
  await check('a.com')
  expect(domains.listUnchecked(['b.com'])).toEqual([])
  now = new Date('2026-11-23T09:02:00Z')
  expect(domains.listUnchecked(['b.com'])).toEqual(['b.com'])
})
