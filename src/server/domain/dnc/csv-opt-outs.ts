import type { optOutColumns } from '../../../contract/dnc.ts'
import { identifierTypes } from '../../../contract/dnc.ts'
import { invalid } from '../../kernel/errors.ts'
import {
  cleanCell,
  getHeaderLines,
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
} from '../../protocols/identity/opt-out-identifier.ts'
import type { NewOptOut } from '../people/opt-outs/store-opt-outs.ts'
import { normalizeName, type ProspectField, recognizeField } from '../people/persons/csv-fields.ts'

type ColumnName = (typeof optOutColumns)[number]
/** By column name: what it holds, or null to leave it out. */
export type OptOutColumnMap = Readonly<Record<string, ColumnName | null>>
type Column = { index: number; name: string; holds: ColumnName }

/** A row names somebody, in one way or several, or says why it can't be read. */
type OptOutRow = { line: number; entries: NewOptOut[]; error?: undefined } | { line: number; error: string }

type Reading = {
  defaultCountry?: string | undefined
  /** Takes domains on which anybody may have an address. */
  confirmPublicDomain?: boolean | undefined
}

type OptOutFile = { columns: Column[]; ignored: string[]; rows: AsyncGenerator<OptOutRow> }

const knownNames = 'Identifier, Email, Domain, Phone, LinkedIn URL, Name'
const maxIdentifierLength = 2000
const maxNameLength = 200

const ownNames: Record<string, ColumnName> = {
  identifier: 'identifier',
  value: 'identifier',
  entry: 'identifier',
  donotcontact: 'identifier',
  identifiertype: 'identifierType',
  blockeddomain: 'domain',
  emailorphone: 'identifier',
}
const prospectNames: Partial<Record<ProspectField, ColumnName>> = {
  email: 'email',
  linkedinUrl: 'linkedinUrl',
  phone: 'phone',
  website: 'domain',
  fullName: 'name',
  firstName: 'name',
  lastName: 'name',
}
const kindOf: Partial<Record<ColumnName, OptOutKind>> = {
  email: 'email',
  linkedinUrl: 'linkedin',
  phone: 'phone',
  domain: 'domain',
}

/**
 * Opens a CSV text of people and domains that must not be contacted. Columns are known by the names that an import of
 * prospects knows, and by those of our own export; a bare list with no header is read as identifiers.
 */
