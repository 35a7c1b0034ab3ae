import type { Level, Row } from './lean-row.ts'
import { formatPerson, removeSignature } from './lean-shapes.ts'

/** Returns an object as lists show it, without the fields that only the tool for a single object returns. */
export function toListRow({ transcript: _, ...row }: Row, level: Level): Row {
  const shape = level === 'full' ? undefined : shapes[String(row.objectType)]
  return shape ? shape(row) : row
}

const shapes: Record<string, (row: Row) => Row> = {
  person: toPersonRow,
  conversation: toConversationRow,
  campaign: toCampaignRow,
  email_message: toEmailRow,
  timeline_entry: toTimelineRow,
}

/** Returns a person with name, address, company, campaigns and last contact. */
function toPersonRow({ id, objectType, title, phone, tags, prospects, ...row }: Row): Row {
  const { isOptedOut, optOutSource, lastContactedAt, lastRepliedAt } = row
  return {
    ...{ id, objectType, person: formatPerson(row), title, phone, tags, isOptedOut, optOutSource },
    ...{ lastContactedAt, lastRepliedAt, prospects },
  }
}

/**
 * Returns a conversation with the beginning of its last message. Tools accept the conversation's ID in place of the ID
 * of its prospect, person or draft.
 */
function toConversationRow({ prospectId, personId, draftIds, subject, ...row }: Row): Row {
  const lastMessage = row.lastMessage as Row
  const text = truncateText(lastMessage.text, 160)
  const { email: _, ...person } = (row.person ?? {}) as Row
  return {
    ...row,
    ...(!text && { subject }),
    ...(row.channel === 'linkedin'
      ? { draftIds }
      : { drafts: Array.isArray(draftIds) ? draftIds.length : undefined }),
    person: formatPerson(person) ? person : row.person,
    lastMessage: { ...lastMessage, text },
  }
}

/** Returns a campaign with its numbers, but without the reply rate and the fields that only get_campaign returns. */
function toCampaignRow({ schedule: _, settings: __, numbers, description, createdAt, ...row }: Row): Row {
  const { replyRate: ___, ...counts } = (numbers ?? {}) as Row
  return {
    ...row,
    ...(!row.launchedAt && { createdAt }),
    isEvergreen: undefined,
    numbers: counts,
    description: truncateText(description, 100),
  }
}

/**
 * Returns an email with its thread in place of its prospect. Truncates drafts, and omits the subject of replies.
 */
function toEmailRow({ prospectId, personId, ...row }: Row): Row {
  const isReply = /^re:/i.test(String(row.subject))
  return {
    ...row,
    ...(!row.emailThreadId && { prospectId, personId }),
    ...(row.status === 'draft' && {
      body: truncateText(row.body, 160),
      ...(isReply && { subject: undefined }),
    }),
  }
}

/** Returns an entry of a timeline, without the signature of sent emails. */
function toTimelineRow({ url: _, prospectId, linkedinConversationId, ...row }: Row): Row {
  const isSent = row.type === 'email' && row.direction === 'out'
  return {
    ...row,
    ...(row.type !== 'prospect' && !row.emailThreadId && { prospectId }),
    linkedinConversationId,
    ...(isSent && { text: removeSignature(String(row.text ?? ''), row.repName) }),
  }
}

export const truncateText = (text: unknown, length: number): string => {
  const whole = String(text ?? '')
  return whole.length <= length ? whole : `${whole.slice(0, length).toWellFormed().trimEnd()}…`
}
