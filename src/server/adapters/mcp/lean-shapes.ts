import type { Level, Row } from './lean-row.ts'

/** Converts an object to the fields that tools return for its type. Returns objects of other types unchanged. */
export function reshape(row: Row, level: Level): Row {
  const shape = shapes[String(row.objectType)]
  return shape ? shape(row, level) : row
}

const shapes: Record<string, (row: Row, level: Level) => Row> = {
  email_message: toEmail,
  conversation: toConversation,
  prospect: toProspect,
  task: toTask,
  call: toCall,
  mailbox: toMailbox,
  campaign_forecast: toForecast,
  campaign: toCampaign,
  account: toAccount,
  person: toPerson,
}

/**
 * Omits `isOptedOut` for a person whose email only bounced: they did not opt out, and `optOutSource` gives the
 * reason.
 */
function toPerson({ isOptedOut, ...row }: Row): Row {
  return row.optOutSource === 'bounce' ? row : { ...row, isOptedOut }
}

/** Returns a prospect. If it bounced, `bounceReason` is a code or the mail server's response. */
function toProspect({ person, statusReason, ...row }: Row): Row {
  const reason = row.status === 'bounced' ? { bounceReason: statusReason } : { statusReason }
  return { ...row, ...reason, person: formatPerson(person) }
}

/**
 * Omits a campaign's steps, schedule, description and settings after a change, because the tool adds the relevant
 * ones.
 */
function toCampaign({ steps, schedule, description, settings, ...row }: Row, level: Level): Row {
  return level === 'brief' ? row : { ...row, steps, schedule, description, settings }
}

/** Returns an account; after a change, only whether it is paused. */
function toAccount(
  { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight, ...row }: Row,
  level: Level,
): Row {
  const state = { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight }
  return level === 'brief' ? state : { ...row, ...state }
}

/**
 * Returns a forecast with emails by day. Mailboxes, and a bottleneck that delays nothing, are included only at
 * level `full`.
 */
function toForecast({ days, ...forecast }: Row, level: Level): Row {
  if (level === 'full') return { ...forecast, days }
  const { mailboxes: _, endsAfterHorizon, remainingEmails, bottleneck, ...rest } = forecast
  return {
    ...rest,
    ...(endsAfterHorizon === true && { endsAfterHorizon }),
    ...(remainingEmails !== 0 && { remainingEmails }),
    ...((bottleneck as Row).limit !== 'none' && { bottleneck }),
    days: Object.fromEntries((days as Row[]).map(({ date, emails }) => [date, emails])),
  }
}

/**
 * Returns a conversation with the fields of its last message; after a change, only its state. The ID is that of the
 * email thread or LinkedIn conversation, and tools also accept it in place of the last message's ID.
 */
function toConversation(row: Row, level: Level): Row {
  const { id, status, needsReply, isUnread, snoozedUntil, tags, assignee, ...rest } = row
  const state = { status, needsReply, isUnread, snoozedUntil, tags, assignee: toName(assignee) }
  if (level === 'brief') return { id, ...state }
  const { channel, emailThreadId: _, linkedinConversationId: __, createdAt: ___, ...details } = rest
  const { campaign, rep, person, lastMessage, ...others } = details
  const { direction, at, text } = lastMessage as Row
  return {
    id,
    ...(channel !== 'email' && { channel }),
    ...{ at, direction, campaignId: (campaign as Row | undefined)?.id },
    ...{ campaignName: toName(campaign), repName: toName(rep) },
    ...others,
    ...state,
    person: formatPerson(person),
    text,
  }
}

export const toName = (named: unknown): unknown => (named as Row | undefined)?.name

/** Returns a string such as `Ada Byron <ada@navy.example>, Navy`. */
export function formatPerson(person: unknown): unknown {
  const { firstName, lastName, email, company } = (person ?? {}) as Record<string, string | undefined>
  const name = [firstName, lastName].filter(Boolean).join(' ')
  return [email ? formatContact({ name, email }) : name, company].filter(Boolean).join(', ')
}

/**
 * Returns an email with contacts such as `Ada <ada@acme.example>`, its intent, and only its new text unless
 * `level` is `full`.
 */
