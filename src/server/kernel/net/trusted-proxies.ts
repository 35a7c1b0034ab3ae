import { BlockList, isIP } from 'node:net'
import { stripPort } from './strip-port.ts'

/** An address, or a range as in 10.1.0.0/16; not all addresses there are, whose word would be worth nothing. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const mostBits = { 4: 32, 6: 128 }[isIP(address)]
  if (mostBits === undefined || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= mostBits)
}

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
