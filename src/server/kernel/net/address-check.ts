import { BlockList, isIP } from 'node:net'
import { stripPort } from './strip-port.ts'

/** Returns a function that checks whether an address is in one of the ranges. An IPv4 address may be mapped to IPv6. */
export function createAddressCheck(ranges: string[]): (address: string) => boolean {
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
