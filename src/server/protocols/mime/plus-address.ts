const MAX_LOCAL_LENGTH = 64 // RFC 5321 section 4.5.3.1.1

/**
 * The address with the token of a mail of ours behind a plus: what comes there is about that mail. The token is what
 * stands before the @ of its Message-ID. Just the address when it has no room for one.
 */
export function toPlusAddress(address: string, messageId: string): string {
  const at = address.lastIndexOf('@')
  const local = `${address.slice(0, at)}+${messageId.slice(1, messageId.lastIndexOf('@'))}`
  return local.length <= MAX_LOCAL_LENGTH ? local + address.slice(at) : address
}
