import type { Input, Output } from '../../contract/index.ts'
import { audit } from '../accounts/audit-log.ts'
import { defaultCountryOf } from '../accounts/default-country.ts'
import { type Context, inAccount } from '../context.ts'
import { pauseOptedOutProspects } from '../prospects/pause-opted-out.ts'
import { type OptOutColumnMap, type OptOutFile, openOptOutCsv } from './csv-opt-outs.ts'
import { countInFlight } from './in-flight.ts'
import { type NewOptOut, storeOptOuts } from './store-opt-outs.ts'

const CHUNK_ROWS = 1_000
const MAX_ISSUES = 1_000

type Result = Output<'importOptOuts'>
type Stored = Pick<Result, 'added' | 'alreadyPresent' | 'pausedProspects' | 'inFlight'>

/** Puts what the rows of a CSV text name on the list, in the running transaction. */
export async function importOptOuts(
  ctx: Context,
  { csv, map, pauseActiveProspects }: Input<'importOptOuts'>,
): Promise<Result> {
  const file = await openOptOutCsv(oneBlock(csv), {
    map: map ?? {},
    defaultCountry: await defaultCountryOf(ctx),
  })
  const all: NewOptOut[] = []
  const result = await importRows(file, async entries => {
    all.push(...entries)
    return { ...(await store(ctx, entries, pauseActiveProspects)), inFlight: 0 }
  })
  await audit(ctx, 'import', 'communication_opt_out')
  ctx.afterCommit(async answer => ({ ...(answer as Result), inFlight: await countInFlight(ctx, all) }))
  return result
}

async function* oneBlock(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** The same for a file of any size: each chunk of rows is a transaction of its own, and repeating it all is harmless. */
export async function importOptOutsFromStream(
  ctx: Context,
  stream: AsyncIterable<Uint8Array>,
  {
    map = {},
    pauseActiveProspects,
    onProgress,
  }: { map?: OptOutColumnMap; pauseActiveProspects: boolean; onProgress?: (result: Result) => void },
): Promise<Result> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>) =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const file = await openOptOutCsv(stream, { map, defaultCountry: await inTransaction(defaultCountryOf) })
  return importRows(
    file,
    async entries => {
      const stored = await inTransaction(async tx => {
        await audit(tx, 'import', 'communication_opt_out')
        return store(tx, entries, pauseActiveProspects)
      })
      return { ...stored, inFlight: await countInFlight(ctx, entries) }
    },
    onProgress,
  )
}

async function store(ctx: Context, entries: readonly NewOptOut[], pauseActiveProspects: boolean) {
  const added = await storeOptOuts(ctx, entries, 'import')
  const pausedProspects = pauseActiveProspects ? await pauseOptedOutProspects(ctx, entries) : 0
  return { added, alreadyPresent: entries.length - added, pausedProspects }
}

async function importRows(
  file: OptOutFile,
  add: (entries: NewOptOut[]) => Promise<Stored>,
  onProgress?: (result: Result) => void,
): Promise<Result> {
  const result: Result = {
    total: 0,
    invalid: 0,
    added: 0,
    alreadyPresent: 0,
    pausedProspects: 0,
    inFlight: 0,
    columns: Object.fromEntries(file.columns.map(({ name, holds }) => [name, holds])),
    ignoredColumns: file.ignored,
    issues: [],
  }
  let chunk: NewOptOut[] = []
  const flush = async () => {
    const stored = await add(chunk)
    chunk = []
    for (const [key, count] of Object.entries(stored)) result[key as keyof Stored] += count
    onProgress?.(result)
  }
  for await (const row of file.rows) {
    result.total += 1
    if (row.error === undefined) chunk.push(...row.entries)
    else {
      result.invalid += 1
      if (result.issues.length < MAX_ISSUES) result.issues.push({ line: row.line, reason: row.error })
    }
    if (chunk.length >= CHUNK_ROWS) await flush()
  }
  if (chunk.length > 0) await flush()
  return result
}
