import { isIPv6 } from 'node:net'
import { stripPort } from '../../kernel/net/strip-port.ts'

/**
 * Returns what limits count by: an IPv4 address unchanged, an IPv6 address as its /64 network, because one customer
 * usually holds the whole network. A port in an address that a proxy reports does not count.
 */
export function toNetwork(given: string): string {
  const address = stripPort(given)
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address
  const [head, tail] = address.split('%')[0]!.split('::')
  const [left, right] = [head, tail].map(part => (part ? part.split(':') : []))
  const zeros = Array<string>(8 - left!.length - right!.length).fill('0')
  return [...left!, ...zeros, ...right!].slice(0, 4).join(':')
}
