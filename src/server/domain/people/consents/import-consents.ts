import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../../contract/index.ts'
import { type Context, inAccount } from '../../../kernel/context.ts'
import { importEntries, toByteChunks } from '../../../protocols/csv/import-entries.ts'
import { audit } from '../../accounts/audit-log.ts'
import { type ConsentColumnMap, type NewConsent, openConsentCsv, type ParseOptions } from './csv-consents.ts'

type Result = Output<'importConsents'>

const zeroCounts = { added: 0, alreadyPresent: 0 }

/** Records the consents in CSV text, within the current transaction. */
export async function importConsents(ctx: Context, { csv, map }: Input<'importConsents'>): Promise<Result> {
  const file = await openConsentCsv(toByteChunks(csv), {
    map: map ?? {},
    ...(await readParseOptions(ctx)),
  })
  const result = await importEntries(file, zeroCounts, consents => storeConsents(ctx, consents))
  await audit(ctx, 'import', 'consent')
  return result
}

/** Records the consents in a CSV file of any size, each chunk of rows in its own transaction. Idempotent. */
export async function importConsentsFromStream(
  ctx: Context,
  stream: AsyncIterable<Uint8Array>,
  { map = {}, onProgress }: { map?: ConsentColumnMap; onProgress?: (result: Result) => void },
): Promise<Result> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>) =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const file = await openConsentCsv(stream, { map, ...(await inTransaction(readParseOptions)) })
  return importEntries(
    file,
    zeroCounts,
    consents =>
      inTransaction(async tx => {
        await audit(tx, 'import', 'consent')
        return storeConsents(tx, consents)
      }),
    onProgress,
  )
}

async function readParseOptions({ sql, accountId, app }: Context): Promise<ParseOptions> {
  const [account] = await sql<{ defaultCountry: string | null; timezone: string }[]>`
    select default_country as "defaultCountry", timezone from accounts where id = ${accountId}`
  const { defaultCountry, timezone } = account!
  return { defaultCountry: defaultCountry ?? undefined, timezone, now: app.now() }
}

/**
 * Stores consents, and returns how many were added and how many existed. A consent that differs only in name, source or
 * date counts as existing, even if it was withdrawn, so that importing a file again does not restore it.
 */
async function storeConsents(ctx: Context, consents: readonly NewConsent[]): Promise<typeof zeroCounts> {
  const { sql, accountId } = ctx
  // Serializes imports: concurrent imports of the same file would otherwise each store its consents.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`consents ${accountId}`}, 0))`
  const rows = consents.map(consent => ({ ...consent, id: randomUUIDv7() }))
  const { count: added } = await sql`
    insert into consents (account_id, id, phone, name, kind, covers, proof, source, given_at, recorded_by_id)
    select distinct on (o.phone, o.kind, o.covers, o.proof) ${accountId}::uuid, o.id, o.phone, o.name, o.kind, o.covers,
           o.proof, o.source, coalesce(o."givenAt", ${ctx.app.now()}), ${ctx.userId ?? null}::uuid
      from jsonb_to_recordset(${sql.json(rows as never)})
             as o(id uuid, phone text, name text, kind text, covers text, proof text, source text, "givenAt" timestamptz)
     where not exists (
             select from consents c
              where c.account_id = ${accountId} and (c.phone, c.kind, c.covers, c.proof) = (o.phone, o.kind, o.covers, o.proof))
     order by o.phone, o.kind, o.covers, o.proof, o."givenAt" desc nulls first`
  return { added, alreadyPresent: consents.length - added }
}
