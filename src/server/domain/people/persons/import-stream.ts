import { type Context, inAccount } from '../../../kernel/context.ts'
import { retryOnDeadlock } from '../../../kernel/db/database.ts'
import type { ColumnMap } from './csv-columns.ts'
import { createMissingFields, getLabels } from './custom-columns.ts'
import {
  type ImportElement,
  type ImportFile,
  type ImportFileRow,
  type ImportTally,
  type InvalidOutcome,
  importRows,
  openImportFile,
  type RowOutcome,
} from './import-rows.ts'
import { noDetails, openCustomDetails, type PersonDetails } from './person-details.ts'

export type StreamOptions<Added extends RowOutcome> = {
  map?: ColumnMap | undefined
  customColumns?: Record<string, string> | undefined
  createCustomFields?: boolean | undefined
  onFile?: (file: Omit<ImportFile, 'rows'>) => void
  onOutcome?: (row: ImportFileRow, outcome: Added | InvalidOutcome) => unknown
  onProgress?: (tally: ImportTally<Added['outcome']>) => void
}

type Add<Added> = (tx: Context, elements: ImportElement[], details: PersonDetails) => Promise<Added[]>

/**
 * Imports a CSV file of any size in bounded memory. Each chunk of rows is stored in its own transaction, and its
 * outcomes are reported after the commit.
 */
export async function importStream<Added extends RowOutcome>(
  ctx: Context,
  stream: AsyncIterable<Uint8Array>,
  { onFile, onOutcome, onProgress, ...options }: StreamOptions<Added>,
  add: Add<Added>,
): Promise<ImportTally<Added['outcome']>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>) =>
    retryOnDeadlock(() => inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql })))
  const file = await openImportFile(stream, options)
  await inTransaction(tx => createMissingFields(tx, getLabels({ file }), options))
  onFile?.(file)
  return importRows(file.rows, {
    add: elements =>
      inTransaction(async tx =>
        add(tx, elements, file.custom.size > 0 ? await openCustomDetails(tx) : noDetails),
      ),
    onOutcome,
    onProgress,
  })
}
