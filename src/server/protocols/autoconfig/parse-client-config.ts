import { parseDocument } from 'htmlparser2'
import type { MailServer } from '../../../contract/mail-providers.ts'

export type ServerWithUser = MailServer & { user: string }
export type MailServers = { smtp: ServerWithUser; imap: ServerWithUser }

type Node = ReturnType<typeof parseDocument>['children'][number]
type Element = Extract<Node, { attribs: object }>

const isElement = (node: Node): node is Element => 'attribs' in node

const tlsModes: Record<string, MailServer['tls']> = { SSL: 'implicit', STARTTLS: 'starttls' }

/**
 * Parses Thunderbird's client configuration (https://wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat) for
 * an address. Returns undefined unless it names encrypted servers for both directions. Entities that the document
 * declares itself are not expanded.
 */
export function parseClientConfig(xml: string, email: string): MailServers | undefined {
  const elements = listElements(parseDocument(xml, { xmlMode: true }).children)
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
  const get = (name: string) => getText(element.children, name)
  const host = expand(get('hostname'), email).toLowerCase()
  const port = Number(get('port'))
  const tls = tlsModes[get('socketType').toUpperCase()]
  if (!tls || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  if (host.length > 253 || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host)) return undefined
  return { host, port, tls, user: expand(get('username'), email).slice(0, 320) || email }
}

const listElements = (nodes: readonly Node[]): Element[] =>
  nodes.filter(isElement).flatMap(element => [element, ...listElements(element.children)])

function getText(nodes: readonly Node[], name: string): string {
  const found = nodes.filter(isElement).find(element => element.name === name)
  return (found?.children ?? [])
    .map(node => ('data' in node ? node.data : ''))
    .join('')
    .trim()
}

function expand(text: string, email: string): string {
  const at = email.lastIndexOf('@')
  return text
    .replaceAll('%EMAILADDRESS%', email)
    .replaceAll('%EMAILLOCALPART%', email.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', email.slice(at + 1))
}
