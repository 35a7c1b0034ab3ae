import { isDeepStrictEqual } from 'node:util'
import { reshape } from './lean-shapes.ts'

export type Row = Record<string, unknown>

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that a model doesn't need: bookkeeping, and values that other fields repeat. */
const omittedFields = new Set([
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

/** Times that say more about an object than its `createdAt`. */
const betterTimes = ['sentAt', 'happenedAt', 'dueAt', 'startedAt', 'at', 'launchedAt', 'bookedAt']

/** Fields with text from outside the account, in objects of any type. */
const externalFields = new Set([
  ...['body', 'newText', 'subject', 'text', 'summary', 'transcript', 'extractedData', 'attachments'],
  ...[
    'recipients',
    'recipient',
    'replyTo',
    'referral',
    'person',
    'personName',
    'prospectName',
    'companyName',
  ],
  ...[
    'firstName',
    'lastName',
    'title',
    'company',
    'custom',
    'deliveryReason',
    'outcomeReason',
    'bounceReason',
    'draftText',
    'endReason',
    'message',
  ],
])
/** Further fields with text from outside the account, by object type. */
const externalFieldsByType: Record<string, string[]> = {
  person: ['city', 'state', 'country'],
  company: ['name', 'description', 'industries', 'city', 'state', 'country'],
  communication_opt_out: ['name'],
  email_message: ['from'],
  mailbox: ['syncStatusReason', 'reason'],
  // The lists in search results, whose items have no type of their own.
  persons: ['name'],
  companies: ['name'],
}
/** Types whose texts the account's own users write. */
const ownTypes = new Set(['campaign', 'campaign_forecast', 'campaign_texts'])
/** Types and fields that contain counts. Zeros are omitted, and so are days with only zeros. */
const countTypes = new Set(['campaign_stats', 'report'])
const countFields = new Set(['numbers'])
/** Flags that are omitted when they are false. */
const quietFlags = new Set([
  ...[
    'isArchived',
    'isEvergreen',
    'skipActiveElsewhere',
    'holdRiskyAddresses',
    'isUnread',
    'needsReply',
    'plusAddressing',
  ],
  ...['isReadOnly'],
])

/** `brief`: the result of a change, without the texts that the request contained. */
export type Level = 'brief' | 'concise' | 'full'

/**
 * Returns an object for a model to read: without empty or repeated values, and with all text from outside the
 * account in `content`, which is marked as external. The API gives drafts a `sentAt` (the last edit), which a
 * model would mistake for the time of sending, so it becomes `editedAt`.
 */
export function toLeanRow(row: Row, level: Level, parent: Row = {}, inherited = ''): Row {
  const type = typeof row.objectType === 'string' ? row.objectType : inherited
  const content: Row = {}
  const lean: Row = {}
  for (const [name, raw] of Object.entries(reshape(row, level))) {
    if (isOmitted(name, raw, row, parent)) continue
    const field = name === 'sentAt' && row.status === 'draft' ? 'editedAt' : name
    if (isExternal(name, type, raw)) content[field] = strip(raw)
    else if (countTypes.has(type) || countFields.has(name)) {
      if (raw !== 0) lean[field] = dropZeros(raw)
    } else lean[field] = toLeanValue(raw, level, row, name === 'data' ? type : (listType(name) ?? type))
  }
  for (const [name, value] of Object.entries(lean)) if (isEmpty(value)) delete lean[name]
  return Object.keys(content).length > 0 ? { ...lean, content: { source: 'external', ...content } } : lean
}

function toLeanValue(value: unknown, level: Level, parent: Row, type: string): unknown {
  if (Array.isArray(value)) return value.map(item => toLeanValue(item, level, parent, type))
  return isRow(value) ? toLeanRow(value, level, parent, type) : value
}

const listType = (name: string): string | undefined => (name in externalFieldsByType ? name : undefined)

const isExternal = (name: string, type: string, value: unknown): boolean =>
  !ownTypes.has(type) &&
  (externalFields.has(name) ||
    // A recipient's name and address.
    (name === 'to' && isRow(value)) ||
    (externalFieldsByType[type]?.includes(name) ?? false) ||
    // A mail server's response, unlike a code such as `hard_bounce`.
    (name === 'statusReason' && /[^a-z_]/.test(String(value))))

function isOmitted(name: string, value: unknown, row: Row, parent: Row): boolean {
  if (omittedFields.has(name) || isEmpty(value) || (value === false && quietFlags.has(name))) return true
  // Tools accept the name of a rep or campaign in place of its ID.
  if (name === 'repId' && row.repName) return true
  if (name === 'addedById' && row.addedBy) return true
  if (name === 'campaignId' && typeof row.campaign === 'string') return true
  if (name === 'createdAt') return betterTimes.some(time => row[time] !== undefined)
  if (name === 'subject' && typeof parent.subject === 'string') {
    return trimPrefixes(String(value)) === trimPrefixes(parent.subject)
  }
  if (!/(?:Id|Name|^tags)$/.test(name)) return false
  // An item of a list doesn't repeat values of the object that contains the list.
  return isDeepStrictEqual(value, parent[name]) || (name.endsWith('Id') && value === parent.id)
}

/** Turns `Re: Fwd: Offer` into `Offer`. */
const trimPrefixes = (subject: string): string => subject.replace(/^(?:(?:re|fwd?):\s*)+/i, '')

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Drops zeros at any depth, and list items that have no other numbers. */
export function dropZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropZeros).filter(item => !isRow(item) || hasNumber(item))
  if (!isRow(value)) return value
  const kept = Object.entries(value).map(([name, child]) => [name, dropZeros(child)] as const)
  return Object.fromEntries(kept.filter(([, child]) => child !== 0 && !isEmpty(child)))
}

