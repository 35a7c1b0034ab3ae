import { parse } from 'csv-parse/browser/esm/sync'
import { recognizeField } from '../../../../contract/csv-headers.ts'
import { recognizeOptOutColumn } from '../../../../contract/csv-opt-out-columns.ts'
import { createYielder } from './yield-to-page.ts'

/** A row of the file; `error` says why it can't be read. */
export type CsvRow = { line: number; cells: string[]; error?: string }

/** A CSV file; no two columns have the same name. */
export type CsvTable = { header: string[]; rows: CsvRow[] }

/** Tools write lines above the header: LinkedIn's notes, Excel's `sep=;`, a report's title. */
const MAX_RECORDS_BEFORE_HEADER = 20
const MAX_COLUMNS = 500
/** The server accepts records of up to 100,000 characters. */
const MAX_RECORD_LENGTH = 90_000
const MAX_NAME_LENGTH = 100
const DELIMITERS = [',', ';', '\t', '|']
/** Parsing many records at once is much faster than parsing them one by one. */
const BATCH_RECORDS = 200

type CsvRecord = { line: number; lineCount: number; cells?: string[] }

/** Reads a CSV file without blocking the page. Throws an Error that says what is wrong with the file. */
export async function parseCsv(text: string): Promise<CsvTable> {
  if (!text.trim()) throw new Error('The file is empty.')
  if (/(?![\s\u0080-\u009f])\p{Cc}/u.test(text.slice(0, 65_536)) || /^\s*[<{]/.test(text))
    throw new Error('This file is not a CSV file. Save your list as CSV and choose it again.')
  const lines = text.split(text.includes('\n') ? /\r?\n/ : '\r')
  const { delimiter, head, start } = findHeader(lines)
  if (head.length > MAX_COLUMNS)
    throw new Error(`The file has ${head.length} columns, more than the ${MAX_COLUMNS} that can be imported.`)
  if (head.length === 1 && !isKnown(head[0]!))
    throw new Error(
      'The file has only one column, and its name is unknown. Separate columns with commas, semicolons or tabs, or name the column “Email”.',
    )
  const rows: CsvRow[] = []
  const yieldIfDue = createYielder()
  for (let lineIndex = start; lineIndex < lines.length; ) {
    const records = parseBatch(lines, lineIndex, delimiter)
    for (const { line, lineCount, cells } of records) {
      lineIndex += lineCount
      if (!cells || cells.some(cell => cell.trim())) rows.push(toRow(line, cells, head.length))
    }
    await yieldIfDue()
  }
  if (rows.length === 0) throw new Error('The file has a header but no rows below it.')
  return { header: toNames(head), rows }
}

function toRow(line: number, cells: string[] | undefined, width: number): CsvRow {
  if (!cells) return { line, cells: [], error: 'A quote (") in this row is never closed' }
  if (cells.slice(width).some(cell => cell.trim()))
    return {
      line,
      cells,
      error: `The row has ${cells.length} cells, but the header has ${width}: put quotes around cells that contain the separator`,
    }
  if (cells.reduce((sum, cell) => sum + cell.length, 0) > MAX_RECORD_LENGTH)
    return {
      line,
      cells,
      error: `The row is longer than ${MAX_RECORD_LENGTH.toLocaleString('en')} characters`,
    }
  return { line, cells }
}

const isKnown = (cell: string): boolean =>
  recognizeField(cell) !== undefined || recognizeOptOutColumn(cell, []) !== undefined

/**
 * Finds the header: the record near the top with the most known names, with any delimiter. If there are no known names,
 * the first record is the header, unless it contains an email address. In that case, the columns have no names.
 */
function findHeader(lines: readonly string[]): { delimiter: string; head: string[]; start: number } {
  let best = { delimiter: ',', head: [''], start: 0, score: 0 }
  for (const delimiter of DELIMITERS)
    for (let index = 0, count = 0; index < lines.length && count < MAX_RECORDS_BEFORE_HEADER; count++) {
      const { lineCount, cells = [] } = parseRecordAt(lines, index, delimiter)
      index += lineCount
      const score = cells.filter(isKnown).length
      if (score > best.score || (score > 0 && score === best.score && index < best.start))
        best = { delimiter, head: cells, start: index, score }
    }
  return best.score > 0 ? best : guessHeader(lines)
}

function guessHeader(lines: readonly string[]): { delimiter: string; head: string[]; start: number } {
  const first = lines.findIndex(line => line.trim())
  const [widest] = DELIMITERS.map(delimiter => ({
    delimiter,
    ...parseRecordAt(lines, first, delimiter),
  })).sort((a, b) => (b.cells?.length ?? 0) - (a.cells?.length ?? 0))
  const { delimiter, lineCount, cells = [''] } = widest!
  return cells.some(cell => cell.includes('@'))
    ? { delimiter, head: cells.map(() => ''), start: first }
    : { delimiter, head: cells, start: first + lineCount }
}

/** Parses a batch of records that starts at a line. Parses them one by one only if their quotes are invalid. */
function parseBatch(lines: readonly string[], start: number, delimiter: string): CsvRecord[] {
  const batch: { line: number; lineCount: number }[] = []
  let end = start
  while (end < lines.length && batch.length < BATCH_RECORDS) {
    const lineCount = countLines(lines, end)
    batch.push({ line: end + 1, lineCount })
    end += lineCount
  }
  const records = parseCells(lines.slice(start, end).join('\n'), delimiter, false)
  if (records?.length === batch.length)
    return batch.map((record, index) => ({ ...record, cells: records[index]! }))
  const parsed: CsvRecord[] = []
  for (let next = start; next < end; ) {
    const record = parseRecordAt(lines, next, delimiter)
    parsed.push(record)
    next += record.lineCount
  }
  return parsed
}

/** Parses the record that starts at a line. A stray quote must not swallow the following lines. */
function parseRecordAt(lines: readonly string[], lineIndex: number, delimiter: string): CsvRecord {
  const line = lineIndex + 1
  const first = lines[lineIndex]!
  if (!first.includes('"')) return { line, lineCount: 1, cells: first === '' ? [] : first.split(delimiter) }
  const lineCount = countLines(lines, lineIndex)
  const strict = parseCells(lines.slice(lineIndex, lineIndex + lineCount).join('\n'), delimiter, false)
  if (strict?.length === 1) return { line, lineCount, cells: strict[0]! }
  const lenient = parseCells(first, delimiter, true)
  return { line, lineCount: 1, ...(lenient?.length === 1 && { cells: lenient[0]! }) }
}

/** Counts the lines through the one that closes all quotes. Returns 1 if the quotes are never closed. */
function countLines(lines: readonly string[], lineIndex: number): number {
  let isOpen = false
  let length = 0
  for (let end = lineIndex; end < lines.length && length <= MAX_RECORD_LENGTH; end++) {
    const line = lines[end]!
    if (line.includes('"') && line.split('"').length % 2 === 0) isOpen = !isOpen
    if (!isOpen) return end - lineIndex + 1
    length += line.length
  }
  return 1
}

function parseCells(text: string, delimiter: string, isLenient: boolean): string[][] | undefined {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: '\n',
      relax_quotes: isLenient,
      relax_column_count: true,
    })
  } catch {
    return undefined
  }
}

/** Returns unique column names without line breaks or delimiters. */
function toNames(head: readonly string[]): string[] {
  const used = new Set<string>()
  return head.map((cell, index) => {
    const text = cell
      .normalize('NFC')
      .replace(/[\s\p{Cc}\p{Cf};|]+/gu, ' ')
      .replace(/^[\s'=+@-]+/, '')
      .slice(0, MAX_NAME_LENGTH)
      .trim()
    const base = /[\p{L}\p{N}]/u.test(text) ? text : `Column ${index + 1}`
    let name = base
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${base} (${count})`
    used.add(name.toLowerCase())
    return name
  })
}
