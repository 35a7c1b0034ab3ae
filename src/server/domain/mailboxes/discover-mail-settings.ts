import type { Input, Output } from '../../../contract/index.ts'
import { type MailProvider, mailProviders } from '../../../contract/mail-providers.ts'
import type { App } from '../../kernel/context.ts'
import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import { findMailServers } from '../../protocols/autoconfig/find-mail-servers.ts'
import { openDns } from '../../protocols/dns/resolver.ts'
import { requireEmail } from '../../protocols/identity/email.ts'

export async function discoverMailSettings(
  { app: { config } }: { app: Pick<App, 'config'> },
  { email: given }: Input<'discoverMailSettings'>,
): Promise<Output<'discoverMailSettings'>> {
  const email = requireEmail(given)
  const databaseUrl = config.mailSettingsUrl
  // The operator chose the database, so it may be private; every other host comes from the address.
  const fetchText = async (url: URL): Promise<string | undefined> => {
    const isDatabase = databaseUrl !== '' && url.href.startsWith(`${databaseUrl}/`)
    try {
      const response = await fetchOutbound(url, isDatabase || config.privateHosts, {
        headers: { accept: 'text/xml, application/xml' },
      })
      return response.ok ? await response.text() : undefined
    } catch {
      return undefined
    }
  }
  using dns = openDns(config.dnsServers)
  const { provider, ...found } = await findMailServers(email, { dns, fetchText, databaseUrl })
  const { advice }: Partial<MailProvider> = provider ? mailProviders[provider] : {}
  return { ...found, ...(provider && { provider }), ...(advice && { advice }) }
}
