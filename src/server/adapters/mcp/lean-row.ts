import { isDeepStrictEqual } from 'node:util'

export type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that a model doesn't need; those for bookkeeping and those that other fields repeat. */
const omitted = new Set([
  'objectType',
  'updatedAt',
  'previous',
  'usage',
  'intentBy',
  'permissions',
  'headers',
  'sizeBytes',
  'photoUrl',
  'html',
  'conversationId',
])

/** Times that say more about an object than when its row was created. */
const betterTimes = ['sentAt', 'happenedAt', 'dueAt', 'startedAt', 'at', 'launchedAt']

/** Fields with text from outside the account, in every object and in objects of a type. */
const outside = new Set([
  ...['body', 'newText', 'subject', 'text', 'summary', 'transcript', 'extractedData', 'attachments'],
  ...['recipients', 'replyTo', 'referral', 'person', 'personName', 'prospectName', 'companyName'],
  ...[
    'firstName',
    'lastName',
    'title',
    'company',
    'custom',
    'deliveryReason',
    'outcomeReason',
    'endReason',
    'message',
  ],
])
const outsideByType: Record<string, string[]> = {
  person: ['city', 'state', 'country'],
  company: ['name', 'description', 'industries', 'city', 'state', 'country'],
  communication_opt_out: ['name'],
  email_message: ['from'],
  mailbox: ['readingReason', 'reason'],
  // Lists in search results.
  persons: ['name'],
  companies: ['name'],
}
/** Types whose texts the account's own users write. */
const ownTypes = new Set(['campaign'])
/** Texts of campaigns that the caller sent or can read with get_campaign. */
const campaignTexts = new Set(['body', 'description'])
/** Lists of counts, in which zeros are left out, and items without any count. */
const countLists = new Set(['days'])

/** `brief`: a change, whose answer doesn't repeat the texts that were sent. */
export type Level = 'brief' | 'concise' | 'full'

/**
 * Returns an object as a model reads it: without empty and repeated values, and with all text from outside the account in
 * `content`, which says so. The API gives drafts a `sentAt` (the last edit), which a model would mistake for sending, so it
 * becomes `editedAt`.
 */
export function toLeanRow(row: Row, level: Level, parent: Row = {}, inherited = ''): Row {
  const type = typeof row.objectType === 'string' ? row.objectType : inherited
  const content: Row = {}
  const lean: Row = {}
  for (const [name, raw] of Object.entries(rename(row, level))) {
    if (isOmitted(name, raw, row, parent)) continue
    if (level === 'brief' && type === 'campaign' && campaignTexts.has(name)) continue
    const field = name === 'sentAt' && row.status === 'draft' ? 'editedAt' : name
    if (isOutside(name, type, raw)) content[field] = strip(raw)
    else if (isListOfCounts(name, raw)) lean[field] = raw.filter(hasCount).map(dropZeros)
    else lean[field] = toLeanValue(raw, level, row, name === 'data' ? type : (listType(name) ?? type))
  }
  for (const [name, value] of Object.entries(lean)) if (isEmpty(value)) delete lean[name]
  return Object.keys(content).length > 0 ? { ...lean, content: { source: 'external', ...content } } : lean
}

function toLeanValue(value: unknown, level: Level, parent: Row, type: string): unknown {
  if (Array.isArray(value)) return value.map(item => toLeanValue(item, level, parent, type))
  return isRow(value) ? toLeanRow(value, level, parent, type) : value
}

const listType = (name: string): string | undefined => (name in outsideByType ? name : undefined)

const isOutside = (name: string, type: string, value: unknown): boolean =>
  !ownTypes.has(type) &&
  (outside.has(name) ||
    (outsideByType[type]?.includes(name) ?? false) ||
    // A code such as `hard_bounce`, or what a mail server said.
    (name === 'statusReason' && /[^a-z_]/.test(String(value))))

