type MailServer = { host: string; port: number; tls: 'implicit' | 'starttls' | 'none' }
export type MailServers = { smtp: MailServer; imap: MailServer }

const mailServerUrl = /^(smtp|imap)(s?):\/\/([^\s/:?]+):(\d{1,5})(\?tls=none)?$/

/**
 * Parses the URLs of an SMTP and an IMAP server, separated by a comma. Returns undefined unless there is one of each.
 * smtps:// and imaps:// mean TLS from the first byte; smtp:// and imap:// mean STARTTLS, or plain text with
 * `?tls=none`.
 */
export function parseMailServers(urls: string): MailServers | undefined {
  const servers = new Map<string, MailServer>()
  for (const url of urls.split(',')) {
    const [, protocol, implicit, host, port, plain] = mailServerUrl.exec(url.trim()) ?? []
    if (!protocol || !host) return undefined
    servers.set(protocol, {
      host,
      port: Number(port),
      tls: plain ? 'none' : implicit ? 'implicit' : 'starttls',
    })
  }
  const [smtp, imap] = [servers.get('smtp'), servers.get('imap')]
  return smtp && imap && { smtp, imap }
}
