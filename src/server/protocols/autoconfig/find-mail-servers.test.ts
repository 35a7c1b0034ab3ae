import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DnsServer, openDnsServer, type Zone } from '../../../../test/support/mail/dns-server.ts'
import { openDns } from '../dns/resolver.ts'
import { findMailServers } from './find-mail-servers.ts'

let dns: DnsServer
beforeAll(async () => {
  dns = await openDnsServer()
})
afterAll(() => dns[Symbol.asyncDispose]())

const databaseUrl = 'https://database.example/v1.1'

type Network = {
  zone?: Zone
  /** Documents by URL. */
  documents?: Record<string, string>
}

/** Finds servers in a simulated network. Returns the source and a summary of each server. */
async function find(email: string, { zone = {}, documents = {} }: Network): Promise<string[]> {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  Object.assign(dns.zone, zone)
  using resolver = openDns([dns.address])
  const fetchText = async ({ href }: URL) => documents[href]
  const { source, provider, smtp, imap } = await findMailServers(email, {
    dns: resolver,
    fetchText,
    databaseUrl,
  })
  const summarize = ({ host, port, tls, user }: typeof smtp) =>
    `${host}:${port} ${tls}${user === email ? '' : ` as ${user}`}`
  return [provider ?? source, summarize(smtp), summarize(imap)]
}

const guess = (domain: string) => ['guess', `smtp.${domain}:587 starttls`, `imap.${domain}:993 implicit`]

const server = (
  type: string,
  protocol: string,
  host: string,
  port: number,
  socketType: string,
  user = '%EMAILADDRESS%',
) =>
  `<${type} type="${protocol}"><hostname>${host}</hostname><port>${port}</port><socketType>${socketType}</socketType><username>${user}</username></${type}>`
const toXml = (...servers: string[]) =>
  `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="host.example">${servers.join('')}</emailProvider></clientConfig>`
const imap = (host = 'imap.host.example', port = 993, socketType = 'SSL', user?: string) =>
  server('incomingServer', 'imap', host, port, socketType, user)
const smtp = (host = 'smtp.host.example', port = 465, socketType = 'SSL', user?: string) =>
  server('outgoingServer', 'smtp', host, port, socketType, user)
const hostServers = ['configuration', 'smtp.host.example:465 implicit', 'imap.host.example:993 implicit']

