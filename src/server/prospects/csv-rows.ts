import { invalid } from '../errors.ts'
import { dropInvisible } from '../identity/text.ts'
import { type ColumnMap, type CsvColumn, chooseColumns, countKnownNames } from './csv-columns.ts'
import { maxLengths, normalizeName, type ProspectField } from './csv-fields.ts'
import { type CsvRecord, type Line, readRecords, splitLines, takeRecord } from './csv-records.ts'
import { decodeCsv } from './csv-text.ts'
import { splitFullName } from './full-name.ts'

const maxColumns = 500
/** Lines before the header that a tool may write: LinkedIn's notes, Excel's `sep=;`, a report's title. */
const maxRecordsToHeader = 20
const lookAheadLength = 256 * 1024

export type ProspectValues = Partial<Record<Exclude<ProspectField, 'fullName'>, string>>

/** `raw` are the cells as they stand in the file, empty when they could not be told apart. */
export type CsvRow =
  | { line: number; raw: string[]; values: ProspectValues; error?: undefined }
  | { line: number; raw: string[]; values?: undefined; error: string }

export type CsvFile = {
  header: string[]
  /** What is read, the preferred column of a field first. */
  columns: CsvColumn[]
  /** Names of the columns that are not read. */
  ignored: string[]
  /** Every row that is not blank, as it is asked for; leaving the loop closes the stream. */
  rows: AsyncGenerator<CsvRow>
}

/**
 * Opens a CSV file of persons and reads its header; the rows follow on demand, in bounded memory. Throws
 * ValidationError when there is no header, or no column of use, or `map` names what is not there. Values are trimmed
 * to one line but not otherwise checked; a row that can't be read has its reason in `error`, others go on. `encoding`
 * (a label of the WHATWG standard) is for files that are neither Unicode nor Windows-1252.
 */
export async function readCsvRows(
  stream: AsyncIterable<Uint8Array>,
  { map = {}, encoding }: { map?: ColumnMap; encoding?: string } = {},
): Promise<CsvFile> {
  const lines = splitLines(decodeCsv(stream, encoding))
  try {
    const head = await lookAhead(lines)
    const { cells: header, delimiter, lineCount } = findHeader(head, map)
    const { columns, ignored } = chooseColumns(header, map)
    const records = readRecords(head.slice(lineCount), lineCount + 1, lines, delimiter)
    return { header, columns, ignored, rows: readRows(records, header.length, columns) }
  } catch (error) {
    await lines.return(undefined)
    throw error
  }
}

async function lookAhead(lines: AsyncGenerator<Line[]>): Promise<Line[]> {
  const head: Line[] = []
  for (let length = 0; length < lookAheadLength && head.length < 2 * maxRecordsToHeader; ) {
    const next = await lines.next()
    if (next.done) break
    head.push(...next.value)
    length += next.value.reduce((sum, line) => sum + (line?.length ?? lookAheadLength), 0)
  }
  return head
}

type Header = { cells: string[]; delimiter: string; lineCount: number; score: number }

/** The record near the top with the most names we know, read with the delimiter that shows them. */
function findHeader(head: readonly Line[], map: ColumnMap): Header {
  let best: Header | undefined
  for (const delimiter of [',', ';', '\t', '|']) {
    let lineCount = 0
    for (let i = 0; i < maxRecordsToHeader; i++) {
      const taken = takeRecord(head, lineCount, true, delimiter)
      if (!taken) break
      lineCount += taken.lineCount
      if (taken.error !== undefined) continue
      const cells = taken.cells.map(cell => cleanCell(cell))
      const score = countKnownNames(cells, map)
      if (score > (best?.score ?? 0) || (score === best?.score && lineCount < best.lineCount))
        best = { cells, delimiter, lineCount, score }
    }
  }
  if (!best) throw noHeader(head)
  if (best.cells.length > maxColumns)
    throw invalid('', `The header has ${best.cells.length} columns; at most ${maxColumns} can be read`)
  return best
}

function noHeader(head: readonly Line[]): Error {
  if (head.every(line => line?.trim() === '')) return invalid('', 'The file is empty')
  const first = head.find(line => line?.trim()) ?? 'a line that never ends'
  return invalid(
    '',
    `No line near the top names the columns. Known names are, among others: First Name, Last Name, Full Name, Company, Job Title, Email, LinkedIn URL, Phone, Website; other names can be mapped. The file begins with ${JSON.stringify(first.slice(0, 80).toWellFormed())}`,
  )
}

async function* readRows(
  records: AsyncGenerator<CsvRecord>,
  width: number,
  columns: readonly CsvColumn[],
): AsyncGenerator<CsvRow> {
  for await (const record of records) {
    const { line } = record
    if (record.error !== undefined) {
      yield { line, raw: [], error: record.error }
      continue
    }
    const raw = record.cells
    if (raw.every(cell => !cell.trim())) continue
    const values = raw.slice(width).some(cell => cell.trim())
      ? `The row has ${raw.length} cells and the header ${width}: a cell with a delimiter in it may lack its quotes`
      : readValues(raw, columns)
    yield typeof values === 'string' ? { line, raw, error: values } : { line, raw, values }
  }
}

/** What no name or address holds: signs that the bytes were of another encoding. */
const misread = /[\ufffd\u0080-\u0084\u0086-\u009f]/

/** What the row says, each field from its first column that holds something; a text says why it can't be read. */
function readValues(cells: readonly string[], columns: readonly CsvColumn[]): ProspectValues | string {
  const found: Partial<Record<ProspectField, string>> = {}
  for (const column of columns) {
    const { field, name, index } = column
    if (found[field]) continue
    const cell = cells[index] ?? ''
    if (misread.test(cell)) return `${name}: holds a character that could not be read; save the file as UTF-8`
    const value = readCell(cell, column)
    if (value.length > maxLengths[field]) return `${name}: longer than ${maxLengths[field]} characters`
    if (value) found[field] = value
  }
  const { fullName, ...values } = found
  return fullName && !values.firstName && !values.lastName
    ? { ...values, ...splitFullName(fullName) }
    : values
}

function readCell(cell: string, { field, name, isMapped }: CsvColumn): string {
  if (field === 'email')
    return cleanCell(cell.split(/[;,|<>"\n]| ::: /).find(part => part.includes('@')) ?? cell)
  if (field === 'phone') return cleanCell(cell.split(/[;|\n]|,\s| ::: /).find(part => part.trim()) ?? '')
  const value = cleanCell(cell)
  // "URL" is a profile in LinkedIn's own exports and anything elsewhere.
  const isForeign =
    field === 'linkedinUrl' &&
    !isMapped &&
    !normalizeName(name).includes('linkedin') &&
    !/linkedin\./i.test(value)
  return isForeign ? '' : value
}

/** One line without what does not show; no placeholder, no apostrophe that kept a spreadsheet from calculating. */
function cleanCell(cell: string): string {
  const text = dropInvisible(cell)
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return /^(?:#?n\/a|[-–—]+)$/i.test(text) ? '' : text.replace(/^'(?=[=+\-@])/, '')
}
