import {
  canIdentify,
  findField,
  normalizeName,
  type CsvColumn as RecognizedColumn,
  recognizeColumns,
  recognizeField,
} from '../../../../contract/csv-headers.ts'
import { type ProspectField, prospectFields } from '../../../../contract/person-fields.ts'
import { type ErrorDetail, invalid, invalidAll } from '../../../kernel/errors.ts'

/** Fields by column name; null (`-` on the command line) ignores the column. */
export type ColumnMap = Readonly<Record<string, string | null>>

export type CsvColumn = Omit<RecognizedColumn, 'rank'>

/**
 * Assigns columns to fields, the preferred column of a field first; columns without a field are ignored. The
 * map takes precedence over the column names: a mapped field is read from no other column. Throws
 * ValidationError for an invalid map, or if no columns identify a person.
 */
export function chooseColumns(
  header: readonly string[],
  map: ColumnMap,
): { columns: CsvColumn[]; ignored: string[] } {
  const columns = recognizeColumns(header, parseMap(header, map)).map(({ rank, ...column }) => column)
  checkUsable(header, columns)
  const readIndexes = new Set(columns.map(column => column.index))
  return { columns, ignored: header.filter((name, index) => name.trim() && !readIndexes.has(index)) }
}

/** Counts the recognized column names, to distinguish a header from a row. */
export const countKnownNames = (cells: readonly string[], map: ColumnMap): number => {
  const mapped = new Set(Object.keys(map).map(normalizeName))
  return cells.filter(cell => recognizeField(cell) || (cell.trim() && mapped.has(normalizeName(cell)))).length
}

function parseMap(header: readonly string[], map: ColumnMap): Map<number, ProspectField | null> {
  const mapped = new Map<number, ProspectField | null>()
  const errors: ErrorDetail[] = []
  for (const [name, target] of Object.entries(map)) {
    const path = `map.${name.slice(0, 100)}`
    const isNone = target === null || target === '-'
    const field = isNone ? null : findField(target)
    if (field === undefined)
      errors.push({
        path,
        message: `Unknown field ${describeUnknown(target ?? '', prospectFields)}. For custom fields, use \`customColumns\`.`,
      })
    const indexes = findColumns(header, name)
    if (indexes.length === 0)
      errors.push({ path, message: `Unknown column ${describeUnknown(name, header.slice(0, 50))}` })
    for (const index of indexes) mapped.set(index, field ?? null)
  }
  if (errors.length > 0) throw invalidAll(errors)
  return mapped
}

function findColumns(header: readonly string[], name: string): number[] {
  const findIndexes = (isMatch: (column: string) => boolean) =>
    header.flatMap((column, index) => (isMatch(column) ? [index] : []))
  const exact = findIndexes(column => column.trim() === name.trim())
  const key = normalizeName(name)
  return exact.length > 0 || !key ? exact : findIndexes(column => normalizeName(column) === key)
}

function checkUsable(header: readonly string[], columns: readonly CsvColumn[]): void {
  if (canIdentify(columns.map(({ field }) => field))) return
  throw invalid(
    'map',
    `A person needs an email address, a LinkedIn URL, a phone number, or a full name and a company, and no column was recognized as one of them. Map the columns that contain them. Available: ${formatList(header)}`,
  )
}

/** Returns a phrase such as `"emial"; did you mean "email"? Available: …`. */
function describeUnknown(word: string, choices: readonly string[]): string {
  const key = normalizeName(word).slice(0, 40)
  const [nearest] = choices
    .map(choice => ({ choice, distance: computeEditDistance(key, normalizeName(choice).slice(0, 40)) }))
    .filter(({ distance }) => distance <= Math.max(2, key.length / 2))
    .sort((a, b) => a.distance - b.distance)
  const question = nearest ? `; did you mean ${quote(nearest.choice)}?` : '.'
  return `${quote(word)}${question} Available: ${formatList(choices)}`
}

const quote = (text: string): string => JSON.stringify(text.slice(0, 60).toWellFormed())
const formatList = (names: readonly string[]): string =>
  names
    .filter(name => name.trim())
    .slice(0, 30)
    .map(quote)
    .join(', ')

/** Computes the Levenshtein distance. */
function computeEditDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
