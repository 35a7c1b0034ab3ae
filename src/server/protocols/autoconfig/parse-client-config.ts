import type { MailServer } from '../../../contract/mail-providers.ts'
import { asciiDomain } from '../identity/domain.ts'
import { type Element, getText, listDescendants, parseXml } from '../xml/elements.ts'

export type ServerWithUser = MailServer & { user: string }
export type MailServers = { smtp: ServerWithUser; imap: ServerWithUser }

const tlsModes: Record<string, MailServer['tls']> = { SSL: 'implicit', STARTTLS: 'starttls' }

/**
 * Parses Thunderbird's client configuration (https://wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat)
 * for an address. Returns undefined unless it names encrypted servers for both SMTP and IMAP.
 */
export function parseClientConfig(xml: string, email: string): MailServers | undefined {
  const elements = listDescendants(parseXml(xml))
  const find = (name: string, type: string): ServerWithUser | undefined => {
    for (const element of elements) {
      if (element.name !== name || element.attribs.type !== type) continue
      const server = parseServer(element, email)
      if (server) return server
    }
    return undefined
  }
  const smtp = find('outgoingServer', 'smtp')
  const imap = find('incomingServer', 'imap')
  return smtp && imap && { smtp, imap }
}

function parseServer(element: Element, email: string): ServerWithUser | undefined {
  const get = (name: string) => getText(element, name)
  const host = asciiDomain(expand(get('hostname'), email))
  const port = Number(get('port'))
  const tls = tlsModes[get('socketType').toUpperCase()]
  if (!host || !tls || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  return { host, port, tls, user: expand(get('username'), email).slice(0, 320) || email }
}

function expand(text: string, email: string): string {
  const at = email.lastIndexOf('@')
  return text
    .replaceAll('%EMAILADDRESS%', email)
    .replaceAll('%EMAILLOCALPART%', email.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', email.slice(at + 1))
}
