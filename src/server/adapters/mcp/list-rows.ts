import type { Level, Row } from './lean-row.ts'
import { cutSignature, toPerson } from './lean-shapes.ts'

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

/** A person with name, address, company, campaigns and last contact. */
function toPersonRow({ id, objectType, title, phone, tags, isOptedOut, prospects, ...row }: Row): Row {
  const { lastContactedAt, lastRepliedAt } = row
  return {
    ...{ id, objectType, person: toPerson(row), title, phone, tags, isOptedOut, lastContactedAt },
    ...{ lastRepliedAt, prospects },
  }
}

/**
 * A conversation with the beginning of its last message. Tools take its id in place of its prospect, person and draft.
 */
function toConversationRow({ prospectId, personId, draftIds, subject, ...row }: Row): Row {
  const lastMessage = row.lastMessage as Row
  const text = cutText(lastMessage.text, 160)
  const { email: _, ...person } = (row.person ?? {}) as Row
  return {
    ...row,
    ...(!text && { subject }),
    ...(row.channel === 'linkedin'
      ? { draftIds }
      : { drafts: Array.isArray(draftIds) ? draftIds.length : undefined }),
    person: toPerson(person) ? person : row.person,
    lastMessage: { ...lastMessage, text },
  }
}

/** A campaign without the fields that only get_campaign returns, with rates beside the numbers. */
function toCampaignRow({ schedule: _, settings: __, numbers, description, createdAt, ...row }: Row): Row {
  const { replyRate: ___, ...counts } = (numbers ?? {}) as Row
  return {
    ...row,
    ...(!row.launchedAt && { createdAt }),
    isEvergreen: undefined,
    numbers: counts,
    description: cutText(description, 100),
  }
}

/** An email whose thread stands for its prospect. Drafts are cut, and answers have the subject of their thread. */
function toEmailRow({ prospectId, personId, ...row }: Row): Row {
  const isAnswer = /^re:/i.test(String(row.subject))
  return {
    ...row,
    ...(!row.emailThreadId && { prospectId, personId }),
    ...(row.status === 'draft' && { body: cutText(row.body, 160), ...(isAnswer && { subject: undefined }) }),
  }
}

/** An entry of a timeline, without the signature and footer of what was sent. */
function toTimelineRow({ url: _, prospectId, linkedinConversationId, ...row }: Row): Row {
  const isSent = row.type === 'email' && row.direction === 'out'
  return {
    ...row,
    ...(row.type !== 'prospect' && !row.emailThreadId && { prospectId }),
    linkedinConversationId,
    ...(isSent && { text: cutSignature(String(row.text ?? ''), row.repName) }),
  }
}

export const cutText = (text: unknown, length: number): string => {
  const whole = String(text ?? '')
  return whole.length <= length ? whole : `${whole.slice(0, length).toWellFormed().trimEnd()}…`
}
