import { normalizeName, recognizeField } from '../../../contract/csv-headers.ts'
import type { optOutColumns } from '../../../contract/dnc.ts'
import { identifierTypes } from '../../../contract/dnc.ts'
import type { ProspectField } from '../../../contract/person-fields.ts'
import { invalid } from '../../kernel/errors.ts'
import {
  cleanCell,
  findExtraCells,
  headerNotFound,
  maxCellLength,
  openCsv,
} from '../../protocols/csv/open-csv.ts'
import type { CsvRecord } from '../../protocols/csv/records.ts'
import {
  isPublicDomain,
  type OptOutIdentifier,
  type OptOutKind,
  parseOptOutIdentifier,
  toIdentifierError,
} from '../../protocols/identity/opt-out-identifier.ts'
import type { NewOptOut } from '../people/opt-outs/store-opt-outs.ts'

type ColumnName = (typeof optOutColumns)[number]
/** The field in each column, by header name; null ignores the column. */
export type OptOutColumnMap = Readonly<Record<string, ColumnName | null>>
type Column = { index: number; name: string; field: ColumnName }

/** The identifiers in a row, and the reason why the row or a part of it can't be parsed. */
type ParsedRow = { entries?: NewOptOut[]; error?: string | undefined }
type OptOutRow = ParsedRow & { line: number }

type ParseOptions = {
  defaultCountry?: string | undefined
  /** Accepts domains at which anyone can have an address. */
  confirmPublicDomain?: boolean | undefined
}

type OptOutFile = { columns: Column[]; ignored: string[]; rows: AsyncGenerator<OptOutRow> }

const knownNames = 'Identifier, Email, Domain, Phone, LinkedIn URL, Name'
const maxIdentifierLength = 2000
const maxNameLength = 200
/** Limits the time for which parsing a row blocks the event loop. */
const maxBareParts = 500

const optOutHeaders: Record<string, ColumnName> = {
  identifier: 'identifier',
  value: 'identifier',
  entry: 'identifier',
  donotcontact: 'identifier',
  identifiertype: 'identifierType',
  blockeddomain: 'domain',
  emailorphone: 'identifier',
}
const prospectColumns: Partial<Record<ProspectField, ColumnName>> = {
  email: 'email',
  linkedinUrl: 'linkedinUrl',
  phone: 'phone',
  website: 'domain',
  fullName: 'name',
  firstName: 'name',
  lastName: 'name',
}
const identifierKinds: Partial<Record<ColumnName, OptOutKind>> = {
  email: 'email',
  linkedinUrl: 'linkedin',
  phone: 'phone',
  domain: 'domain',
}

/**
 * Opens a CSV file of people and domains that must not be contacted. Recognizes the header names of a prospect import
 * and those of our own export; in a list without a header, every cell can be an identifier. Above a header, rows that
 * start with an identifier of a person are read too; other rows may be titles.
 */
export async function openOptOutCsv(
  stream: AsyncIterable<Uint8Array>,
  { map = {}, ...options }: ParseOptions & { map?: OptOutColumnMap },
): Promise<OptOutFile> {
  const isEntry = (part: string) => parseEntry(part, undefined, options.defaultCountry) !== undefined
  const { header, hasData, above, head, records, close } = await openCsv(stream, {
    countNames: (cells, isBelowData) => {
      const fields = cells.map(cell => recognizeColumn(cell, map)).filter(field => field !== undefined)
      // Below identifiers, a record such as "Name" is a row of a list without a header.
      return isBelowData && !fields.some(isIdentifier) ? 0 : fields.length
    },
    isData: cells => splitBareCells(cells).slice(0, maxBareParts).some(isEntry),
  })
  try {
    if (!header && !hasData) throw headerNotFound(head, knownNames)
    const columns = chooseColumns(header ?? ['identifier'], map)
    const parse = header
      ? (cells: readonly string[]) => parseRow(cells, header.length, columns, options)
      : (cells: readonly string[]) => parseBareRow(cells, options)
    const readIndexes = new Set(columns.map(column => column.index))
    return {
      columns,
      ignored: (header ?? []).filter((name, index) => name && !readIndexes.has(index)),
      rows: (async function* () {
        try {
          yield* parseRows(above, cells => parseRowAboveHeader(cells, options))
          yield* parseRows(records, parse)
        } finally {
          await close()
        }
      })(),
    }
  } catch (error) {
    await close()
    throw error
  }
}

