import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Config, getPublicUrl } from '../../kernel/config.ts'
import { authorize, type Context, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { type ExportKind, getExportPermission } from './export-rows.ts'

const DAY_MS = 86_400_000
const DELETE_BATCH = 10

/** Returns the time at which an export that starts or ends now expires. */
export const getExpiry = (now: Date): Date => new Date(now.getTime() + DAY_MS)

export async function exportData(
  ctx: Context,
  { kind, campaignId }: Input<'exportData'>,
): Promise<Json<Output<'exportData'>>> {
  const scope = authorize(ctx, getExportPermission(kind))
  if (campaignId) await requireCampaign(ctx, campaignId)
  await ctx.sql`
    delete from exports
     where account_id = ${ctx.accountId} and user_id = ${ctx.userId} and kind = ${kind} and status <> 'running'`
  const exportId = randomUUIDv7()
  // Stored times are rounded to the millisecond, so the time of a row inserted now may be rounded up.
  const started = await ctx.sql`
    insert into exports (account_id, id, user_id, kind, scope, campaign_id, until, expires_at)
    values (${ctx.accountId}, ${exportId}, ${ctx.userId}, ${kind}, ${scope}, ${campaignId ?? null},
            now() + interval '1 ms', ${getExpiry(ctx.app.now())})
    on conflict (account_id) where status = 'running' do nothing`
  if (started.count === 0)
    throw conflict('Another export of this account is running. Try again when it has finished.')
  await audit(ctx, 'create', 'export', exportId)
  return getExport(ctx, { exportId })
}

async function requireCampaign({ sql, accountId }: Context, campaignId: string): Promise<void> {
  const found = await sql`select from campaigns where account_id = ${accountId} and id = ${campaignId}`
  if (found.count === 0) throw invalid('campaignId', 'must be the ID of a campaign in this account')
}

/** Builds the API's JSON of export `e`. */
const exportJson = (sql: Sql, config: Config): Fragment => sql`
  ${jsonObject({
    id: uuid('e.id'),
    objectType: 'export',
    createdAt: timestamp('e.created_at'),
    updatedAt: timestamp('e.updated_at'),
    kind: sql`e.kind`,
    campaignId: uuid('e.campaign_id'),
    status: sql`e.status`,
    failure: sql`e.failure`,
    rows: sql`e.row_count`,
    bytes: sql`e.bytes`,
    url: sql`case when e.status = 'finished'
                then ${getPublicUrl(config)}::text || '/v1/exports/' || e.id || '/download' end`,
    expiresAt: timestamp('e.expires_at'),
  })} as json`

/** Selects export `e` if the caller started it. */
const ownExports = (ctx: Context, exportId: string): Fragment => ctx.sql`
  exports e
   where e.account_id = s.account_id and e.id = ${exportId} and e.user_id = ${ctx.userId}
     and e.expires_at > ${ctx.app.now()}`

export const getExport = (
  ctx: Context,
  { exportId }: Input<'getExport'>,
): Promise<Json<Output<'getExport'>>> =>
  findJson(
    ctx,
    'export',
    ctx.sql`select ${exportJson(ctx.sql, ctx.app.config)} from ${ownExports(ctx, exportId)}`,
  )

export async function deleteExport(
  ctx: Context,
  { exportId }: Input<'deleteExport'>,
): Promise<Output<'deleteExport'>> {
  const { count } = await ctx.sql`
    delete from exports where account_id = ${ctx.accountId} and id = ${exportId} and user_id = ${ctx.userId}`
  if (count === 0) throw notFound('export')
  await audit(ctx, 'delete', 'export', exportId)
  return { ok: true }
}

/**
 * Opens the file of a finished export. Throws NotFound when there is none, or when the caller may no longer read all of
 * it.
 */
export async function openExportFile(
  ctx: Context,
  exportId: string,
): Promise<{ name: string; bytes: number; pieces: AsyncGenerator<string> }> {
  const [file] = await ctx.sql<
    { kind: ExportKind; scope: 'all' | 'own'; bytes: number; pieces: number; createdAt: Date }[]
  >`
    select e.* from ${withAccount(ctx)} cross join lateral (
      select e.kind, e.scope, e.bytes::float as bytes, e.pieces, e.created_at as "createdAt"
        from ${ownExports(ctx, exportId)} and e.status = 'finished') e`
  if (!file) throw notFound('export')
  const scope = authorize(ctx, getExportPermission(file.kind))
  if (scope === 'own' && file.scope === 'all') throw notFound('export')
  return {
    name: `${file.kind.replace('_', '-')}-${file.createdAt.toISOString().slice(0, 10)}.csv`,
    bytes: file.bytes,
    pieces: (async function* () {
      for (let number = 1; number <= file.pieces; number += 1) yield readPiece(ctx, exportId, number)
    })(),
  }
}

async function readPiece(ctx: Context, exportId: string, number: number): Promise<string> {
  const [piece] = await ctx.sql<{ text: string }[]>`
    select p.text from ${withAccount(ctx)} cross join lateral (
      select text from export_pieces
       where account_id = s.account_id and export_id = ${exportId} and number = ${number}) p`
  if (!piece) throw new Error('the export was deleted while it was being read')
  return piece.text
}

/** Deletes expired exports. Requires the engine's role. */
export const deleteExpiredExports = (engineSql: Sql, now: Date) => engineSql`
  delete from exports
   where (account_id, id) in (
           select account_id, id from exports where expires_at <= ${now} order by expires_at limit ${DELETE_BATCH})`