function toEmail(row: Row, level: Level): Row {
  const { body, newText, reply, from, recipients, prospectName, receivedKind, isOutdated, ...rest } = row
  const isReceived = row.type === 'received'
  const { intent, notNowUntil, referral, draft } = (reply ?? {}) as Row & { draft?: Row }
  const people = Object.values((recipients ?? {}) as Record<string, Contact[]>).flat()
  const isNamed = [from as Contact | null, ...people].some(contact => contact?.name === prospectName)
  return {
    ...rest,
    answeredSince: isOutdated,
    ...(isReceived && { status: undefined }),
    // A queued draft is no longer shown as a draft.
    ...(row.status === 'draft' && row.deliveryStatus === 'queued' && queued),
    ...(receivedKind !== 'reply' && { receivedKind }),
    ...(!isNamed && { prospectName }),
    intent,
    notNowUntil,
    referral,
    ...(draft?.state === 'waiting'
      ? { draftId: draft.emailMessageId }
      : draft?.state !== 'none' && { draft }),
    // The rep's name already identifies the sender, or the only recipient.
    ...(isReceived && { from: formatContact(from as Contact | null) }),
    ...((!isReceived || people.length > 1) && toRecipients(recipients)),
    text: isReceived ? (level === 'full' ? body : (newText ?? body)) : toSentText(String(body), row, level),
  }
}

const queued = { status: 'queued', deliveryStatus: undefined }

type Contact = { name?: string; email: string }
const formatContact = (contact: Contact | null): string =>
  contact
    ? contact.name && contact.name !== contact.email
      ? `${contact.name} <${contact.email}>`
      : contact.email
    : ''

/** Returns `recipient` if there is only one, else all lists of recipients. */
function toRecipients(recipients: unknown): Row {
  const lists = Object.entries((recipients ?? {}) as Record<string, Contact[]>)
    .filter(([, contacts]) => contacts.length > 0)
    .map(([list, contacts]) => [list, contacts.map(formatContact)] as const)
  const [[list, addresses] = [], ...others] = lists
  if (list === 'to' && addresses?.length === 1 && others.length === 0) return { recipient: addresses[0] }
  return { recipients: Object.fromEntries(lists) }
}

/** Removes the opt-out line of a campaign email and the postal address below it. */
export function removeFooter(body: string): string {
  const link = body.search(/\/u\/(?:[\w-]{27}|preview\b)/)
  if (link === -1) return body
  const start = Math.max(body.lastIndexOf('\n\n', link), body.lastIndexOf('\n<p><small>', link))
  return start === -1 ? body : body.slice(0, start)
}

/**
 * Returns the text of a sent email; after a change, only its beginning. Drafts are returned whole, because someone has
 * to approve them.
 */
function toSentText(body: string, { repName, status }: Row, level: Level): string {
  if (status === 'draft') return body
  const text = removeSignature(removeFooter(body), repName)
  return level === 'brief' && text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}

/**
 * Removes a signature that begins with the sender's name and ends the text: lines that follow the name on a line of its
 * own, without a blank line between them. In a text without line breaks, it follows a sentence and contains none.
 */
export function removeSignature(text: string, name: unknown): string {
  if (typeof name !== 'string' || name === '') return text
  const start = text.search(
    text.includes('\n')
      ? RegExp(`\\n${RegExp.escape(name)}(?:\\n[^\\S\\n]*\\S.*)+\\s*$`)
      : RegExp(`(?<=[.!?]) ${RegExp.escape(name)}(?![\\p{L}\\p{N}])(?!.*[.!?](?:\\s|$))`, 'u'),
  )
  return start > 0 && text.length - start <= MAX_SIGNATURE_LENGTH ? text.slice(0, start).trimEnd() : text
}

const MAX_SIGNATURE_LENGTH = 400

/** Returns a task with only the contact details that its channel uses. */
function toTask({ email, phone, linkedinUrl, stepId: _, ...row }: Row): Row {
  const channel = String(row.channel)
  if (channel.startsWith('linkedin')) return { ...row, linkedinUrl }
  return { ...row, ...(channel === 'call' && { phone }), ...(channel === 'email' && { email }) }
}

/** Returns a call without the rep's number, which manually logged calls lack. */
function toCall({ from, to, ...row }: Row): Row {
  return { ...row, phoneNumber: row.callType === 'inbound' ? from : to }
}

/** Returns a mailbox without its server settings, and with one reason for its status. */
function toMailbox({ smtp: _, imap: __, health, senderName, ...row }: Row): Row {
  const { reason, ...rest } = (health ?? {}) as Row
  return {
    ...row,
    ...(senderName !== row.repName && { senderName }),
    health: { ...rest, ...(reason !== row.statusReason && { reason }) },
  }
}
