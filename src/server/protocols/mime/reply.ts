import { parseMessageIds } from '../identity/message-id.ts'

/** Reply prefixes of email clients in many languages. "Ref:" is not one. */
const replyPrefixes =
  /^(?:(?:re|aw|antw|sv|vs|odp|res|rif|ynt|vá|απ|回复|答复|回覆|답장)(?: ?[[(^]?\d{1,3}[\])]?)? ?[:：] ?)+/iu

const maxSubjectLength = 998
const maxReferences = 50

/** Returns the subject of a reply with exactly one `Re:`, regardless of the parent's prefixes. */
export function toReplySubject(subject: string): string {
  const rest = subject
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(replyPrefixes, '')
  return `Re: ${rest}`.slice(0, maxSubjectLength).trimEnd()
}

/**
 * Returns the References of a reply (RFC 5322 section 3.6.4): those of the parent, then the parent's ID. Long threads
 * keep the first ID, which identifies the thread, and the latest ones.
 */
export function toReplyReferences(parent: {
  messageId: string
  references?: string | undefined
  inReplyTo?: string | undefined
}): string[] {
  const [parentId] = parseMessageIds(parent.messageId)
  const inReplyTo = parseMessageIds(parent.inReplyTo ?? '')
  const earlier = parseMessageIds(parent.references ?? '')
  // In-Reply-To is a fallback only when it names one parent: the order of several is unknown.
  const ancestors = earlier.length > 0 ? earlier : inReplyTo.length === 1 ? inReplyTo : []
  const ids = [...new Set(ancestors)].filter(id => id !== parentId)
  if (parentId) ids.push(parentId)
  return ids.length <= maxReferences ? ids : [ids[0]!, ...ids.slice(1 - maxReferences)]
}
