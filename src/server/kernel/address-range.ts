import { isIP } from 'node:net'

/**
 * Returns whether the text is an IP address or a CIDR range such as 10.1.0.0/16, except /0, which would trust
 * everyone.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = { 4: 32, 6: 128 }[isIP(address)]
  if (maxBits === undefined || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits)
}
