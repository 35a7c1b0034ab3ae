import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import { dropIds, dropZeros, type Level, type Row, shareValues, toLeanRow } from './lean-row.ts'
import { toListRow } from './list-rows.ts'

/** Clients truncate longer results at arbitrary places. */
const MAX_CHARACTERS = 60_000

const textLimits = { brief: [2_000, 500, 100], concise: [500, 100], full: [20_000, 4_000, 500, 100] }

/** Fields that may be truncated. Others, such as cursors, never are. */
const truncatedFields = new Set([
  ...['body', 'subject', 'text', 'summary', 'signature', 'description'],
  ...['deliveryReason', 'outcomeReason', 'message', 'reason'],
])

/**
 * Returns an operation's result as the tool presents it: lean rows, text without hidden characters, truncated to
 * fit.
 */
export function presentResult(result: Row, level: Level): Row {
  const lean = isPage(result)
    ? toLeanPage(result, level)
    : { ...(level !== 'brief' && emptyLists(result)), ...toLeanRow(result, level) }
  const present = (value: unknown, field: string, limit: number): unknown => {
    if (typeof value === 'string') {
      if (timePattern.test(value)) return `${value.slice(0, 16)}Z`
      return truncate(
        stripHidden(value),
        truncatedFields.has(field) ? limit : Number.POSITIVE_INFINITY,
        level,
      )
    }
    if (Array.isArray(value)) return value.map(item => present(item, field, limit))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, child]) => [name, present(child, name, limit)]),
    )
  }
  let presented: Row = {}
  // A page of several items is shortened by dropping items, not by truncating texts further.
  const limits = isPage(result) && result.data.length > 1 ? textLimits[level].slice(0, 1) : textLimits[level]
  for (const limit of limits) {
    presented = present(lean, '', limit) as Row
    if (jsonLength(presented) <= MAX_CHARACTERS) break
  }
  return presented
}

/** Keeps empty lists at the top level, because they show that nothing was found. */
const emptyLists = (result: Row): Row =>
  Object.fromEntries(
    Object.entries(result).filter(
      ([name, value]) => Array.isArray(value) && value.length === 0 && name !== 'tags',
    ),
  )

function toLeanPage({ data, hasMore, next, ...result }: ListResult, level: Level): Row {
  const rows = data.map(item => toListRow(item, level)).map(row => dropIds(toLeanRow(row, level), row))
  const page = { hasMore, ...(next !== undefined && { next }) }
  // Rows of a report omit zeros, so they have no shared values.
  if (result.objectType === 'report')
    return { ...toLeanRow(result, level), ...page, data: dropZeros(rows.map(toGroup)) }
  return { ...shareValues(rows), ...page }
}

/** Omits the ID in `key` of a group when there is a name, which tools accept in its place. */
const toGroup = ({ key, ...group }: Row): Row => ({ ...(!group.name && { key }), ...group })

/** Times are shown to the minute. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const truncate = (text: string, limit: number, level: Level): string =>
  text.length <= limit
    ? text
    : `${text.slice(0, limit).toWellFormed()}… [${text.length - limit} more characters${level === 'concise' ? '; `detail: "full"` returns them' : ''}]`

const jsonLength = (value: unknown): number => JSON.stringify(value).length

export type ListResult = Row & { data: Row[]; hasMore: boolean; next?: string }
export const isPage = (result: Row): result is ListResult => Array.isArray(result.data) && 'hasMore' in result

/** Returns how many items of a page fit; at least one, so that the cursor makes progress. */
export function countFitting(page: ListResult): number {
  let length = jsonLength({ ...page, data: [] })
  let fitting = 0
  for (const item of page.data) {
    length += jsonLength(item) + 1
    if (length > MAX_CHARACTERS) break
    fitting++
  }
  return Math.max(1, fitting)
}

/** Drops the older half of the longest list until the object fits. Its texts are already truncated. */
export function dropOldest(result: Row): Row {
  let rest = result
  while (jsonLength(rest) > MAX_CHARACTERS) {
    const [name, list] =
      Object.entries(rest)
        .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 1)
        .toSorted(([, a], [, b]) => jsonLength(b) - jsonLength(a))[0] ?? []
    if (!name || !list) return rest
    const left = Math.floor(list.length / 2)
    rest = {
      ...rest,
      notice: `The first entries of \`${name}\` are omitted for length. ${result.notice ?? ''}`.trim(),
      [name]: list.slice(-left),
    }
  }
  return rest
}
