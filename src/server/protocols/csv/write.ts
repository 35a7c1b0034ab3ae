import { stringify } from 'csv-stringify/sync'
import { formulaStart } from '../../../contract/csv-formula.ts'

export type CsvCell = string | number | null | undefined

/**
 * Returns one line of CSV (RFC 4180, CRLF). Inserts an apostrophe into strings that a spreadsheet would run
 * as a formula, including phone numbers in E.164, which Excel would save as 4.93E+12. `cleanCell` removes the
 * apostrophe on import.
 */
export const writeCsvRow = (cells: readonly CsvCell[]): string =>
  stringify([cells.map(cell => (typeof cell === 'string' ? cell.replace(formulaStart, "$1'") : cell))], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
  })

/** Returns the first line of a CSV file, with a byte order mark, without which Excel reads UTF-8 as Windows-1252. */
export const writeCsvHeader = (header: readonly string[]): string => `\ufeff${writeCsvRow(header)}`

/** Writes a CSV file in pieces. */
export async function* writeCsv(
  header: readonly string[],
  rows: AsyncIterable<readonly CsvCell[]> | Iterable<readonly CsvCell[]>,
): AsyncGenerator<string> {
  yield writeCsvHeader(header)
  for await (const row of rows) yield writeCsvRow(row)
}