const hasNumber = (item: Row): boolean =>
  Object.values(item).some(value => typeof value === 'number' || isRow(value))

/** Drops bookkeeping and empty values from external content. */
function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (!isRow(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, child]) => name !== 'id' && !omittedFields.has(name) && !isEmpty(child))
      .map(([name, child]) => [name, strip(child)]),
  )
}

/**
 * Returns a row of a list without redundant IDs: tools accept campaigns by name, and the ID of a prospect in place of
 * its person's.
 */
export function dropIds(row: Row, { objectType }: Row): Row {
  const { campaignId, personId, url, ...rest } = row
  return {
    ...rest,
    ...(campaignId !== undefined && !row.campaignName && { campaignId }),
    ...(personId !== undefined && !row.prospectId && objectType !== 'prospect' && { personId }),
    ...(url !== undefined && { url: toTemplate(String(url), row) }),
  }
}

/** Returns a pattern such as `https://outreach.example/inbox/{id}`. */
const toTemplate = (url: string, row: Row): string =>
  Object.entries(row).reduce(
    (rest, [name, value]) => (/^id$|Id$/.test(name) ? rest.replace(String(value), `{${name}}`) : rest),
    url,
  )

/**
 * Moves values common to most rows of a page, and the patterns of their URLs, to `shared`. A row that differs
 * keeps its own value; a row without a value gets null, or false for a flag.
 */
export function shareValues(all: Row[]): { shared?: Row; data: Row[] } {
  const urls = [...new Set(all.map(({ url }) => url).filter(url => url !== undefined))]
  const rows = all.map(({ url: _, ...row }) => row)
  const common = findCommonValues(rows)
  const shared: Row = { ...common, ...(urls.length > 0 && { url: urls.length > 1 ? urls : urls[0] }) }
  if (Object.keys(shared).length === 0) return { data: rows }
  return { shared, data: rows.map(row => omitCommonValues(row, common)) }
}

const MIN_SHARE = 0.6
/** Never moved to `shared`: otherwise a row without drafts would seem to have some. */
const unsharedFields = new Set(['id', 'content', 'drafts'])

function findCommonValues(rows: Row[]): Row {
  const names = new Set(rows.flatMap(row => Object.keys(row)).filter(name => !unsharedFields.has(name)))
  const common: Row = {}
  for (const name of rows.length > 1 ? names : []) {
    const counts = new Map<string, number>()
    for (const row of rows.filter(row => name in row)) {
      const value = JSON.stringify(row[name])
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    const [value, count] = [...counts].toSorted(([, a], [, b]) => b - a)[0]!
    if (count >= Math.max(2, rows.length * MIN_SHARE)) common[name] = JSON.parse(value)
  }
  return common
}

function omitCommonValues(row: Row, common: Row): Row {
  const own = Object.entries(row).filter(([name, value]) => !isDeepStrictEqual(value, common[name]))
  const missing = Object.entries(common).filter(([name]) => !(name in row))
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(missing.map(([name, value]) => [name, value === true ? false : null])),
  }
}
