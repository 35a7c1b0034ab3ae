import { isIPv6 } from 'node:net'
import { stripPort } from '../../kernel/net/strip-port.ts'

/**
 * Returns the key for limits per address: an IPv4 address, or the /64 network of an IPv6 address, which usually belongs
 * to one customer. Ignores a port that a proxy has appended.
 */
export function toNetwork(remoteAddress: string): string {
  const address = stripPort(remoteAddress)
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [head, tail] = address.split('%')[0]!.split('::')
  const [left, right] = [head, tail].map(part => (part ? part.split(':') : []))
  const zeros = Array<string>(8 - left!.length - right!.length).fill('0')
  return [...left!, ...zeros, ...right!].slice(0, 4).join(':')
}