const isIdentifier = (field: ColumnName | null | undefined): boolean =>
  field === 'identifier' || Boolean(field && identifierKinds[field])

/** Returns the field in the column with that name; null to ignore the column, undefined when unrecognized. */
function recognizeColumn(name: string, map: OptOutColumnMap): ColumnName | null | undefined {
  const key = normalizeName(name)
  const mapped = Object.keys(map).find(each => each.trim() === name || normalizeName(each) === key)
  if (mapped !== undefined) return map[mapped]
  if (Object.hasOwn(optOutHeaders, key)) return optOutHeaders[key]
  const field = recognizeField(name)?.field
  return field && prospectColumns[field]
}

function chooseColumns(header: readonly string[], map: OptOutColumnMap): Column[] {
  const columns = header.flatMap((name, index): Column[] => {
    const field = recognizeColumn(name, map)
    return field ? [{ index, name, field }] : []
  })
  const keys = new Set(header.map(normalizeName))
  const missing = Object.keys(map).find(name => !keys.has(normalizeName(name)))
  if (missing !== undefined) throw invalid(`map.${missing.slice(0, 100)}`, 'column does not exist')
  if (columns.some(({ field }) => isIdentifier(field))) return columns
  throw invalid(
    'map',
    `No column has identifiers. Recognized names: ${knownNames}. Map other names with \`map\`.`,
  )
}

async function* parseRows(
  records: Iterable<CsvRecord> | AsyncIterable<CsvRecord>,
  parse: (cells: readonly string[]) => ParsedRow | undefined,
): AsyncGenerator<OptOutRow> {
  for await (const { line, ...record } of records) {
    if (record.error !== undefined) yield { line, error: record.error }
    else if (record.cells.some(cell => cell.trim())) {
      const parsed = parse(record.cells)
      if (parsed) yield { line, ...parsed }
    }
  }
}

/**
 * Returns all entries of a row without a header. If other parts of the row may be identifiers but can't be parsed, also
 * returns the error of the first. Such parts don't reject the row: they may be notes, and the person next to them must
 * not be contacted.
 */
function parseBareRow(cells: readonly string[], options: ParseOptions): ParsedRow {
  const parts = splitBareCells(cells)
  if (parts.length > maxBareParts)
    return { error: `has more than ${maxBareParts} identifiers: put each on a line of its own` }
  const entries: NewOptOut[] = []
  let problem: string | undefined
  for (const part of parts) {
    const entry = parseEntry(part, undefined, options.defaultCountry)
    const error = entry ? findPublicDomain(entry, options) : toIdentifierError(undefined)
    if (entry && !error) entries.push(entry)
    else if (mayBeIdentifier.test(part)) problem ??= `${part.slice(0, 100).toWellFormed()}: ${error}`
  }
  return { entries, error: problem ?? (entries.length > 0 ? undefined : toIdentifierError(undefined)) }
}

/**
 * Returns the entries of a row above the header; undefined for a title. A title such as `Account,acme.com` must not
 * block a company: domains are rejected there, and so are rows that start with anything but an address, a LinkedIn
 * profile or an international phone number.
 */
function parseRowAboveHeader(cells: readonly string[], options: ParseOptions): ParsedRow | undefined {
  const { entries, error } = parseBareRow(cells, options)
  if (!entries) return { error }
  if (entries.length === 0) return undefined
  const isPerson = startsWithPerson.test(splitBareCells(cells)[0]!)
  const accepted = isPerson ? entries.filter(({ kind }) => kind !== 'domain') : []
  return accepted.length === entries.length
    ? { entries, error }
    : { entries: accepted, error: 'may be a title: move identifiers below the column names' }
}

const startsWithPerson = /^(?:[^\s@]+@\S+$|\S*linkedin\.com\/\S+$|\+|00)/i

/** Matches text with an @, a digit or a dot within it. */
const mayBeIdentifier = /[@\p{Nd}]|\.\S/u

