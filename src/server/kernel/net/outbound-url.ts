import { isIP } from 'node:net'
import { AppError, invalid } from '../errors.ts'
import { isPublicAddress, normalizeHost, toHostname } from './outbound-host.ts'

/**
 * Parses a URL that a user supplied in `field` and returns its canonical spelling. Only hosts in `privateHosts` may use
 * http or a private address. Names are checked again when each request resolves them.
 */
export function parseOutboundUrl(field: string, text: string, privateHosts: readonly string[]): string {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw invalid(field, 'must be a URL that starts with https://')
  }
  if (url.username || url.password || url.hash) {
    throw invalid(field, 'must not contain a user, password or #fragment')
  }
  const host = parseHost(field, url)
  const isAllowed = privateHosts.some(name => name.toLowerCase() === host)
  if (url.protocol === 'http:' && !isAllowed) throw invalid(field, 'must start with https://')
  if (isIP(host) && !isAllowed && !isPublicAddress(host)) {
    throw invalid(field, `${host} is a private or reserved address; the operator of this server can allow it`)
  }
  return url.href
}

function parseHost(field: string, url: URL): string {
  try {
    return normalizeHost(toHostname(url))
  } catch (error) {
    if (error instanceof AppError) throw invalid(field, `its host ${error.details?.[0]?.message}`)
    throw error
  }
}
