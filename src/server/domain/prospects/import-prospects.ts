import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { analyzeGrownTables } from '../../kernel/db/database.ts'
import { toByteChunks } from '../../protocols/csv/import-entries.ts'
import type { ColumnMap } from '../people/persons/csv-columns.ts'
import { type CsvFile, type CsvRow, readCsvRows } from '../people/persons/csv-rows.ts'
import { addProspects, type FindMissing, lockOpenCampaign } from './add-prospects.ts'
import type { AddOutcome } from './skip-reasons.ts'

const CHUNK_ROWS = 1_000
const MAX_ISSUES = 1_000
const MAX_INCOMPLETE = 100

type ImportTotals = { total: number; added: number; skipped: number; invalid: number }

/** Adds the rows of a CSV text in the running transaction. */
export async function importProspects(
  ctx: Context,
  { campaignId, csv, map }: Input<'importProspects'>,
  findMissing: FindMissing,
): Promise<Output<'importProspects'>> {
  await lockOpenCampaign(ctx, campaignId)
  const file = await readCsvRows(toByteChunks(csv), { map: map ?? {} })
  const issues: Output<'importProspects'>['issues'] = []
  const incomplete: NonNullable<Output<'importProspects'>['incomplete']> = { total: 0, rows: [] }
  const totals = await importRows(file, {
    add: async elements => {
      const outcomes = await addProspects(ctx, campaignId, elements, { onFault: 'report', findMissing })
      await analyzeGrownTables(ctx.sql)
      return outcomes
    },
    onOutcome: ({ line }, { outcome, reason, missing }) => {
      if (missing) incomplete.total++
      if (missing && incomplete.rows.length < MAX_INCOMPLETE)
        incomplete.rows.push({ line, variables: missing })
      if (outcome !== 'added' && issues.length < MAX_ISSUES)
        issues.push({ line, outcome, ...(reason && { reason }) })
    },
  })
  return {
    ...totals,
    columns: Object.fromEntries(file.columns.map(({ name, field }) => [name, field])),
    ignoredColumns: file.ignored,
    issues,
    ...(incomplete.total > 0 && { incomplete }),
  }
}

/**
 * Adds the rows of a CSV file of any size in bounded memory. Each chunk of rows is a transaction of its own, whose
 * outcomes are reported after the commit. After a crash the same file can be imported again: rows that were added
 * before are reported as `already_in_campaign`.
 */
export async function importProspectsFromStream(
  ctx: Context,
  campaignId: string,
  stream: AsyncIterable<Uint8Array>,
  {
    findMissing = async () => new Map(),
    ...options
  }: {
    findMissing?: FindMissing
    map?: ColumnMap
    onFile?: (file: Omit<CsvFile, 'rows'>) => void
    onOutcome?: (row: CsvRow, outcome: AddOutcome) => unknown
    onProgress?: (totals: ImportTotals) => void
  } = {},
): Promise<ImportTotals> {
  const inTransaction = <T>(work: (ctx: Context) => Promise<T>) =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  await inTransaction(tx => lockOpenCampaign(tx, campaignId))
  const file = await readCsvRows(stream, { map: options.map ?? {} })
  options.onFile?.(file)
  return importRows(file, {
    add: elements =>
      inTransaction(tx => addProspects(tx, campaignId, elements, { onFault: 'report', findMissing })),
    ...options,
  })
}

type ImportSteps = {
  add: (elements: Extract<CsvRow, { values: unknown }>['values'][]) => Promise<AddOutcome[]>
  onOutcome?: (row: CsvRow, outcome: AddOutcome) => unknown
  onProgress?: (totals: ImportTotals) => void
}

async function importRows(file: CsvFile, { add, onOutcome, onProgress }: ImportSteps): Promise<ImportTotals> {
  const totals = { total: 0, added: 0, skipped: 0, invalid: 0 }
  // IDs grow with time: a prospect with a later ID came from an earlier row of this file.
  const startId = randomUUIDv7()
  for await (const rows of toChunks(file.rows)) {
    const outcomes = (await add(rows.flatMap(row => (row.error === undefined ? [row.values] : [])))).values()
    for (const row of rows) {
      const outcome =
        row.error === undefined
          ? markDuplicate(outcomes.next().value!, startId)
          : { outcome: 'invalid' as const, reason: row.error }
      totals.total++
      totals[outcome.outcome === 'added' || outcome.outcome === 'invalid' ? outcome.outcome : 'skipped']++
      await onOutcome?.(row, outcome)
    }
    onProgress?.({ ...totals })
  }
  return totals
}

const markDuplicate = (outcome: AddOutcome, startId: string): AddOutcome =>
  outcome.outcome === 'already_in_campaign' && outcome.prospectId! > startId
    ? { ...outcome, outcome: 'duplicate_in_request', reason: 'is the same person as an earlier one' }
    : outcome

async function* toChunks<T>(rows: AsyncIterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const row of rows) {
    if (chunk.push(row) < CHUNK_ROWS) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
