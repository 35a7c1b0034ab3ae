import { stringify } from 'csv-stringify/sync'

export type CsvCell = string | number | null | undefined

/**
 * Where a spreadsheet would start to calculate: at the head of a cell, and behind a semicolon inside, which opens a new
 * cell where that is the country's list separator. OWASP's list, with the full-width forms.
 */
const formulaStart = /(^|;)(?=[\s\p{Cf}]{0,16}[=+\-@＝＋－＠])|^(?=[\t\r\n\0])/gu

/**
 * One line of CSV (RFC 4180, CRLF). Texts that a spreadsheet would run get an apostrophe in front, phone numbers
 * in E.164 too: without it Excel shows 4.93E+12 and saves that. readCsvRows takes it off again. Numbers stay as they are.
 */
export const writeCsvRow = (cells: readonly CsvCell[]): string =>
  stringify([cells.map(cell => (typeof cell === 'string' ? cell.replace(formulaStart, "$1'") : cell))], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
  })

/** A whole file, piece by piece. It opens with a byte order mark: without it Excel takes UTF-8 for Windows-1252. */
export async function* writeCsv(
  header: readonly string[],
  rows: AsyncIterable<readonly CsvCell[]> | Iterable<readonly CsvCell[]>,
): AsyncGenerator<string> {
  yield `\ufeff${writeCsvRow(header)}`
  for await (const row of rows) yield writeCsvRow(row)
}
