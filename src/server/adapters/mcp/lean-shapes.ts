import type { Level, Row } from './lean-row.ts'

/** Returns an object with the fields that tools show of its type, where these differ from the API's. */
export function reshape(row: Row, level: Level): Row {
  const shape = shapes[String(row.objectType)]
  return shape ? shape(row, level) : row
}

const shapes: Record<string, (row: Row, level: Level) => Row> = {
  email_message: toMail,
  conversation: toConversation,
  prospect: toProspect,
  task: toTask,
  call: toCall,
  mailbox: toMailbox,
  campaign_forecast: toForecast,
  campaign: toCampaign,
  account: toAccount,
}

/** A prospect whose bounce has one reason: a code, or the words of a mail server. */
function toProspect({ person, statusReason, ...row }: Row): Row {
  const reason = row.status === 'bounced' ? { bounceReason: statusReason } : { statusReason }
  return { ...row, ...reason, person: toPerson(person) }
}

/** After a change, a campaign without texts: the tool's own answer has those that matter. */
function toCampaign({ steps, schedule, description, settings, ...row }: Row, level: Level): Row {
  return level === 'brief' ? row : { ...row, steps, schedule, description, settings }
}

/** After a change, whether the account is paused. */
function toAccount(
  { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight, ...row }: Row,
  level: Level,
): Row {
  const state = { id, name, sendingPausedAt, sendingPauseReason, sendingPausedBy, inFlight }
  return level === 'brief' ? state : { ...row, ...state }
}

/** A forecast with emails by day. Only the full form has mailboxes and limits that hold nothing up. */
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

export const toName = (named: unknown): unknown => (named as Row | undefined)?.name

/** `Ada Byron <ada@navy.example>, Navy` */
export function toPerson(person: unknown): unknown {
  const { firstName, lastName, email, company } = (person ?? {}) as Record<string, string | undefined>
  const name = [firstName, lastName].filter(Boolean).join(' ')
  return [email ? toAddress({ name, email }) : name, company].filter(Boolean).join(', ')
}

/** An email with people as `Ada <ada@acme.example>`, its intent, and only its new text unless `level` is `full`. */
function toMail(row: Row, level: Level): Row {
  const { body, newText, reply, from, recipients, prospectName, receivedKind, isOutdated, ...rest } = row
  const isReceived = row.type === 'received'
  const { intent, notNowUntil, referral, draft } = (reply ?? {}) as Row & { draft?: Row }
  const people = Object.values((recipients ?? {}) as Record<string, Contact[]>).flat()
  const isNamed = [from as Contact | null, ...people].some(contact => contact?.name === prospectName)
  return {
    ...rest,
    answeredSince: isOutdated,
    ...(isReceived && { status: undefined }),
    // A queued draft no longer waits to be sent.
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
    ...(isReceived && { from: toAddress(from as Contact | null) }),
    ...((!isReceived || people.length > 1) && toRecipients(recipients)),
    text: isReceived ? (level === 'full' ? body : (newText ?? body)) : toSentText(String(body), row, level),
  }
}

const queued = { status: 'queued', deliveryStatus: undefined }

type Contact = { name?: string; email: string }
const toAddress = (contact: Contact | null): string =>
  contact
    ? contact.name && contact.name !== contact.email
      ? `${contact.name} <${contact.email}>`
      : contact.email
    : ''

/** `recipient` if there is only one, else all lists of recipients. */
function toRecipients(recipients: unknown): Row {
  const lists = Object.entries((recipients ?? {}) as Record<string, Contact[]>)
    .filter(([, contacts]) => contacts.length > 0)
    .map(([list, contacts]) => [list, contacts.map(toAddress)] as const)
  const [[list, addresses] = [], ...others] = lists
  if (list === 'to' && addresses?.length === 1 && others.length === 0) return { recipient: addresses[0] }
  return { recipients: Object.fromEntries(lists) }
}

/** Cuts the opt-out line of a campaign email and the postal address below it. */
export function cutFooter(body: string): string {
  const link = body.search(/\/u\/(?:[\w-]{27}|preview\b)/)
  if (link === -1) return body
  const start = Math.max(body.lastIndexOf('\n\n', link), body.lastIndexOf('\n<p><small>', link))
  return start === -1 ? body : body.slice(0, start)
}

/** After a change, only the beginning, unless it is a draft, which somebody approves next. */
function toSentText(body: string, { repName, status }: Row, level: Level): string {
  const text = cutSignature(cutFooter(body), repName)
  if (status === 'draft') return text
  return level === 'brief' && text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text
}

/** Cuts a signature that begins with the sender's name, on a line of its own or, in a text without lines, anywhere. */
export function cutSignature(text: string, name: unknown): string {
  if (typeof name !== 'string' || name === '') return text
  const start = text.includes('\n') ? text.lastIndexOf(`\n${name}\n`) : text.lastIndexOf(` ${name}`)
  return start > 0 && text.length - start <= MAX_SIGNATURE_LENGTH ? text.slice(0, start).trimEnd() : text
}

const MAX_SIGNATURE_LENGTH = 400

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
