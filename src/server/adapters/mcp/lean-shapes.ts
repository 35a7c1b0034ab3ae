import type { Level, Row } from './lean-row.ts'

/** Returns an object with the fields that tools show of its type, where these differ from the API's. */
export function reshape(row: Row, level: Level): Row {
  const shape = shapes[String(row.objectType)]
  return shape ? shape(row, level) : row
}

/** Returns an object as lists show it, without the fields that only the tool for a single object returns. */
export function toListRow({ transcript: _, ...row }: Row, level: Level): Row {
  return row.objectType === 'person' && level !== 'full' ? toPersonRow(row) : row
}

/** A person with name, address, company, campaigns and last contact. */
function toPersonRow({ id, objectType, title, phone, tags, isOptedOut, prospects, ...row }: Row): Row {
  const { lastContactedAt, lastRepliedAt } = row
  return {
    ...{
      id,
      objectType,
      person: toPerson(row),
      title,
      phone,
      tags,
      isOptedOut,
      lastContactedAt,
      lastRepliedAt,
    },
    prospects,
  }
}

const shapes: Record<string, (row: Row, level: Level) => Row> = {
  email_message: toMail,
  conversation: toConversation,
  prospect: ({ person, ...row }) => ({ ...row, person: toPerson(person) }),
  task: toTask,
  call: toCall,
  mailbox: toMailbox,
  campaign_forecast: toForecast,
  campaign: toCampaign,
  account: toAccount,
}

/** After a change, a campaign without what the caller sent or can read with get_campaign. */
function toCampaign({ steps, schedule, description, ...row }: Row, level: Level): Row {
  if (level !== 'brief') return { ...row, steps, schedule, description }
  const ids = (steps as Row[] | undefined)?.map(({ id, position, channel }) => ({ id, position, channel }))
  return { ...row, steps: ids }
}

/** After a change, whether the account is paused. */
function toAccount(
  { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight, ...row }: Row,
  level: Level,
): Row {
  const state = { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight }
  return level === 'brief' ? state : { ...row, ...state }
}

/** A forecast with the number of emails by day; by mailbox only in full. */
function toForecast({ days, ...forecast }: Row, level: Level): Row {
  if (level === 'full') return { ...forecast, days }
  return { ...forecast, days: Object.fromEntries((days as Row[]).map(({ date, emails }) => [date, emails])) }
}

/**
 * A conversation with the fields of its last message; after a change only its state. Its id is that of the thread or
 * LinkedIn conversation, which tools accept in place of its last message.
 */
function toConversation(row: Row, level: Level): Row {
  const { id, status, needsReply, isUnread, snoozedUntil, tags, assignee, ...rest } = row
  const state = { status, needsReply, isUnread, snoozedUntil, tags, assignee: toName(assignee) }
  if (level === 'brief') return { id, ...state }
  const { channel, emailThreadId: _, linkedinConversationId: __, createdAt: ___, ...facts } = rest
  const { campaign, rep, person, lastMessage, ...others } = facts
  const { direction, at, text } = lastMessage as Row
  return {
    id,
    ...(channel !== 'email' && { channel }),
    ...{ at, direction, campaignId: (campaign as Row | undefined)?.id },
    ...{ campaignName: toName(campaign), repName: toName(rep) },
    ...others,
    ...state,
    person: toPerson(person),
    text,
  }
}

const toName = (named: unknown): unknown => (named as Row | undefined)?.name

/** `Ada Byron <ada@navy.example>, Navy` */
function toPerson(person: unknown): unknown {
  const { firstName, lastName, email, company } = (person ?? {}) as Record<string, string | undefined>
  const name = [firstName, lastName].filter(Boolean).join(' ')
  return [email ? toAddress({ name, email }) : name, company].filter(Boolean).join(', ')
}

/** An email with people as `Ada <ada@acme.example>`, its intent, and only its new text unless `level` is `full`. */
function toMail(row: Row, level: Level): Row {
  const { body, newText, reply, from, recipients, prospectName, receivedKind, ...rest } = row
  const isReceived = row.type === 'received'
  const { intent, notNowUntil, referral, draft } = (reply ?? {}) as Row & { draft?: Row }
  const people = Object.values((recipients ?? {}) as Record<string, Contact[]>).flat()
  const isNamed = [from as Contact | null, ...people].some(contact => contact?.name === prospectName)
  return {
    ...rest,
    ...(isReceived && { status: undefined }),
    ...(receivedKind !== 'reply' && { receivedKind }),
    ...(!isNamed && { prospectName }),
    intent,
    notNowUntil,
    referral,
    ...(draft?.state === 'waiting'
      ? { draftId: draft.emailMessageId }
      : draft?.state !== 'none' && { draft }),
    // The rep's name already identifies the sender, or the only recipient.
    ...(isReceived && { from: toAddress(from as Contact | null) }),
    ...((!isReceived || people.length > 1) && { recipients: mapLists(recipients) }),
    text: isReceived ? (level === 'full' ? body : (newText ?? body)) : cutFooter(String(body)),
  }
}

type Contact = { name?: string; email: string }
const toAddress = (contact: Contact | null): string =>
  contact
    ? contact.name && contact.name !== contact.email
      ? `${contact.name} <${contact.email}>`
      : contact.email
    : ''

const mapLists = (recipients: unknown): Row =>
  Object.fromEntries(
    Object.entries((recipients ?? {}) as Record<string, Contact[]>).map(([list, contacts]) => [
      list,
      contacts.map(toAddress),
    ]),
  )

/** Cuts the opt-out line of a campaign email and the postal address below it. */
function cutFooter(body: string): string {
  const link = body.search(/\/u\/[\w-]{60}/)
  if (link === -1) return body
  const start = Math.max(body.lastIndexOf('\n\n', link), body.lastIndexOf('\n<p><small>', link))
  return start === -1 ? body : body.slice(0, start)
}

/** A task with only the contact details that its channel uses. */
function toTask({ email, phone, linkedinUrl, stepId: _, ...row }: Row): Row {
  const channel = String(row.channel)
  if (channel.startsWith('linkedin')) return { ...row, linkedinUrl }
  return { ...row, ...(channel === 'call' && { phone }), ...(channel === 'email' && { email }) }
}

/** A call without the number of the rep, which calls logged by hand don't have. */
function toCall({ from, to, ...row }: Row): Row {
  return { ...row, phoneNumber: row.callType === 'inbound' ? from : to }
}

/** A mailbox without its servers, and with one reason for its status. */
function toMailbox({ smtp: _, imap: __, health, senderName, ...row }: Row): Row {
  const { reason, ...rest } = (health ?? {}) as Row
  return {
    ...row,
    ...(senderName !== row.repName && { senderName }),
    health: { ...rest, ...(reason !== row.statusReason && { reason }) },
  }
}
