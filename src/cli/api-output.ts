import { formatTable } from './output.ts'

export const formats = ['table', 'json', 'id'] as const
export type Format = (typeof formats)[number]

const MAX_CELL_LENGTH = 40

/**
 * Prints the response of an operation, or only the ID of each object in it. If there are more results,
 * `formatNextOptions` returns the options that read them.
 */
export function printResponse(
  response: unknown,
  format: Format,
  formatNextOptions: (next: string) => string,
): void {
  process.stdout.write(`${print[format](response)}\n`)
  const next = getNext(response)
  if (next) process.stderr.write(`More results are available: use ${formatNextOptions(next)}.\n`)
}

const print: Record<Format, (response: unknown) => string> = {
  table: renderTable,
  // One line for programs.
  json: response => JSON.stringify(response, null, process.stdout.isTTY ? 2 : 0),
  id: response =>
    (getRows(response) ?? [response]).map(object => (object as { id?: string }).id ?? '').join('\n'),
}

/** Prints each object of a page as one line of JSON. */
export function printLines(page: unknown): void {
  for (const row of getRows(page) ?? []) process.stdout.write(`${JSON.stringify(row)}\n`)
}

/** Returns the position after a page that is not the last. */
export function getNext(response: unknown): string | undefined {
  const { hasMore, next } = response as { hasMore?: boolean; next?: string }
  return hasMore ? next : undefined
}

function getRows(response: unknown): object[] | undefined {
  const { data } = response as { data?: unknown }
  return Array.isArray(data) ? data : undefined
}

/** Formats a list as a table with a column for each field, and an object as a table with a row for each field. */
function renderTable(response: unknown): string {
  const rows = getRows(response)
  if (!rows)
    return formatTable(
      Object.entries(response as object).map(([field, value]) => ({ field, value: formatValue(value) })),
      'Done.',
    )
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(
    column => column !== 'objectType' && rows.some(row => isScalar(row[column as never])),
  )
  return formatTable(
    rows.map(row =>
      Object.fromEntries(
        columns.map(column => [column, formatValue(row[column as never]).slice(0, MAX_CELL_LENGTH)]),
      ),
    ),
    'No results.',
  )
}

const isScalar = (value: unknown): boolean => value != null && typeof value !== 'object'

const formatValue = (value: unknown): string =>
  value != null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
