import { consentColumns, recordConsent } from '../../../../contract/consents.ts'
import { normalizeName, recognizeField } from '../../../../contract/csv-headers.ts'
import { invalid } from '../../../kernel/errors.ts'
import {
  cleanCell,
  findExtraCells,
  headerNotFound,
  maxCellLength,
  openCsv,
} from '../../../protocols/csv/open-csv.ts'
import type { CsvRecord } from '../../../protocols/csv/records.ts'
import { canonicalPhone, phoneRule } from '../../../protocols/identity/phone.ts'

type ColumnName = (typeof consentColumns)[number]
/** The field of each column, by header name; null ignores the column. */
export type ConsentColumnMap = Readonly<Record<string, ColumnName | null>>
type Column = { index: number; name: string; field: ColumnName }

/** A consent with its number in E.164; `givenAt` defaults to now. */
export type NewConsent = Omit<ReturnType<typeof fields.parse>, 'phoneNumber'> & { phone: string }

/** A row with a consent, or the reason why it can't be parsed. */
type ConsentRow = { line: number; entries: [NewConsent]; error?: undefined } | { line: number; error: string }

type ConsentFile = { columns: Column[]; ignored: string[]; rows: AsyncGenerator<ConsentRow> }

const fields = recordConsent.input
const required = ['phoneNumber', 'kind', 'proof'] as const

const consentHeaders: Record<string, ColumnName> = {
  phonenumber: 'phoneNumber',
  kind: 'kind',
  consent: 'kind',
  consenttype: 'kind',
  covers: 'covers',
  proof: 'proof',
  evidence: 'proof',
  source: 'source',
  givenat: 'givenAt',
  consentdate: 'givenAt',
  date: 'givenAt',
}

/** Opens a CSV file with one consent per row. */
export async function openConsentCsv(
  stream: AsyncIterable<Uint8Array>,
  { map = {}, ...options }: ParseOptions & { map?: ConsentColumnMap },
): Promise<ConsentFile> {
  const countNames = (cells: readonly string[]) =>
    cells.filter(cell => recognizeColumn(cell, map) !== undefined).length
  const { header, head, records, close } = await openCsv(stream, { countNames })
  try {
    if (!header) throw headerNotFound(head, consentColumns.join(', '))
    const columns = chooseColumns(header, map)
    const readIndexes = new Set(columns.map(column => column.index))
    return {
      columns,
      ignored: header.filter((name, index) => name && !readIndexes.has(index)),
      rows: parseRows(records, header.length, columns, options),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the field of the column with that name; null for an ignored column, undefined when unrecognized. */
function recognizeColumn(name: string, map: ConsentColumnMap): ColumnName | null | undefined {
  const key = normalizeName(name)
  const mapped = Object.keys(map).find(each => each.trim() === name || normalizeName(each) === key)
  if (mapped !== undefined) return map[mapped]
  if (Object.hasOwn(consentHeaders, key)) return consentHeaders[key]
  const field = recognizeField(name)?.field
  if (field === 'phone') return 'phoneNumber'
  return field && ['fullName', 'firstName', 'lastName'].includes(field) ? 'name' : undefined
}

function chooseColumns(header: readonly string[], map: ConsentColumnMap): Column[] {
  const columns = header.flatMap((name, index): Column[] => {
    const field = recognizeColumn(name, map)
    return field ? [{ index, name, field }] : []
  })
  const keys = new Set(header.map(normalizeName))
  const unknown = Object.keys(map).find(name => !keys.has(normalizeName(name)))
  if (unknown !== undefined) throw invalid(`map.${unknown.slice(0, 100)}`, 'column does not exist')
  const missing = required.filter(name => !columns.some(({ field }) => field === name))
  if (missing.length === 0) return columns
  throw invalid('map', `No column for ${missing.join(' or ')}. Rename a column, or map one with \`map\`.`)
}

export type ParseOptions = {
  defaultCountry: string | undefined
  /** Time zone for dates without a time. */
  timezone: string
  now: Date
}

async function* parseRows(
  records: AsyncGenerator<CsvRecord>,
  width: number,
  columns: readonly Column[],
  options: ParseOptions,
): AsyncGenerator<ConsentRow> {
  for await (const { line, ...record } of records) {
    if (record.error !== undefined) yield { line, error: record.error }
    else if (record.cells.some(cell => cell.trim())) {
      const read = findExtraCells(record.cells, width) ?? parseRow(record.cells, columns, options)
      yield typeof read === 'string' ? { line, error: read } : { line, entries: [read] }
    }
  }
}

/** Applies the same rules as recordConsent. */
function parseRow(
  cells: readonly string[],
  columns: readonly Column[],
  { defaultCountry, timezone, now }: ParseOptions,
): NewConsent | string {
  const getText = (field: ColumnName) =>
    columns
      .filter(column => column.field === field)
      .map(({ index }) => cleanCell((cells[index] ?? '').slice(0, maxCellLength)))
      .filter(Boolean)
      .join(field === 'name' ? ' ' : '; ') || undefined
  const getHeader = (field: ColumnName) => columns.find(column => column.field === field)?.name ?? field
  const getKeyword = (name: ColumnName) =>
    getText(name)
      ?.toLowerCase()
      .replace(/[\s-]+/g, '_')
  const values = {
    ...Object.fromEntries(consentColumns.map(name => [name, getText(name)])),
    kind: getKeyword('kind'),
    covers: getKeyword('covers'),
    givenAt: parseTime(getText('givenAt'), timezone),
  }
  const parsed = fields.safeParse(values)
  if (!parsed.success) {
    const [name] = parsed.error.issues[0]!.path as [ColumnName]
    return `${getHeader(name)}: ${getText(name) ? (columnErrors[name] ?? 'cannot be read') : 'is missing'}`
  }
  const { phoneNumber, ...consent } = parsed.data
  const phone = canonicalPhone(phoneNumber, defaultCountry)
  if (!phone) return `${getHeader('phoneNumber')}: ${phoneRule}`
  if (consent.givenAt && new Date(consent.givenAt) > now)
    return `${getHeader('givenAt')}: must not be in the future`
  return { ...consent, phone }
}

const columnErrors: Partial<Record<ColumnName, string>> = {
  kind: `must be one of ${fields.shape.kind.options.join(', ')}`,
  covers: `must be one of ${fields.shape.covers.unwrap().options.join(', ')}`,
  givenAt: 'must be a date such as 2026-11-20, or a time such as 2026-11-20T09:30:00Z',
  proof: 'must be at most 2,000 characters long',
}

/**
 * Returns a time in ISO format; a date becomes the start of that day in the time zone. Returns other text unchanged, so
 * that validation rejects it.
 */
function parseTime(text: string | undefined, timezone: string): string | undefined {
  if (text === undefined) return undefined
  try {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
    const at = isDay
      ? Temporal.PlainDate.from(text).toZonedDateTime(timezone).toInstant()
      : Temporal.Instant.from(text)
    return new Date(at.epochMilliseconds).toISOString()
  } catch {
    return text
  }
}
