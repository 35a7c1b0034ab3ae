import { isIP } from 'node:net'
import { isPublicAddress } from './outbound-host.ts'

/** Names that the internet doesn't resolve: those of RFC 2606, 6761, 6762, 8375 and 9476, and common private ones. */
const privateName =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|home\.arpa|corp|private|test|example|invalid|onion)$/

/** Reports whether a host, as written in a URL, can exist on the internet. Makes no DNS query. */
export function isInternetHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  if (isIP(name)) return isPublicAddress(name)
  return name.includes('.') && !privateName.test(name)
}
