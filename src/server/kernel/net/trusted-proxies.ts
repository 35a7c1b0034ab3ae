import { BlockList, isIP } from 'node:net'
import { stripPort } from './strip-port.ts'

/** Whether an address is of a reverse proxy, whose word on where a request comes from is taken. */
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
    const kind = isIP(address)
    return kind !== 0 && list.check(address, kind === 4 ? 'ipv4' : 'ipv6')
  }
}
