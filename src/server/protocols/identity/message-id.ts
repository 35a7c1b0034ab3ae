/**
 * Header with a copy of our Message-ID. It identifies the email in bounces, complaints and the Sent folder if a server
 * has replaced the Message-ID.
 */
export const sentIdHeader = 'X-Sent-Message-ID'

/** Returns all message IDs in a header, in order, ignoring everything else. */
export function parseMessageIds(header: string): string[] {
  return header.match(/<[!-;=?-~]{1,500}>/g) ?? []
}
