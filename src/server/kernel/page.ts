import { isDeepStrictEqual } from 'node:util'
import { type Context, withAccount } from './context.ts'
import { signToken, verifyToken } from './crypto.ts'
import type { Fragment, Sql } from './db/database.ts'
import { invalid } from './errors.ts'
import { requireKnownIds } from './id-filters.ts'
import { Json } from './json.ts'

const VERSION = 1
const DEFAULT_LIMIT = 10

/** A row of a list: its sort position as PostgreSQL's text, and its JSON. */
export type PageRow = { id: string; at: string; json: string }

type Direction = 'next' | 'previous'
type Position = { at: string; id: string; isIncluded: boolean }

/** A page for a list's SQL, which uses `filters`; the fragments below use the limit, direction and position. */
export type Page<F> = {
  operation: string
  filters: F
  limit: number
  direction: Direction
  position: Position | undefined
  /** Changes are listed oldest first, so that a row that changes during paging moves to the end and is not missed. */
  isAscending: boolean
}

/** Returns a page of a list; see `readPage`. */
export const listPage = <I extends PageInput, T>(
  ctx: Context,
  operation: string,
  input: I,
  query: (page: Page<Omit<I, keyof PageInput>>) => Fragment,
): Promise<Json<T>> => readPage(ctx, parsePage(ctx, operation, input), query)

/**
 * Reads a parsed page of a list. `query` selects id, at and json, reads the account from `s`, and ends with the
 * fragments `afterCursor` and `orderAndLimit`.
 */
export async function readPage<F extends object, T>(
  ctx: Context,
  page: Page<F>,
  query: (page: Page<F>) => Fragment,
): Promise<Json<T>> {
  const rows = await ctx.sql<PageRow[]>`
    select page.* from ${withAccount(ctx)} cross join lateral (${query(page)}) page limit ${page.limit + 1}`
  if (rows.length === 0 && !page.position) await requireKnownIds(ctx, page.filters)
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
 * Parses the limit, the cursor and the filters. The cursor is signed, bound to the account and the operation, and
 * carries the filters and the limit. Filters passed along with it must match; the limit may differ.
 */
export function parsePage<I extends PageInput>(
  ctx: Context,
  operation: string,
  input: I,
): Page<Omit<I, keyof PageInput>> {
  const { limit, cursor, ...given } = input
  if (cursor === undefined) {
    return {
      operation,
      filters: given,
      limit: limit ?? DEFAULT_LIMIT,
      direction: 'next',
      position: undefined,
      isAscending: isChangeFeed(given),
    }
  }
  const text = verifyToken(ctx.app.keys, toPurpose(ctx, operation), cursor)
  const parsed = text === undefined ? undefined : (JSON.parse(text) as CursorText)
  if (parsed?.[0] !== VERSION) {
    throw invalid('cursor', 'must be a cursor that this list returned. Start again without a cursor.')
  }
  const [, direction, at, id, isIncluded, cursorLimit, filters] = parsed
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !isDeepStrictEqual(value, (filters as Record<string, unknown>)[name])) {
      throw invalid(
        'cursor',
        `was created with a different \`${name}\`. Filters must not change between pages.`,
      )
    }
  }
  return {
    operation,
    filters: filters as Omit<I, keyof PageInput>,
    limit: limit ?? cursorLimit,
    direction,
    position: { at, id, isIncluded: isIncluded === 1 },
    isAscending: isChangeFeed(filters),
  }
}

const isChangeFeed = (filters: { updatedSince?: string }): boolean => filters.updatedSince !== undefined

/**
 * Returns whether rows are read in ascending order: for the next page of an ascending list or the previous page of a
 * descending one.
 */
const readsAscending = ({ direction, isAscending }: Page<unknown>): boolean =>
  (direction === 'next') === isAscending

/** Returns the condition of the filter `updatedSince`. The list must be sorted by the same column. */
export const isUpdatedSince = (
  sql: Sql,
  { filters }: Page<{ updatedSince?: string | undefined }>,
  column: string,
): Fragment =>
  filters.updatedSince ? sql`and ${sql.identifier(column)} >= ${filters.updatedSince}::timestamptz` : sql``

/** SQL types of sort columns. Text is sorted by its bytes. */
const sortTypes = { timestamptz: 'timestamptz', text: 'text collate "C"' } as const

type SortType = keyof typeof sortTypes

const toPurpose = (ctx: Context, operation: string) => `cursor ${operation} ${ctx.accountId}`

/**
 * Returns the condition that continues after the cursor. `column` is the sort column, `id` the tie-breaker. The row
 * comparison is a single index range, unlike conditions joined with `or`.
 */
export function afterCursor(
  sql: Sql,
  page: Page<unknown>,
  column: string,
  id = 'id',
  type: SortType = 'timestamptz',
): Fragment {
  if (!page.position) return sql``
  const { at, id: lastId, isIncluded } = page.position
  const compare = readsAscending(page) ? (isIncluded ? sql`>=` : sql`>`) : isIncluded ? sql`<=` : sql`<`
  return sql`and (${sql.identifier(column)}, ${sql.identifier(id)}) ${compare} (${at}::${sql.unsafe(sortTypes[type])}, ${lastId}::uuid)`
}

const LIMITS = [11, 26, 51, 101]

/**
 * Returns the order and a limit of at least one row more than the page; readPage cuts to the exact number. The limit is
 * part of the text, because for a parameter, the planner assumes a tenth of the table, considers every cached plan too
 * expensive and plans each request anew (0.52 ms per page instead of 0.32). Rounding up to a few limits keeps the
 * number of statements small.
 */
export const orderAndLimit = (sql: Sql, page: Page<unknown>, column: string, id = 'id'): Fragment => {
  const limit = sql.unsafe(String(LIMITS.find(step => step > page.limit)))
  return readsAscending(page)
    ? sql`order by ${sql.identifier(column)} asc, ${sql.identifier(id)} asc limit ${limit}`
    : sql`order by ${sql.identifier(column)} desc, ${sql.identifier(id)} desc limit ${limit}`
}

/** Wraps the rows of a page in its envelope, concatenating JSON text. */
export function toPageResponse<T>(ctx: Context, page: Page<object>, found: readonly PageRow[]): Json<T> {
  const hasMoreRows = found.length > page.limit
  const rows = hasMoreRows ? found.slice(0, page.limit) : [...found]
  if (page.direction === 'previous') rows.reverse()
  const first = rows[0]
  const last = rows.at(-1)
  const isForward = page.direction === 'next'
  const hasMore = isForward ? hasMoreRows : true
  const hasPrevious = isForward ? page.position !== undefined : hasMoreRows
  const cursor = (direction: Direction, row: PageRow | undefined) => {
    // Rows may have been deleted in the meantime; an empty page continues from the position itself.
    const position = row
      ? { at: row.at, id: row.id, isIncluded: false }
      : { ...page.position!, isIncluded: true }
    const text: CursorText = [
      VERSION,
      direction,
      position.at,
      position.id,
      position.isIncluded ? 1 : 0,
      page.limit,
      page.filters,
    ]
    return signToken(ctx.app.keys, toPurpose(ctx, page.operation), JSON.stringify(text))
  }
  const next = hasMore ? `,"next":"${cursor('next', last)}"` : ''
  const previous = hasPrevious ? `,"previous":"${cursor('previous', first)}"` : ''
  return new Json(`{"data":[${rows.map(row => row.json).join(',')}],"hasMore":${hasMore}${next}${previous}}`)
}
