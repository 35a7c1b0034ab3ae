/**
 * Repeats our Message-ID in a header that servers leave alone: where one puts its own in place of ours, what comes
 * back of the mail (a bounce, a complaint, the copy in the Sent folder) still tells which one it was.
 */
export const sentIdHeader = 'X-Sent-Message-ID'

/** Every message id in a header, in order; what is no id (text, letters outside ASCII) is dropped. */
export function parseMessageIds(header: string): string[] {
  return header.match(/<[!-;=?-~]{1,500}>/g) ?? []
}
