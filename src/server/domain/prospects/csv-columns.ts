import { type ErrorDetail, invalid, invalidAll } from '../../kernel/errors.ts'
import {
  normalizeName,
  type ProspectField,
  prospectFields,
  recognizeField,
} from '../people/persons/recognize-csv-headers.ts'

/** By column name: the field it holds, or null (in a CLI: `-`) to leave it out. */
export type ColumnMap = Readonly<Record<string, string | null>>

export type CsvColumn = { index: number; name: string; field: ProspectField; isMapped: boolean }

/**
 * Which columns are read as what, the preferred of a field first, and which are not read. What the caller maps beats
 * the names: a field that is mapped is read from nowhere else. Throws ValidationError naming what can't be.
 */
export function chooseColumns(
  header: readonly string[],
  map: ColumnMap,
): { columns: CsvColumn[]; ignored: string[] } {
  const mapped = readMap(header, map)
  const mappedFields = new Set(mapped.values())
  const ranked = header.flatMap((name, index) => {
    const field = mapped.get(index)
    if (field) return [{ index, name, field, isMapped: true, rank: -1 }]
    const found = field === null ? undefined : recognizeField(name)
    return found && !mappedFields.has(found.field) ? [{ index, name, isMapped: false, ...found }] : []
  })
  const columns = readNames(ranked.sort((a, b) => a.rank - b.rank)).map(({ rank, ...column }) => column)
  refuseUseless(header, columns)
  const isRead = new Set(columns.map(column => column.index))
  return { columns, ignored: header.filter((name, index) => name.trim() && !isRead.has(index)) }
}

/** How many of the names mean something: what tells a header from a row. */
export const countKnownNames = (cells: readonly string[], map: ColumnMap): number => {
  const mapped = new Set(Object.keys(map).map(normalizeName))
  return cells.filter(cell => recognizeField(cell) || (cell.trim() && mapped.has(normalizeName(cell)))).length
}

/** "Name" beside a first name is the last name (German and French lists), and the first beside a last (Spanish). */
function readNames<C extends { name: string; field: ProspectField; isMapped: boolean }>(columns: C[]): C[] {
  const has = (field: ProspectField) => columns.some(column => column.field === field)
  const other = has('firstName') && !has('lastName') ? 'lastName' : 'firstName'
  if (has('firstName') === has('lastName')) return columns
  return columns.map(column =>
    !column.isMapped && /^(?:name|nom|nombre)$/.test(normalizeName(column.name))
      ? { ...column, field: other }
      : column,
  )
}

function readMap(header: readonly string[], map: ColumnMap): Map<number, ProspectField | null> {
  const mapped = new Map<number, ProspectField | null>()
  const faults: ErrorDetail[] = []
  for (const [name, target] of Object.entries(map)) {
    const path = `map.${name.slice(0, 100)}`
    const isNone = target === null || target === '-'
    const field = isNone ? null : prospectFields.find(known => normalizeName(known) === normalizeName(target))
    if (field === undefined)
      faults.push({ path, message: `There is no field ${suggest(target ?? '', prospectFields)}` })
    const indexes = findColumns(header, name)
    if (indexes.length === 0)
      faults.push({ path, message: `There is no column ${suggest(name, header.slice(0, 50))}` })
    for (const index of indexes) mapped.set(index, field ?? null)
  }
  if (faults.length > 0) throw invalidAll(faults)
  return mapped
}

function findColumns(header: readonly string[], name: string): number[] {
  const indexesWhere = (isIt: (column: string) => boolean) =>
    header.flatMap((column, index) => (isIt(column) ? [index] : []))
  const exact = indexesWhere(column => column.trim() === name.trim())
  const key = normalizeName(name)
  return exact.length > 0 || !key ? exact : indexesWhere(column => normalizeName(column) === key)
}

function refuseUseless(header: readonly string[], columns: readonly CsvColumn[]): void {
  const fields = new Set(columns.map(column => column.field))
  const hasName = fields.has('fullName') || (fields.has('firstName') && fields.has('lastName'))
  if (
    fields.has('email') ||
    fields.has('linkedinUrl') ||
    fields.has('phone') ||
    (hasName && fields.has('company'))
  )
    return
  throw invalid(
    'map',
    `No column is read as an email address, a LinkedIn URL or a phone number, nor do name and company come together. Map the columns that hold them: ${toList(header)}`,
  )
}

/** `"emial"; did you mean "email"? There are: …` */
function suggest(word: string, choices: readonly string[]): string {
  const key = normalizeName(word).slice(0, 40)
  const [nearest] = choices
    .map(choice => ({ choice, distance: editDistance(key, normalizeName(choice).slice(0, 40)) }))
    .filter(({ distance }) => distance <= Math.max(2, key.length / 2))
    .sort((a, b) => a.distance - b.distance)
  const question = nearest ? `; did you mean ${quote(nearest.choice)}?` : '.'
  return `${quote(word)}${question} There are: ${toList(choices)}`
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 60).toWellFormed())
const toList = (names: readonly string[]): string =>
  names
    .filter(name => name.trim())
    .slice(0, 30)
    .map(quote)
    .join(', ')

/** Levenshtein's: the fewest letters to add, drop or change. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