export async function openOptOutCsv(
  stream: AsyncIterable<Uint8Array>,
  { map = {}, ...reading }: Reading & { map?: OptOutColumnMap },
): Promise<OptOutFile> {
  const { defaultCountry } = reading
  const isEntry = (cell: string) => parseOptOutIdentifier({ identifier: cell }, defaultCountry) !== undefined
  // What stands in the list itself is never taken for its header, or those above it would be lost.
  const countNames = (cells: readonly string[]) =>
    cells.some(isEntry) ? 0 : cells.filter(cell => columnOf(cell, map) !== undefined).length
  const { header, head, records, close } = await openCsv(stream, { countNames })
  try {
    const isBareList = getHeaderLines(head).some(
      line => line !== undefined && isEntry(cleanCell(line.slice(0, maxCellLength).split(',', 1)[0]!)),
    )
    if (!header && !isBareList) throw headerNotFound(head, knownNames)
    const columns = chooseColumns(header ?? ['identifier'], map)
    const isRead = new Set(columns.map(column => column.index))
    return {
      columns,
      ignored: (header ?? []).filter((name, index) => name && !isRead.has(index)),
      rows: readRows(records, columns, reading),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What the column of that name holds; null when it is to be left out, undefined when nobody knows. */
function columnOf(name: string, map: OptOutColumnMap): ColumnName | null | undefined {
  const key = normalizeName(name)
  const mapped = Object.keys(map).find(each => each.trim() === name || normalizeName(each) === key)
  if (mapped !== undefined) return map[mapped]
  if (Object.hasOwn(ownNames, key)) return ownNames[key]
  const field = recognizeField(name)?.field
  return field && prospectNames[field]
}

function chooseColumns(header: readonly string[], map: OptOutColumnMap): Column[] {
  const columns = header.flatMap((name, index): Column[] => {
    const holds = columnOf(name, map)
    return holds ? [{ index, name, holds }] : []
  })
  const keys = new Set(header.map(normalizeName))
  const missing = Object.keys(map).find(name => !keys.has(normalizeName(name)))
  if (missing !== undefined) throw invalid(`map.${missing.slice(0, 100)}`, 'column does not exist')
  if (columns.some(({ holds }) => holds === 'identifier' || kindOf[holds])) return columns
  throw invalid('map', `No column holds whom not to contact. Known names are: ${knownNames}; map the others.`)
}

async function* readRows(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly Column[],
  reading: Reading,
): AsyncGenerator<OptOutRow> {
  for await (const { line, ...record } of records) {
    if (record.error !== undefined) yield { line, error: record.error }
    else if (record.cells.some(cell => cell.trim())) {
      const read = readRow(record.cells, columns, reading)
      yield typeof read === 'string' ? { line, error: read } : { line, entries: read }
    }
  }
}

/** All that the row names, or why one of it can't be read: then nothing of the row counts. */
function readRow(
  cells: readonly string[],
  columns: readonly Column[],
  { defaultCountry, confirmPublicDomain }: Reading,
): NewOptOut[] | string {
  const long = columns.find(({ index }) => (cells[index] ?? '').length > maxCellLength)
  if (long) return `${long.name}: longer than ${maxCellLength} characters`
  const filled = columns
    .map(column => ({ ...column, cell: cells[column.index] ?? '' }))
    .filter(({ cell }) => cleanCell(cell))
  const texts = (wanted: ColumnName) =>
    filled.filter(({ holds }) => holds === wanted).map(({ cell }) => cleanCell(cell))
  const type = texts('identifierType')[0]
    ?.toLowerCase()
    .replace(/[\s-]+/g, '_')
  const given = identifierTypes.find(known => known === type)
  if (type && !given)
    return `the type ${JSON.stringify(type.slice(0, 40))} is none of ${identifierTypes.join(', ')}`
  const naming = filled.filter(({ holds }) => holds === 'identifier' || (kindOf[holds] && holds !== 'domain'))
  // Beside an address the domain says where that person works; alone it means everybody there.
  const chosen = naming.length > 0 ? naming : filled.filter(({ holds }) => holds === 'domain')
  const name = texts('name').join(' ').slice(0, maxNameLength) || undefined
  const entries: NewOptOut[] = []
  for (const { name: column, holds, cell } of chosen) {
    const identifierType = kindOf[holds] ?? given
    for (const part of partsOf(cell, identifierType)) {
      const entry = readEntry(part, identifierType, defaultCountry)
      if (!entry)
        return `${column}: cannot be read as ${identifierType ?? 'an email address, LinkedIn profile, phone number or domain'}`
      if (isPublicDomain(entry) && !confirmPublicDomain)
        return `${column}: ${entry.value} gives addresses to anybody; set confirmPublicDomain to block everyone there`
      entries.push({ ...entry, name })
    }
  }
  return entries.length > 0 ? entries : 'names nobody: no address, profile, number or domain'
}

/** Tools write several addresses or numbers into one cell; each of them is meant. */
function partsOf(cell: string, kind: OptOutKind | undefined): string[] {
  if (kind === 'web_chat') return [cleanCell(cell)]
  const parts = cell.split(kind === 'email' ? /[;,|\n]| ::: / : /[;|\n]|,\s| ::: /).map(cleanCell)
  // "Doe, Jane <jane@acme.com>" is one address.
  const named = kind === 'email' ? parts.filter(part => part.includes('@')) : parts.filter(Boolean)
  return named.length > 0 ? named : [cleanCell(cell)]
}

const readEntry = (
  identifier: string,
  identifierType: OptOutKind | undefined,
  defaultCountry: string | undefined,
): OptOutIdentifier | undefined =>
  identifier.length > maxIdentifierLength
    ? undefined
    : parseOptOutIdentifier({ identifier, identifierType }, defaultCountry)
