import { cleanCell, headerNotFound, maxCellLength, openCsv } from '../../protocols/csv/open-csv.ts'
import type { CsvRecord } from '../../protocols/csv/records.ts'
import { maxLengths, normalizeName, type ProspectField } from '../people/persons/recognize-csv-headers.ts'
import { type ColumnMap, type CsvColumn, chooseColumns, countKnownNames } from './csv-columns.ts'
import { splitFullName } from './full-name.ts'

const knownNames = 'First Name, Last Name, Full Name, Company, Job Title, Email, LinkedIn URL, Phone, Website'

type ProspectValues = Partial<Record<Exclude<ProspectField, 'fullName'>, string>>

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
  const countNames = (cells: readonly string[]) => countKnownNames(cells, map)
  const { header, head, records, close } = await openCsv(stream, { countNames, encoding })
  try {
    if (!header) throw headerNotFound(head, knownNames)
    const { columns, ignored } = chooseColumns(header, map)
    return { header, columns, ignored, rows: readRows(records, header.length, columns) }
  } catch (error) {
    await close()
    throw error
  }
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
    if (cell.length > maxCellLength) return `${name}: longer than ${maxLengths[field]} characters`
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
