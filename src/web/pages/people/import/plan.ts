import { meansOptedOut } from '../../../../contract/csv-opt-out-columns.ts'
import type { ProspectField } from '../../../../contract/person-fields.ts'
import { capitalize } from '../../../ui/sentence.ts'
import { type CellsByField, getKeys, groupByKeys } from './identity.ts'
import { type ColumnMapping, fieldLabels, getCustomKey, getField } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import { createYielder } from './yield-to-page.ts'

/** The outcome of a row; only imports into a campaign have `inCampaign` and `elsewhere`. */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'inCampaign'
  | 'elsewhere'
  | 'duplicate'
  | 'optedOut'
  | 'invalid'

export type RowResult = {
  outcome: Outcome
  reason?: string | undefined
  /** Variables of the campaign's steps without a value. */
  missing?: string[] | undefined
  /** The reason why an email to the address may not arrive. */
  risk?: string | undefined
}

/** An import divided into requests. Rows are identified by their index. */
export type ImportPlan = {
  /** The columns to send, the preferred column of each field first. */
  columns: ColumnMapping[]
  /** Rows whose outcome is known without the server. */
  known: Map<number, RowResult>
  /** The rows of each request. All rows of a person are in the same request. */
  chunks: number[][]
  /** Rows that are marked as opted out in the file and have contact details to block. */
  optedOut: number[]
}

/** Fields whose values are added to the Do Not Contact list. */
export const blockedFields = ['email', 'linkedinUrl', 'phone'] as const

const nothingToBlock: RowResult = {
  outcome: 'invalid',
  reason: 'No email address, LinkedIn profile or phone number to add to the Do Not Contact list',
}

const MAX_CHUNK_ROWS = 1_000
const MAX_CHUNK_CHARACTERS = 1_000_000

/** Decides which rows to send, and in which requests. */
export async function planImport(table: CsvTable, mapping: readonly ColumnMapping[]): Promise<ImportPlan> {
  const columns = mapping
    .filter(column => getField(column) ?? getCustomKey(column))
    .sort((a, b) => a.rank - b.rank)
  const optOutColumns = mapping.filter(({ target }) => target === 'optedOut' || target === 'consent')
  const known = new Map<number, RowResult>()
  const optedOut: number[] = []
  const blocked = new Set<string>()
  const toSend: { index: number; keys: ReturnType<typeof getKeys> }[] = []
  const yieldIfDue = createYielder()
  for (const [index, { cells, error }] of table.rows.entries()) {
    await yieldIfDue()
    if (error) {
      known.set(index, { outcome: 'invalid', reason: error })
      continue
    }
    const byField = getCells(cells, columns)
    const optOutColumn = optOutColumns.find(column =>
      meansOptedOut(toOptOutKind(column), cells[column.index] ?? ''),
    )
    if (optOutColumn) {
      const isBlockable = blockedFields.some(field => byField.has(field))
      if (isBlockable) optedOut.push(index)
      const marked: RowResult = { outcome: 'optedOut', reason: `Marked in the column “${optOutColumn.name}”` }
      known.set(index, isBlockable ? marked : nothingToBlock)
      for (const key of getKeys(byField).identity) blocked.add(key)
    } else if (byField.size === 0)
      known.set(index, { outcome: 'invalid', reason: 'The row has no name, email or other contact details' })
    else toSend.push({ index, keys: getKeys(byField) })
  }
  const items = toSend.flatMap(({ index, keys }) => {
    if (!keys.identity.some(key => blocked.has(key))) return [{ index, keys: keys.group }]
    known.set(index, { outcome: 'optedOut', reason: 'Marked in another row of the same person' })
    return []
  })
  return { columns, known, optedOut, chunks: toChunks(table, columns, groupByKeys(items)) }
}

const toOptOutKind = ({ target }: ColumnMapping) => (target === 'consent' ? 'consent' : 'optedOut')

export function getCells(cells: readonly string[], columns: readonly ColumnMapping[]): CellsByField {
  const byField = new Map<ProspectField, string[]>()
  for (const column of columns) {
    const cell = cells[column.index]?.trim()
    const field = cell && getField(column)
    if (field) byField.set(field, [...(byField.get(field) ?? []), cell])
  }
  return byField
}

function toChunks(table: CsvTable, columns: readonly ColumnMapping[], groups: number[][]): number[][] {
  const chunks: number[][] = []
  let chunk: number[] = []
  let characters = 0
  const close = () => {
    if (chunk.length > 0) chunks.push(chunk)
    chunk = []
    characters = 0
  }
  for (const group of groups) {
    if (chunk.length + group.length > MAX_CHUNK_ROWS) close()
    for (const index of group) {
      const { cells } = table.rows[index]!
      const length = columns.reduce((sum, column) => sum + (cells[column.index]?.length ?? 0) + 3, 0)
      if (chunk.length === MAX_CHUNK_ROWS || characters + length > MAX_CHUNK_CHARACTERS) close()
      chunk.push(index)
      characters += length
    }
  }
  close()
  // Within a request, earlier rows of the file come first.
  return chunks.map(rows => rows.sort((a, b) => a - b))
}

/** Returns the name of the person in a row, or else an address or number. */
export function getRowName(cells: readonly string[], columns: readonly ColumnMapping[]): string {
  const byField = getCells(cells, columns)
  const get = (field: ProspectField) => byField.get(field)?.[0]
  return (
    [get('firstName'), get('lastName')].filter(Boolean).join(' ') ||
    get('fullName') ||
    get('email') ||
    get('linkedinUrl') ||
    get('phone') ||
    cells.find(cell => cell.trim()) ||
    'Empty row'
  )
}

/** Returns the row's first value of a field. */
export const getRowValue = (
  cells: readonly string[],
  columns: readonly ColumnMapping[],
  field: ProspectField,
): string | undefined => getCells(cells, columns).get(field)?.[0]

/** Replaces the name of a field in a server message with its label, and that of a custom field with its column. */
export function toReadable(reason: string, columns: readonly ColumnMapping[] = []): string {
  const [path = '', ...rest] = reason.split(': ')
  const label = Object.hasOwn(fieldLabels, path)
    ? fieldLabels[path as ProspectField]
    : columns.find(column => path === `custom.${getCustomKey(column)}`)?.name
  return label && rest.length > 0 ? `${label}: ${rest.join(': ')}` : capitalize(reason)
}
