import { getDomain } from 'tldts'
import {
  findProviderByDomain,
  findProviderByMx,
  type MailProvider,
  type MailServer,
  mailProviders,
  type ProviderKey,
} from '../../../contract/mail-providers.ts'
import { DnsError, type DnsResolver } from '../dns/resolver.ts'
import { getEmailDomain } from '../identity/email.ts'
import { type MailServers, parseClientConfig } from './parse-client-config.ts'

export type FoundServers = MailServers & {
  source: 'provider' | 'configuration' | 'srv' | 'guess'
  provider?: ProviderKey
}

type Network = {
  dns: DnsResolver
  /** Returns the document at a URL; undefined when there is none. */
  fetchText: (url: URL) => Promise<string | undefined>
  /** URL of the public database of configurations by domain; empty to use none. */
  databaseUrl: string
}

/**
 * Finds the mail servers of an email address. Tries the known provider of its domain or of its MX records, then the
 * configuration published for the domain or for its mail provider, then SRV records (RFC 6186, RFC 8314). Falls back to
 * the host names that most companies use.
 */
export async function findMailServers(email: string, network: Network): Promise<FoundServers> {
  const domain = getEmailDomain(email)
  const known = findProviderByDomain(domain)
  if (known) return toProviderServers(known, email, mailProviders[known])
  const mx = await emptyOnFailure(network.dns.mx(domain))
  const hosting = findProviderByMx(mx)
  if (hosting) {
    const provider: MailProvider = mailProviders[hosting]
    return toProviderServers(hosting, email, provider.companies ?? provider)
  }
  const published = await findConfiguration(email, [domain, ...listOrganizations(mx, domain)], network)
  if (published) return { source: 'configuration', ...published }
  const announced = await findSrv(network.dns, domain)
  const withUser = (server: MailServer) => ({ ...server, user: email })
  if (announced) {
    return { source: 'srv', smtp: withUser(announced.smtp), imap: withUser(announced.imap) }
  }
  return {
    source: 'guess',
    smtp: withUser({ host: `smtp.${domain}`, port: 587, tls: 'starttls' }),
    imap: withUser({ host: `imap.${domain}`, port: 993, tls: 'implicit' }),
  }
}

function toProviderServers(
  provider: ProviderKey,
  email: string,
  { smtp, imap }: Pick<MailProvider, 'smtp' | 'imap'>,
): FoundServers {
  const { usesLocalPart }: MailProvider = mailProviders[provider]
  const user = usesLocalPart ? email.slice(0, email.lastIndexOf('@')) : email
  return { source: 'provider', provider, smtp: { ...smtp, user: email }, imap: { ...imap, user } }
}

/** Returns the registrable domain of the first MX host, unless it is the domain itself. */
const listOrganizations = (mx: readonly string[], domain: string): string[] => {
  const found = mx.slice(0, 1).flatMap(host => getDomain(host) ?? [])
  return found.filter(organization => organization !== domain)
}

/** Queries all sources concurrently. Returns the first usable configuration, in the order of the sources. */
async function findConfiguration(
  email: string,
  domains: readonly string[],
  { fetchText, databaseUrl }: Network,
): Promise<MailServers | undefined> {
  const urls = domains.flatMap(domain => [
    `https://autoconfig.${domain}/mail/config-v1.1.xml`,
    `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml`,
    ...(databaseUrl ? [`${databaseUrl}/${domain}`] : []),
  ])
  const found = await Promise.all(
    urls.map(async url => {
      const xml = await fetchText(new URL(url))
      return xml === undefined ? undefined : parseClientConfig(xml, email)
    }),
  )
  return found.find(servers => servers !== undefined)
}

/** Ports that use implicit TLS even if the SRV record is for a service with STARTTLS. */
const implicitPorts = new Set([465, 993])

async function findSrv(
  dns: DnsResolver,
  domain: string,
): Promise<Record<'smtp' | 'imap', MailServer> | undefined> {
  const find = async (service: string, tls: MailServer['tls']): Promise<MailServer | undefined> => {
    const [record] = await emptyOnFailure(dns.srv(`_${service}._tcp.${domain}`))
    return record && { ...record, tls: implicitPorts.has(record.port) ? 'implicit' : tls }
  }
  const [submissions, submission, imaps, imap] = await Promise.all([
    find('submissions', 'implicit'),
    find('submission', 'starttls'),
    find('imaps', 'implicit'),
    find('imap', 'starttls'),
  ])
  const servers = { smtp: submissions ?? submission, imap: imaps ?? imap }
  return servers.smtp && servers.imap && { smtp: servers.smtp, imap: servers.imap }
}

/** Returns no records when DNS fails: another source may still list the servers. */
async function emptyOnFailure<T>(query: Promise<T[]>): Promise<T[]> {
  try {
    return await query
  } catch (error) {
    if (error instanceof DnsError) return []
    throw error
  }
}
