import { isIP } from 'node:net'
import { AppError, invalid } from '../errors.ts'
import { isPublicAddress, normalizeHost, toHostname } from './outbound-host.ts'

/**
 * An address that a user gave in the field of that name, in one spelling. It has https; without, and at a private
 * address, only hosts that the operator of this server named may be. A name is looked up with each request, anew.
 */
export function parseOutboundUrl(field: string, text: string, privateHosts: readonly string[]): string {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw invalid(field, 'must be an address that starts with https://')
  }
  if (url.username || url.password || url.hash) {
    throw invalid(field, 'must have neither user, password nor #fragment')
  }
  const host = readHost(field, url)
  const isNamed = privateHosts.some(name => name.toLowerCase() === host)
  if (url.protocol === 'http:' && !isNamed) throw invalid(field, 'must start with https://')
  if (isIP(host) && !isNamed && !isPublicAddress(host)) {
    throw invalid(field, `${host} is a private or reserved address; the operator of this server can allow it`)
  }
  return url.href
}

function readHost(field: string, url: URL): string {
  try {
    return normalizeHost(toHostname(url))
  } catch (fault) {
    if (fault instanceof AppError) throw invalid(field, `its host ${fault.details?.[0]?.message}`)
    throw fault
  }
}
