import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type HttpsServer, openHttpsServer } from '../../../../test/support/http/https-server.ts'
import { type DnsServer, openDnsServer } from '../../../../test/support/mail/dns-server.ts'

let dns: DnsServer
let database: HttpsServer
let app: TestApp
let owner: Caller
beforeAll(async () => {
  dns = await openDnsServer()
  database = await openHttpsServer()
  app = await openTestApp({ DNS_SERVERS: dns.address, MAIL_SETTINGS_URL: `${database.origin}/v1.1` })
  owner = await makeCaller(app)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

const discover = (email: string) => owner.call('discoverMailSettings', { email })

const configuration = (
  smtp: string,
  imap = '<hostname>imap.%EMAILDOMAIN%</hostname>',
) => `<?xml version="1.0"?>
  <clientConfig version="1.1"><emailProvider id="host.example">
    <incomingServer type="pop3"><hostname>pop.host.example</hostname><port>995</port><socketType>SSL</socketType></incomingServer>
    <incomingServer type="imap">${imap}<port>993</port><socketType>SSL</socketType>
      <username>%EMAILLOCALPART%</username></incomingServer>
    <outgoingServer type="smtp">${smtp}<port>587</port><socketType>STARTTLS</socketType>
      <username>%EMAILADDRESS%</username></outgoingServer>
  </emailProvider></clientConfig>`

describe('discovering the servers of a mailbox', () => {
  it('recognizes the domain of a well-known provider without any request', async () => {
    const queryCount = dns.queries.length
    expect(await discover('Ada.Byron@iCloud.com')).toMatchObject({
      source: 'provider',
      provider: 'icloud',
      smtp: { host: 'smtp.mail.me.com', user: 'ada.byron@icloud.com' },
      imap: { host: 'imap.mail.me.com', port: 993, tls: 'implicit', user: 'ada.byron' },
      advice: { url: expect.stringMatching(/^https:/) },
    })
    expect(dns.queries.length).toBe(queryCount)
    expect(database.requests).toEqual([])
  })

  it.each([
    ['ASPMX.L.GOOGLE.com', 'google'],
    ['acme-example.mail.protection.outlook.com', 'microsoft'],
    ['in1-smtp.messagingengine.com', 'fastmail'],
    ['mx00.ionos.de', 'ionos'],
  ])('recognizes the provider of a company by the MX record %s', async (host, provider) => {
    dns.zone['acme.example'] = { mx: [host] }
    expect(await discover('ada@acme.example')).toMatchObject({ source: 'provider', provider })
  })

  it('uses a published configuration, but only its encrypted servers', async () => {
    dns.zone['navy.example'] = { mx: ['mx.host.example'] }
    database.answer = (_request, response) =>
      response.end(configuration('<hostname>smtp.host.example</hostname>'))
    expect(await discover('grace@navy.example')).toEqual({
      source: 'configuration',
      smtp: { host: 'smtp.host.example', port: 587, tls: 'starttls', user: 'grace@navy.example' },
      imap: { host: 'imap.navy.example', port: 993, tls: 'implicit', user: 'grace' },
    })
    expect(database.requests.filter(url => url.includes('grace'))).toEqual([])
    database.answer = (_request, response) =>
      response.end(configuration('<hostname>smtp.host.example</hostname>').replaceAll('SSL', 'plain'))
    expect(await discover('grace@navy.example')).toMatchObject({ source: 'guess' })
  })

  it('uses SRV records, and prefers those for implicit TLS', async () => {
    database.answer = (_request, response) => response.writeHead(404).end()
    dns.zone['fleet.example'] = {}
    dns.zone['_submissions._tcp.fleet.example'] = { srv: [{ host: 'mail.fleet.example', port: 465 }] }
    dns.zone['_submission._tcp.fleet.example'] = { srv: [{ host: 'old.fleet.example', port: 587 }] }
    dns.zone['_imap._tcp.fleet.example'] = { srv: [{ host: 'mail.fleet.example', port: 143 }] }
    dns.zone['_imaps._tcp.fleet.example'] = { srv: [{ host: '', port: 0 }] }
    expect(await discover('ada@fleet.example')).toEqual({
      source: 'srv',
      smtp: { host: 'mail.fleet.example', port: 465, tls: 'implicit', user: 'ada@fleet.example' },
      imap: { host: 'mail.fleet.example', port: 143, tls: 'starttls', user: 'ada@fleet.example' },
    })
  })
})

describe('the lookup of mail settings', () => {
  it.each([
    ['whose host is an IP address', '<hostname>127.0.0.1:25</hostname>'],
    ['whose host has a path', '<hostname>evil.example/x</hostname>'],
    ['with its own entities', '<!DOCTYPE a [<!ENTITY e "smtp.evil.example">]><hostname>&e;</hostname>'],
    ['without a host', ''],
    ['that is cut off', '<hostname>smtp.evil'],
  ])('ignores a configuration %s', async (_case, smtp) => {
    database.answer = (_request, response) => response.end(configuration(smtp))
    dns.zone['evil.example'] = {}
    expect(await discover('ada@evil.example')).toEqual({
      source: 'guess',
      smtp: { host: 'smtp.evil.example', port: 587, tls: 'starttls', user: 'ada@evil.example' },
      imap: { host: 'imap.evil.example', port: 993, tls: 'implicit', user: 'ada@evil.example' },
    })
  })

  it('reads an endless document only up to a limit', async () => {
    let sent = 0
    database.answer = (_request, response) => {
      const write = () => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += 16_384
          if (!response.write('<a>'.padEnd(16_384))) return response.once('drain', write)
        }
        return response.end()
      }
      write()
    }
    expect(await discover('ada@evil.example')).toMatchObject({ source: 'guess' })
    expect(sent).toBeLessThan(50_000_000)
  })

  it('rejects an address without a valid domain', async () => {
    await expect(discover('ada@localhost:99')).rejects.toMatchObject({ code: 'ValidationError' })
  })
})

it('only roles that may connect mailboxes can look up servers', async () => {
  const viewer = await makeCaller(app, 'viewer', owner.accountId)
  await expect(viewer.call('discoverMailSettings', { email: 'ada@gmail.com' })).rejects.toMatchObject({
    code: 'Forbidden',
  })
})