function isOmitted(name: string, value: unknown, row: Row, parent: Row): boolean {
  if (omitted.has(name) || isEmpty(value)) return true
  // Tools take the name of a rep for the id, and reps are few.
  if (name === 'repId' && row.repName) return true
  if (name === 'createdAt') return betterTimes.some(time => row[time] !== undefined)
  if (!/(?:Id|Name|^tags|^subject)$/.test(name)) return false
  // An item of a list doesn't repeat what the object says that has the list.
  return isDeepStrictEqual(value, parent[name]) || (name.endsWith('Id') && value === parent.id)
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const hasCount = (item: Row): boolean =>
  Object.values(item).some(value => typeof value === 'number' && value > 0)

/** The days of a schedule are names. */
const isListOfCounts = (name: string, value: unknown): value is Row[] =>
  countLists.has(name) && Array.isArray(value) && value.every(isRow)

export const dropZeros = (item: Row): Row =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== 0))

/** Drops bookkeeping and empty values inside text from outside. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (!isRow(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, child]) => name !== 'id' && !omitted.has(name) && !isEmpty(child))
      .map(([name, child]) => [name, strip(child)]),
  )
}

/** Returns a row whose fields differ from the API's. */
function rename(row: Row, level: Level): Row {
  if (row.objectType === 'email_message') return toLeanMail(row, level)
  return row.objectType === 'conversation' ? toLeanConversation(row, level) : row
}

/**
 * A conversation with its last message among its fields; after a change its state alone. Its id is that of the thread or
 * LinkedIn conversation.
 */
function toLeanConversation(row: Row, level: Level): Row {
  if (level === 'brief') {
    const { id, status, needsReply, isUnread, snoozedUntil, tags } = row
    return {
      id,
      status,
      needsReply,
      isUnread,
      snoozedUntil,
      tags,
      assignee: (row.assignee as Row | undefined)?.name,
    }
  }
  const {
    emailThreadId,
    linkedinConversationId,
    createdAt,
    lastMessage,
    campaign,
    rep,
    assignee,
    person,
    ...rest
  } = row
  const { id: messageId, direction, at, text } = lastMessage as Row
  const { firstName, lastName, email, company } = (person ?? {}) as Record<string, string | undefined>
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const { id: campaignId, name: campaignName } = (campaign ?? {}) as Row
  return {
    ...rest,
    ...{
      campaignId,
      campaignName,
      repName: (rep as Row | undefined)?.name,
      assignee: (assignee as Row | undefined)?.name,
    },
    ...{ at, direction, messageId },
    person: [email ? toAddress({ name, email }) : name, company].filter(Boolean).join(', '),
    text,
  }
}

/** An email with people as `Ada <ada@acme.example>`, its new text alone unless whole texts are wanted, and its intent. */
function toLeanMail(row: Row, level: Level): Row {
  const { body, newText, reply, from, recipients, prospectName, ...rest } = row
  const isReceived = row.type === 'received'
  const { intent, notNowUntil, referral, draft } = (reply ?? {}) as Row & { draft?: Row }
  const people = Object.values((recipients ?? {}) as Record<string, Contact[]>).flat()
  const isNamed = [from as Contact | null, ...people].some(contact => contact?.name === prospectName)
  return {
    ...rest,
    ...(isReceived && { status: undefined }),
    ...(!isNamed && { prospectName }),
    intent,
    notNowUntil,
    referral,
    ...(draft?.state !== 'none' && { draft }),
    // The rep's name says who sent it, or who received it alone.
    ...(isReceived && { from: toAddress(from as Contact | null) }),
    ...((!isReceived || people.length > 1) && { recipients: mapLists(recipients) }),
    text: isReceived ? (level === 'full' ? body : (newText ?? body)) : cutFooter(String(body)),
  }
}

type Contact = { name: string; email: string }
const toAddress = (contact: Contact | null): string =>
  contact ? (contact.name ? `${contact.name} <${contact.email}>` : contact.email) : ''

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

/** Moves values that all rows of a page have to `shared`. */
export function shareValues(rows: Row[]): { shared?: Row; data: Row[] } {
  const [first, ...others] = rows
  if (!first || others.length === 0) return { data: rows }
  const shared = Object.fromEntries(
    Object.entries(first).filter(
      ([name, value]) =>
        name !== 'id' && name !== 'content' && others.every(row => isDeepStrictEqual(row[name], value)),
    ),
  )
  if (Object.keys(shared).length === 0) return { data: rows }
  const data = rows.map(row => Object.fromEntries(Object.entries(row).filter(([name]) => !(name in shared))))
  return { shared, data }
}