describe('the servers of a provider', () => {
  it.each([
    ['ada@gmail.com', 'google', 'smtp.gmail.com:465 implicit', 'imap.gmail.com:993 implicit'],
    ['ada@googlemail.com', 'google', 'smtp.gmail.com:465 implicit', 'imap.gmail.com:993 implicit'],
    ['ada@outlook.com', 'microsoft', 'smtp.office365.com:587 starttls', 'outlook.office365.com:993 implicit'],
    ['ada@hotmail.com', 'microsoft', 'smtp.office365.com:587 starttls', 'outlook.office365.com:993 implicit'],
    ['ada@yahoo.com', 'yahoo', 'smtp.mail.yahoo.com:465 implicit', 'imap.mail.yahoo.com:993 implicit'],
    ['ada@aol.com', 'aol', 'smtp.aol.com:465 implicit', 'imap.aol.com:993 implicit'],
    ['ada@icloud.com', 'icloud', 'smtp.mail.me.com:587 starttls', 'imap.mail.me.com:993 implicit as ada'],
    ['ada@fastmail.com', 'fastmail', 'smtp.fastmail.com:465 implicit', 'imap.fastmail.com:993 implicit'],
    ['ada@zohomail.com', 'zoho', 'smtp.zoho.com:465 implicit', 'imap.zoho.com:993 implicit'],
    ['ada@zohomail.eu', 'zohoEurope', 'smtp.zoho.eu:465 implicit', 'imap.zoho.eu:993 implicit'],
    ['ada@zohomail.in', 'zohoIndia', 'smtp.zoho.in:465 implicit', 'imap.zoho.in:993 implicit'],
    ['ada@gmx.net', 'gmx', 'mail.gmx.net:587 starttls', 'imap.gmx.net:993 implicit'],
    ['ada@yandex.com', 'yandex', 'smtp.yandex.com:465 implicit', 'imap.yandex.com:993 implicit'],
    ['ada@mail.ru', 'mailRu', 'smtp.mail.ru:465 implicit', 'imap.mail.ru:993 implicit'],
  ])('are those in its documentation for %s', async (email, ...expected) => {
    const documents = {
      [`https://autoconfig.${email.split('@')[1]}/mail/config-v1.1.xml`]: toXml(smtp(), imap()),
    }
    expect(await find(email, { documents })).toEqual(expected)
  })

  it.each([
    ['aspmx.l.google.com', 'google', 'smtp.gmail.com:465 implicit', 'imap.gmail.com:993 implicit'],
    ['alt4.aspmx.l.google.com', 'google', 'smtp.gmail.com:465 implicit', 'imap.gmail.com:993 implicit'],
    [
      'acme-example.mail.protection.outlook.com',
      'microsoft',
      'smtp.office365.com:587 starttls',
      'outlook.office365.com:993 implicit',
    ],
    [
      'mta5.am0.yahoodns.net',
      'yahoo',
      'smtp.mail.yahoo.com:465 implicit',
      'imap.mail.yahoo.com:993 implicit',
    ],
    [
      'in1-smtp.messagingengine.com',
      'fastmail',
      'smtp.fastmail.com:465 implicit',
      'imap.fastmail.com:993 implicit',
    ],
    ['mx.zoho.com', 'zoho', 'smtppro.zoho.com:465 implicit', 'imappro.zoho.com:993 implicit'],
    ['mx2.zoho.eu', 'zohoEurope', 'smtppro.zoho.eu:465 implicit', 'imappro.zoho.eu:993 implicit'],
    ['mx.zoho.in', 'zohoIndia', 'smtppro.zoho.in:465 implicit', 'imappro.zoho.in:993 implicit'],
    [
      'mx.zoho.com.au',
      'zohoAustralia',
      'smtppro.zoho.com.au:465 implicit',
      'imappro.zoho.com.au:993 implicit',
    ],
    ['mx.zoho.jp', 'zohoJapan', 'smtppro.zoho.jp:465 implicit', 'imappro.zoho.jp:993 implicit'],
    ['mx00.ionos.de', 'ionos', 'smtp.ionos.com:465 implicit', 'imap.ionos.com:993 implicit'],
    ['mx1.mail.ovh.net', 'ovh', 'ssl0.ovh.net:465 implicit', 'ssl0.ovh.net:993 implicit'],
    ['mx.yandex.net', 'yandex', 'smtp.yandex.com:465 implicit', 'imap.yandex.com:993 implicit'],
    ['ASPMX.L.GOOGLE.COM', 'google', 'smtp.gmail.com:465 implicit', 'imap.gmail.com:993 implicit'],
  ])('are those in its documentation for a company whose mail goes to %s', async (mx, ...expected) => {
    expect(await find('ada@acme.example', { zone: { 'acme.example': { mx: [mx] } } })).toEqual(expected)
  })

  it.each([
    ['a name that only has the same ending', 'notgoogle.com'],
    ['a name below the attacker’s own domain', 'google.com.evil.example'],
    ['a name without a dot', 'localhost'],
    ['the null MX', '.'],
  ])('are not used for %s', async (_what, mx) => {
    expect(await find('ada@acme.example', { zone: { 'acme.example': { mx: [mx] } } })).toEqual(
      guess('acme.example'),
    )
  })
})

