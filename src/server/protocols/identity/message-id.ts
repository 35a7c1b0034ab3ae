/**
 * Repeats our Message-ID in a header that servers don't rewrite. When one replaces the Message-ID, bounces, complaints and
 * the copy in the Sent folder still identify the mail.
 */
export const sentIdHeader = 'X-Sent-Message-ID'

/** Returns all message IDs in a header, in order, ignoring everything else. */
export function parseMessageIds(header: string): string[] {
  return header.match(/<[!-;=?-~]{1,500}>/g) ?? []
}
