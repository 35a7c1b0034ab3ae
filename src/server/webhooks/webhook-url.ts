import { isIP } from 'node:net'
import { AppError, invalid } from '../errors.ts'
import { hostOf, isPublicAddress, normalizeHost } from '../outbound-host.ts'

/**
 * The address in one spelling. It has https; without, and at a private address, only hosts that the operator of this
 * server named may be. A name is looked up when something is posted to it, each time anew.
 */
export function readWebhookUrl(text: string, privateHosts: readonly string[]): string {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw invalid('url', 'must be an address that starts with https://')
  }
  if (url.username || url.password || url.hash) {
    throw invalid('url', 'must have neither user, password nor #fragment')
  }
  const host = readHost(url)
  const isNamed = privateHosts.some(name => name.toLowerCase() === host)
  if (url.protocol === 'http:' && !isNamed) throw invalid('url', 'must start with https://')
  if (isIP(host) && !isNamed && !isPublicAddress(host)) {
    throw invalid('url', `${host} is a private or reserved address; the operator of this server can allow it`)
  }
  return url.href
}

function readHost(url: URL): string {
  try {
    return normalizeHost(hostOf(url))
  } catch (fault) {
    if (fault instanceof AppError) throw invalid('url', `its host ${fault.details?.[0]?.message}`)
    throw fault
  }
}