/** Matches a date or a short number, such as a postal code, which would pass for a phone number in some countries. */
const dateOrShortNumber =
  /^(?:\d{1,5}|(?:\d{4}([-./])[0-3]?\d\1[0-3]?\d|[0-3]?\d([-./])[0-3]?\d\2(?:\d{4}|\d{2}))(?:[ T]\d{1,2}:\d{2}.*)?)$/

/** Splits the cells of a row without a header, whose delimiter is unknown. Leaves out dates and short numbers. */
const splitBareCells = (cells: readonly string[]): string[] =>
  cells
    .flatMap(cell => cell.split(/[,;|\t\n]| ::: /).map(cleanCell))
    .filter(part => part && !dateOrShortNumber.test(part))

/** Returns all entries of a row below a header. If one can't be parsed, rejects the row and returns the error. */
function parseRow(
  cells: readonly string[],
  width: number,
  columns: readonly Column[],
  options: ParseOptions,
): ParsedRow {
  const extraCells = findExtraCells(cells, width)
  if (extraCells) return { error: extraCells }
  const longColumn = columns.find(({ index }) => (cells[index] ?? '').length > maxCellLength)
  if (longColumn) return { error: `${longColumn.name}: longer than ${maxCellLength} characters` }
  const filled = columns
    .map(column => ({ ...column, cell: cells[column.index] ?? '' }))
    .filter(({ cell }) => cleanCell(cell))
  const getCells = (wanted: ColumnName) =>
    filled.filter(({ field }) => field === wanted).map(({ cell }) => cleanCell(cell))
  const type = getCells('identifierType')[0]
    ?.toLowerCase()
    .replace(/[\s-]+/g, '_')
  const rowType = identifierTypes.find(known => known === type)
  if (type && !rowType)
    return {
      error: `the type ${JSON.stringify(type.slice(0, 40))} must be one of ${identifierTypes.join(', ')}`,
    }
  const naming = filled.filter(({ field }) => isIdentifier(field) && field !== 'domain')
  // Next to an address, the domain is the person's company; alone, it blocks everyone there.
  const chosen = naming.length > 0 ? naming : filled.filter(({ field }) => field === 'domain')
  const name = getCells('name').join(' ').slice(0, maxNameLength) || undefined
  const entries: NewOptOut[] = []
  for (const { name: column, field, cell } of chosen) {
    const identifierType = identifierKinds[field] ?? rowType
    for (const part of splitCell(cell, identifierType)) {
      const entry = parseEntry(part, identifierType, options.defaultCountry)
      if (!entry) return { error: `${column}: ${toIdentifierError(identifierType)}` }
      const error = findPublicDomain(entry, options)
      if (error) return { error: `${column}: ${error}` }
      entries.push({ ...entry, name })
    }
  }
  return entries.length > 0
    ? { entries }
    : { error: 'has no email address, LinkedIn profile, phone number or domain' }
}

const findPublicDomain = (
  entry: OptOutIdentifier,
  { confirmPublicDomain }: ParseOptions,
): string | undefined =>
  isPublicDomain(entry) && !confirmPublicDomain
    ? `anyone can have an address at ${entry.value}; set confirmPublicDomain to block everyone there`
    : undefined

/** Splits a cell: some tools export several addresses or numbers in one cell. */
function splitCell(cell: string, kind: OptOutKind | undefined): string[] {
  if (kind === 'web_chat') return [cleanCell(cell)]
  const parts = cell.split(kind === 'email' ? /[;,|\n]| ::: / : /[;|\n]|,\s| ::: /).map(cleanCell)
  // "Doe, Jane <jane@acme.com>" is one address.
  const named = kind === 'email' ? parts.filter(part => part.includes('@')) : parts.filter(Boolean)
  return named.length > 0 ? named : [cleanCell(cell)]
}

const parseEntry = (
  identifier: string,
  identifierType: OptOutKind | undefined,
  defaultCountry: string | undefined,
): OptOutIdentifier | undefined =>
  identifier.length > maxIdentifierLength
    ? undefined
    : parseOptOutIdentifier({ identifier, identifierType }, defaultCountry)
