import { isIP } from 'node:net'

/** An address, or a range as in 10.1.0.0/16; not all addresses there are, whose word would be worth nothing. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const mostBits = { 4: 32, 6: 128 }[isIP(address)]
  if (mostBits === undefined || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= mostBits)
}
