import { maxLengths, normalizeName } from '../../../../contract/csv-headers.ts'
import type { ProspectField } from '../../../../contract/person-fields.ts'
import {
  cleanCell,
  findExtraCells,
  headerNotFound,
  maxCellLength,
  openCsv,
} from '../../../protocols/csv/open-csv.ts'
import type { CsvRecord } from '../../../protocols/csv/records.ts'
import { type ColumnMap, type CsvColumn, chooseColumns, countKnownNames } from './csv-columns.ts'
import { splitFullName } from './full-name.ts'

const knownNames = 'First Name, Last Name, Full Name, Company, Job Title, Email, LinkedIn URL, Phone, Website'

type ProspectValues = Partial<Record<Exclude<ProspectField, 'fullName'>, string>>

/** A row of the file. `raw` contains its cells unchanged; it is empty if the line could not be split into cells. */
export type CsvRow =
  | { line: number; raw: string[]; values: ProspectValues; error?: undefined }
  | { line: number; raw: string[]; values?: undefined; error: string }

export type CsvFile = {
  header: string[]
  /** The columns that are read, the preferred column of a field first. */
  columns: CsvColumn[]
  /** Names of the columns that are not read. */
  ignored: string[]
  /** Yields every row that is not blank; leaving the loop closes the stream. */
  rows: AsyncGenerator<CsvRow>
}

/**
 * Opens a CSV file of persons and reads its header; rows are read on demand, in bounded memory. Throws ValidationError
 * if there is no header or no usable column, or if `map` names unknown columns or fields. Values are trimmed to one
 * line but not validated; a row that can't be read has the reason in `error`. `encoding` (a WHATWG label) is for files
 * that are neither Unicode nor Windows-1252.
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
    const values = findExtraCells(raw, width) ?? readValues(raw, columns)
    yield typeof values === 'string' ? { line, raw, error: values } : { line, raw, values }
  }
}

/** Characters that never occur in a name or address; a sign of the wrong encoding. */
const undecodable = /[\ufffd\u0080-\u0084\u0086-\u009f]/

/** Returns the values of a row, each field from its first non-empty column, or the reason why it can't be read. */
function readValues(cells: readonly string[], columns: readonly CsvColumn[]): ProspectValues | string {
  const found: Partial<Record<ProspectField, string>> = {}
  for (const column of columns) {
    const { field, name, index } = column
    if (found[field]) continue
    const cell = cells[index] ?? ''
    if (cell.length > maxCellLength) return `${name}: longer than ${maxLengths[field]} characters`
    if (undecodable.test(cell)) return `${name}: contains an unreadable character; save the file as UTF-8`
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
  // A column named "URL" contains profiles in LinkedIn's exports, but other links elsewhere.
  const isOtherLink =
    field === 'linkedinUrl' &&
    !isMapped &&
    !normalizeName(name).includes('linkedin') &&
    !/linkedin\./i.test(value)
  return isOtherLink ? '' : value
}
