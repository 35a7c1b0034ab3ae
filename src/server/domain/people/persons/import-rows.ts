import type { Input } from '../../../../contract/index.ts'
import { mapPersonInputs } from '../../../../contract/person-fields.ts'
import type { CustomValues } from '../custom-fields/custom-values.ts'
import type { ColumnMap } from './csv-columns.ts'
import { type CsvFile, type CsvRow, readCsvRows } from './csv-rows.ts'
import { type CustomColumns, locateColumns } from './custom-columns.ts'
import type { PersonElement } from './parse-person.ts'

/** A person in an import, with the values of their custom fields. */
export type ImportElement = PersonElement & { custom?: CustomValues | undefined }

/** A row of a file or request; `error` says why it can't be read. */
export type ImportRow = { line: number; element: ImportElement; error?: string | undefined }

/** A row of a file with its cells. */
export type ImportFileRow = ImportRow & Pick<CsvRow, 'raw'>

export type ImportFile = Omit<CsvFile, 'rows'> & {
  custom: CustomColumns
  rows: AsyncIterable<ImportFileRow>
}

const CHUNK_ROWS = 1_000

/** Opens a CSV file of persons, as `readCsvRows` does, with columns of custom fields. */
export async function openImportFile(
  stream: AsyncIterable<Uint8Array>,
  { map, customColumns }: { map?: ColumnMap | undefined; customColumns?: Record<string, string> | undefined },
): Promise<ImportFile> {
  const { rows, ...file } = await readCsvRows(stream, { map: map ?? {} })
  try {
    const custom = locateColumns(file, customColumns)
    return { ...file, custom, rows: readRows(rows, custom) }
  } catch (error) {
    await rows.return(undefined)
    throw error
  }
}

async function* readRows(rows: AsyncIterable<CsvRow>, columns: CustomColumns): AsyncGenerator<ImportFileRow> {
  for await (const { line, raw, values, error } of rows) {
    const custom = Object.fromEntries(
      [...columns].flatMap(([index, key]) => (raw[index]?.trim() ? [[key, raw[index]!]] : [])),
    )
    yield { line, raw, element: { ...values, custom }, error }
  }
}

/** Returns the rows of a request. */
export const toImportRows = (rows: NonNullable<Input<'importPersons'>['rows']>): ImportRow[] =>
  rows.map(({ company, website, custom, ...fields }, index) => ({
    line: index + 1,
    element: { ...mapPersonInputs(field => fields[field]), company, website, custom },
  }))

/** Returns the columns that an import read, for its result. */
export const describeColumns = ({
  header,
  columns,
  custom,
  ignored,
}: Pick<ImportFile, 'header' | 'columns' | 'custom' | 'ignored'>): {
  columns: Record<string, string>
  ignoredColumns: string[]
} => ({
  columns: Object.fromEntries([
    ...columns.map(({ name, field }) => [name, field]),
    ...[...custom].map(([index, key]) => [header[index]!, `custom.${key}`]),
  ]),
  ignoredColumns: ignored.filter(name => !custom.has(header.indexOf(name))),
})

export type RowOutcome = { outcome: string; reason?: string | undefined }
export type InvalidOutcome = { outcome: 'invalid'; reason: string }

/** Rows read so far, and how many had each outcome. */
export type ImportTally<Outcome extends string> = {
  total: number
  outcomes: Partial<Record<Outcome | 'invalid', number>>
}

/**
 * Imports rows in chunks: `add` stores the readable ones of a chunk and returns their outcomes in order. Reports the
 * outcome of every row once its chunk is stored.
 */
export async function importRows<Row extends ImportRow, Added extends RowOutcome>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  {
    add,
    onOutcome,
    onProgress,
  }: {
    add: (elements: ImportElement[]) => Promise<Added[]>
    onOutcome?: ((row: Row, outcome: Added | InvalidOutcome) => unknown) | undefined
    onProgress?: ((tally: ImportTally<Added['outcome']>) => void) | undefined
  },
): Promise<ImportTally<Added['outcome']>> {
  const tally = { total: 0, outcomes: {} as Record<string, number> }
  for await (const chunk of toChunks(rows)) {
    const added = (await add(chunk.filter(isReadable).map(({ element }) => element))).values()
    for (const row of chunk) {
      const outcome = isReadable(row)
        ? added.next().value!
        : { outcome: 'invalid' as const, reason: row.error! }
      tally.total++
      tally.outcomes[outcome.outcome] = (tally.outcomes[outcome.outcome] ?? 0) + 1
      await onOutcome?.(row, outcome)
    }
    onProgress?.(tally as ImportTally<Added['outcome']>)
  }
  return tally as ImportTally<Added['outcome']>
}

const isReadable = ({ error }: ImportRow): boolean => error === undefined

async function* toChunks<T>(rows: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const row of rows) {
    if (chunk.push(row) < CHUNK_ROWS) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
