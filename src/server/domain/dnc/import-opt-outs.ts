import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock } from '../../kernel/db/database.ts'
import { withInFlight } from '../../kernel/with-in-flight.ts'
import { importEntries, toByteChunks } from '../../protocols/csv/import-entries.ts'
import { audit } from '../accounts/audit-log.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { countInFlight } from '../outbox/in-flight.ts'
import { type NewOptOut, storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { pauseOptedOutProspects } from '../prospects/stop-opted-out.ts'
import { type OptOutColumnMap, openOptOutCsv } from './csv-opt-outs.ts'

type Result = Output<'importOptOuts'>

const emptyResult = { added: 0, alreadyPresent: 0, pausedProspects: 0, inFlight: 0 }

/** Adds the entries of a CSV text to the list, within the current transaction. */
export async function importOptOuts(
  ctx: Context,
  { csv, map, pauseActiveProspects, confirmPublicDomain }: Input<'importOptOuts'>,
): Promise<Result> {
  const file = await openOptOutCsv(toByteChunks(csv), {
    map: map ?? {},
    defaultCountry: await getDefaultCountry(ctx),
    confirmPublicDomain,
  })
  const all: NewOptOut[] = []
  const result = await importEntries(file, emptyResult, async entries => {
    all.push(...entries)
    return { ...(await store(ctx, entries, pauseActiveProspects)), inFlight: 0 }
  })
  await audit(ctx, 'import', 'communication_opt_out')
  return withInFlight(ctx, result, () => countInFlight(ctx, { entries: all }))
}

/** Adds the entries of a CSV file of any size; each chunk of rows is a transaction of its own. Idempotent. */
export async function importOptOutsFromStream(
  ctx: Context,
  stream: AsyncIterable<Uint8Array>,
  {
    map = {},
    pauseActiveProspects,
    confirmPublicDomain,
    onProgress,
  }: {
    map?: OptOutColumnMap
    pauseActiveProspects: boolean
    confirmPublicDomain: boolean
    onProgress?: (result: Result) => void
  },
): Promise<Result> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>) =>
    retryOnDeadlock(() => inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql })))
  const file = await openOptOutCsv(stream, {
    map,
    defaultCountry: await inTransaction(getDefaultCountry),
    confirmPublicDomain,
  })
  return importEntries(
    file,
    emptyResult,
    async entries => {
      const stored = await inTransaction(async tx => {
        await audit(tx, 'import', 'communication_opt_out')
        return store(tx, entries, pauseActiveProspects)
      })
      return { ...stored, inFlight: await countInFlight(ctx, { entries }) }
    },
    onProgress,
  )
}

async function store(ctx: Context, entries: readonly NewOptOut[], pauseActiveProspects: boolean) {
  const added = await storeOptOuts(ctx, entries, { source: 'import', addedById: ctx.userId })
  const pausedProspects = pauseActiveProspects ? await pauseOptedOutProspects(ctx, entries) : 0
  return { added, alreadyPresent: entries.length - added, pausedProspects }
}
