import { isDeepStrictEqual } from 'node:util'
import { type Context, withAccount } from './context.ts'
import { signToken, verifyToken } from './crypto.ts'
import type { Fragment, Sql } from './db/database.ts'
import { invalid } from './errors.ts'
import { requireKnownIds } from './id-filters.ts'
import { Json } from './json.ts'

const VERSION = 1
const DEFAULT_LIMIT = 10

/** A row of a list: its place in the list's order, and its JSON. `at` is as PostgreSQL writes it, to the millisecond. */
export type PageRow = { id: string; at: string; json: string }

type Direction = 'next' | 'previous'
type Key = { at: string; id: string; isIncluded: boolean }

/** What a list's SQL needs: `filters`, and through the fragments below `limit`, direction and place. */
export type Page<F> = {
  operation: string
  filters: F
  limit: number
  direction: Direction
  key: Key | undefined
}

/**
 * A list's answer. `query` gives the page's rows (a select of id, at and json) and reads the account from `s`;
 * the fragments fromCursor and inOrder belong at its end.
 */
export async function listPage<I extends PageInput, T>(
  ctx: Context,
  operation: string,
  input: I,
  query: (page: Page<Omit<I, keyof PageInput>>) => Fragment,
): Promise<Json<T>> {
  const page = parsePage(ctx, operation, input)
  const rows = await ctx.sql<PageRow[]>`
    select page.* from ${withAccount(ctx)} cross join lateral (${query(page)}) page limit ${page.limit + 1}`
  if (rows.length === 0 && !page.key) await requireKnownIds(ctx, page.filters)
  return toPageResponse(ctx, page, rows)
}

type PageInput = { limit?: number | undefined; cursor?: string | undefined }
type CursorText = [
  typeof VERSION,
  Direction,
  at: string,
  id: string,
  isIncluded: 0 | 1,
  limit: number,
  filters: object,
]

/**
 * Reads limit, cursor and filters. The cursor is signed, bound to account and operation, and carries the filters
 * and the limit; a filter that is given beside it must be the same, a limit may differ.
 */
export function parsePage<I extends PageInput>(
  ctx: Context,
  operation: string,
  input: I,
): Page<Omit<I, keyof PageInput>> {
  const { limit, cursor, ...given } = input
  if (cursor === undefined) {
    return { operation, filters: given, limit: limit ?? DEFAULT_LIMIT, direction: 'next', key: undefined }
  }
  const text = verifyToken(ctx.app.keys, purpose(ctx, operation), cursor)
  const parsed = text === undefined ? undefined : (JSON.parse(text) as CursorText)
  if (parsed?.[0] !== VERSION) {
    throw invalid('cursor', 'is not one that this list gave out. Start again without a cursor.')
  }
  const [, direction, at, id, isIncluded, cursorLimit, filters] = parsed
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !isDeepStrictEqual(value, (filters as Record<string, unknown>)[name])) {
      throw invalid('cursor', `belongs to another \`${name}\`. Filters must not change between pages.`)
    }
  }
  return {
    operation,
    filters: filters as Omit<I, keyof PageInput>,
    limit: limit ?? cursorLimit,
    direction,
    key: { at, id, isIncluded: isIncluded === 1 },
  }
}

const purpose = (ctx: Context, operation: string) => `cursor ${operation} ${ctx.accountId}`

/**
 * The place to go on from, as a condition for the where clause. `column` is the list's sort column, `id` the
 * tie-break. The row comparison is one range of the index, which a comparison spelled out with `or` is not.
 */
export function afterCursor(sql: Sql, page: Page<unknown>, column: string, id = 'id'): Fragment {
  if (!page.key) return sql``
  const { at, id: keyId, isIncluded } = page.key
  const compare = page.direction === 'next' ? (isIncluded ? sql`<=` : sql`<`) : isIncluded ? sql`>=` : sql`>`
  return sql`and (${sql.identifier(column)}, ${sql.identifier(id)}) ${compare} (${at}::timestamptz, ${keyId}::uuid)`
}

const LIMITS = [11, 26, 51, 101]

/**
 * Order, and a limit at or just above the page's rows and the one more that tells of another page; listPage cuts to
 * the exact number. It stands in the text because for a parameter the planner reckons with a tenth of the table: it
 * then finds every kept plan too dear and plans each request anew (0.52 ms a page against 0.32). A few steps keep
 * the number of statements small.
 */
export const orderAndLimit = (sql: Sql, page: Page<unknown>, column: string, id = 'id'): Fragment => {
  const limit = sql.unsafe(String(LIMITS.find(step => step > page.limit)))
  return page.direction === 'next'
    ? sql`order by ${sql.identifier(column)} desc, ${sql.identifier(id)} desc limit ${limit}`
    : sql`order by ${sql.identifier(column)} asc, ${sql.identifier(id)} asc limit ${limit}`
}

/** The envelope around the rows of a page, spliced together as text. */
export function toPageResponse<T>(ctx: Context, page: Page<object>, found: readonly PageRow[]): Json<T> {
  const hasExtra = found.length > page.limit
  const rows = hasExtra ? found.slice(0, page.limit) : [...found]
  if (page.direction === 'previous') rows.reverse()
  const first = rows[0]
  const last = rows.at(-1)
  const isForward = page.direction === 'next'
  const hasMore = isForward ? hasExtra : true
  const hasBefore = isForward ? page.key !== undefined : hasExtra
  const cursor = (direction: Direction, row: PageRow | undefined) => {
    // A page may be empty because its rows went meanwhile; then the place itself is where to go on.
    const key = row ? { at: row.at, id: row.id, isIncluded: false } : { ...page.key!, isIncluded: true }
    const text: CursorText = [
      VERSION,
      direction,
      key.at,
      key.id,
      key.isIncluded ? 1 : 0,
      page.limit,
      page.filters,
    ]
    return signToken(ctx.app.keys, purpose(ctx, page.operation), JSON.stringify(text))
  }
  const next = hasMore ? `,"next":"${cursor('next', last)}"` : ''
  const previous = hasBefore ? `,"previous":"${cursor('previous', first)}"` : ''
  return new Json(`{"data":[${rows.map(row => row.json).join(',')}],"hasMore":${hasMore}${next}${previous}}`)
}
