import { BlockList, isIP } from 'node:net'
import { stripPort } from './strip-port.ts'

/** True for an IP address or a CIDR range such as 10.1.0.0/16, except /0, which would trust everyone. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = { 4: 32, 6: 128 }[isIP(address)]
  if (maxBits === undefined || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits)
}

/** Returns a function that tells whether an address is a trusted proxy. */
export function createProxyCheck(ranges: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return text => {
    const [address = ''] = stripPort(text).split('%')
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
  }
}
