const MAX_LOCAL_LENGTH = 64 // RFC 5321 section 4.5.3.1.1

/**
 * Appends `+token` to the local part of an address, so that the address of a reply identifies the original email. The
 * token is the local part of the original's Message-ID. Returns the address unchanged when the result would be too
 * long.
 */
export function toPlusAddress(address: string, messageId: string): string {
  const at = address.lastIndexOf('@')
  const local = `${address.slice(0, at)}+${messageId.slice(1, messageId.lastIndexOf('@'))}`
  return local.length <= MAX_LOCAL_LENGTH ? local + address.slice(at) : address
}
