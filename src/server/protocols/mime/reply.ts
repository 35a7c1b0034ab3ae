/** How mail programs mark an answer, in the languages that do not write "Re". "Ref:" is no such mark. */
const replyMarks =
  /^(?:(?:re|aw|antw|sv|vs|odp|res|rif|ynt|vá|απ|回复|答复|回覆|답장)(?: ?[[(^]?\d{1,3}[\])]?)? ?[:：] ?)+/iu

/**
 * Repeats our Message-ID in a header that servers leave alone: where one puts its own in place of ours, what comes
 * back of the mail (a bounce, a complaint, the copy in the Sent folder) still tells which one it was.
 */
export const sentIdHeader = 'X-Sent-Message-ID'

const maxSubjectLength = 998
const maxReferences = 50

/** The subject of an answer: exactly one `Re:`, whatever pile of marks the parent had. */
export function toReplySubject(subject: string): string {
  const rest = subject
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(replyMarks, '')
  return `Re: ${rest}`.slice(0, maxSubjectLength).trimEnd()
}

/** Every message id in a header, in order; what is no id (text, letters outside ASCII) is dropped. */
export function parseMessageIds(header: string): string[] {
  return header.match(/<[!-;=?-~]{1,500}>/g) ?? []
}

/**
 * The References of an answer (RFC 5322 section 3.6.4): the parent's own, then the parent. Long
 * threads keep the first, which names the thread, and the latest.
 */
export function toReplyReferences(parent: {
  messageId: string
  references?: string | undefined
  inReplyTo?: string | undefined
}): string[] {
  const [parentId] = parseMessageIds(parent.messageId)
  const inReplyTo = parseMessageIds(parent.inReplyTo ?? '')
  const earlier = parseMessageIds(parent.references ?? '')
  // In-Reply-To stands in only when it names one parent: with several, their order is unknown
  const before = earlier.length > 0 ? earlier : inReplyTo.length === 1 ? inReplyTo : []
  const ids = [...new Set(before)].filter(id => id !== parentId)
  if (parentId) ids.push(parentId)
  return ids.length <= maxReferences ? ids : [ids[0]!, ...ids.slice(1 - maxReferences)]
}