describe('the servers of a domain without a known provider', () => {
  const zone = { 'acme.example': { mx: ['mx1.host.example'] } }
  const ownUrl = 'https://autoconfig.acme.example/mail/config-v1.1.xml'
  const wellKnownUrl = 'https://acme.example/.well-known/autoconfig/mail/config-v1.1.xml'

  it.each([
    ["the domain's autoconfig host", { [ownUrl]: toXml(smtp(), imap()) }],
    ["the domain's well-known URL", { [wellKnownUrl]: toXml(smtp(), imap()) }],
    ['the database', { [`${databaseUrl}/acme.example`]: toXml(smtp(), imap()) }],
    [
      "the autoconfig host of the domain's mail provider",
      { 'https://autoconfig.host.example/mail/config-v1.1.xml': toXml(smtp(), imap()) },
    ],
    [
      "the well-known URL of the domain's mail provider",
      { 'https://host.example/.well-known/autoconfig/mail/config-v1.1.xml': toXml(smtp(), imap()) },
    ],
    [
      "the database, under the mail provider's domain",
      { [`${databaseUrl}/host.example`]: toXml(smtp(), imap()) },
    ],
  ])('come from the configuration at %s', async (_where, documents) => {
    expect(await find('ada@acme.example', { zone, documents })).toEqual(hostServers)
  })

  it("come from the domain's own configuration before any other", async () => {
    const other = toXml(smtp('smtp.other.example'), imap('imap.other.example'))
    const documents = {
      [wellKnownUrl]: toXml(smtp(), imap()),
      [`${databaseUrl}/acme.example`]: other,
      [`${databaseUrl}/host.example`]: other,
    }
    expect(await find('ada@acme.example', { zone, documents })).toEqual(hostServers)
  })

  it.each([
    [
      'the whole address as the user name by default',
      [smtp(undefined, undefined, undefined, ''), imap(undefined, undefined, undefined, '')],
      hostServers,
    ],
    [
      'the local part as the user name',
      [smtp(), imap(undefined, 993, 'SSL', '%EMAILLOCALPART%')],
      [...hostServers.slice(0, 2), 'imap.host.example:993 implicit as ada'],
    ],
    [
      'a pattern for the user name',
      [smtp(undefined, 465, 'SSL', '%EMAILLOCALPART%_%EMAILDOMAIN%'), imap()],
      ['configuration', 'smtp.host.example:465 implicit as ada_acme.example', hostServers[2]],
    ],
    [
      'STARTTLS',
      [smtp(undefined, 587, 'STARTTLS'), imap(undefined, 143, 'STARTTLS')],
      ['configuration', 'smtp.host.example:587 starttls', 'imap.host.example:143 starttls'],
    ],
    [
      'host names with a placeholder for the domain',
      [smtp('smtp.%EMAILDOMAIN%'), imap('IMAP.%EMAILDOMAIN%')],
      ['configuration', 'smtp.acme.example:465 implicit', 'imap.acme.example:993 implicit'],
    ],
    [
      'the first encrypted server of several',
      [
        smtp('plain.host.example', 25, 'plain'),
        smtp(),
        smtp('last.host.example'),
        imap('plain.host.example', 143, 'plain'),
        imap(),
      ],
      hostServers,
    ],
  ])('use %s', async (_what, servers, expected) => {
    expect(await find('ada@acme.example', { zone, documents: { [ownUrl]: toXml(...servers) } })).toEqual(
      expected,
    )
  })

  it.each([
    ['only unencrypted servers', toXml(smtp(undefined, 25, 'plain'), imap(undefined, 143, 'plain'))],
    ['no outgoing server', toXml(imap())],
    ['POP3 only', toXml(smtp(), server('incomingServer', 'pop3', 'pop.host.example', 995, 'SSL'))],
    ['an IPv4 address as a host', toXml(smtp('127.0.0.1'), imap('10.0.0.1'))],
    ['an IPv6 address as a host', toXml(smtp('[::1]'), imap('[::1]'))],
    ['a host name without a dot', toXml(smtp('localhost'), imap('localhost'))],
    ['a host with a port or path', toXml(smtp('smtp.host.example:25/x'), imap())],
    ['a port out of range', toXml(smtp(undefined, 70_000), imap())],
    ['no port', toXml(smtp().replace(/<port>.*?<\/port>/, ''), imap())],
    ['custom entities', `<!DOCTYPE a [<!ENTITY e "smtp.evil.example">]>${toXml(smtp('&e;'), imap())}`],
    ['a truncated document', toXml(smtp(), imap()).slice(0, 120)],
    ['a web page', '<!doctype html><html><body>Not found</body></html>'],
    ['no content', ''],
  ])('are guessed when the configuration is unusable: %s', async (_what, xml) => {
    expect(await find('ada@acme.example', { zone, documents: { [ownUrl]: xml } })).toEqual(
      guess('acme.example'),
    )
  })

  it.each<[string, Zone, string[]]>([
    [
      'TLS from the start',
      {
        _submissions: { srv: [{ host: 'mail.acme.example', port: 465 }] },
        _imaps: { srv: [{ host: 'mail.acme.example', port: 993 }] },
      },
      ['srv', 'mail.acme.example:465 implicit', 'mail.acme.example:993 implicit'],
    ],
    [
      'STARTTLS',
      {
        _submission: { srv: [{ host: 'mail.acme.example', port: 587 }] },
        _imap: { srv: [{ host: 'mail.acme.example', port: 143 }] },
      },
      ['srv', 'mail.acme.example:587 starttls', 'mail.acme.example:143 starttls'],
    ],
    [
      'TLS ports under the older names',
      {
        _submission: { srv: [{ host: 'mail.acme.example', port: 465 }] },
        _imap: { srv: [{ host: 'mail.acme.example', port: 993 }] },
      },
      ['srv', 'mail.acme.example:465 implicit', 'mail.acme.example:993 implicit'],
    ],
    [
      'a service that the domain declares absent',
      {
        _submissions: { srv: [{ host: '', port: 0 }] },
        _submission: { srv: [{ host: 'mail.acme.example', port: 587 }] },
        _imaps: { srv: [{ host: 'mail.acme.example', port: 993 }] },
      },
      ['srv', 'mail.acme.example:587 starttls', 'mail.acme.example:993 implicit'],
    ],
    [
      'only one of the two services',
      { _imaps: { srv: [{ host: 'mail.acme.example', port: 993 }] } },
      guess('acme.example'),
    ],
    ['a DNS failure', { _imaps: { failure: 2 }, _submissions: { failure: 2 } }, guess('acme.example')],
  ])(
    'follow SRV records, or are guessed if the records are incomplete: %s',
    async (_what, services, expected) => {
      const records = Object.entries(services).map(([name, entry]) => [`${name}._tcp.acme.example`, entry])
      expect(
        await find('ada@acme.example', { zone: { 'acme.example': {}, ...Object.fromEntries(records) } }),
      ).toEqual(expected)
    },
  )

  it('are guessed when DNS fails and nothing is published', async () => {
    expect(await find('ada@acme.example', { zone: { 'acme.example': { failure: 2 } } })).toEqual(
      guess('acme.example'),
    )
  })
})
