import { getPermissionScope, type PermissionScope, type Role } from '../../../contract/permissions.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { writeCsvHeader, writeCsvRow } from '../../protocols/csv/write.ts'
import type { ClaimedExport } from './claim-exports.ts'
import {
  type ExportCell,
  type ExportKind,
  getExportPermission,
  type RowPosition,
  readExportPage,
} from './export-rows.ts'
import { getExpiry } from './exports.ts'

/** Time after which a worker returns a long export to the queue, so that other exports are processed too. */
const TIME_SLICE_MS = 20_000
export const EXPORT_LEASE_MS = 60_000
const MAX_BYTES = 500_000_000

/** Writes pages of a claimed export until it ends, or for `TIME_SLICE_MS`. */
export async function writeExport(app: App, claim: ClaimedExport, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + TIME_SLICE_MS
  while (await writePage(app, claim)) {
    if (!signal.aborted && performance.now() < endsAt) continue
    await inAccount(app.db.work, claim.accountId, tx => setExport(tx, claim, tx`lease_until = null`))
    return
  }
}

type RunningExport = {
  userId: string
  kind: ExportKind
  scope: PermissionScope
  campaignId: string | null
  until: Date
  lastAt: string | null
  lastId: string | null
  bytes: number
  pieces: number
  /** The user's current role; null when they left the account. */
  role: Role | null
}

/** Writes one page in a transaction. Returns false when the export has ended or was claimed by another worker. */
const writePage = (app: App, claim: ClaimedExport): Promise<boolean> =>
  inAccount(app.db.work, claim.accountId, async tx => {
    const running = await lockRunningExport(tx, claim)
    if (!running) return false
    const { kind, role, campaignId, lastAt, lastId } = running
    if (!role || getPermissionScope(role, getExportPermission(kind)) !== running.scope)
      return fail(tx, claim, 'Your role in the account has changed. Start the export again.')
    const after: RowPosition | undefined = lastAt && lastId ? { at: lastAt, id: lastId } : undefined
    const reader = {
      sql: tx,
      accountId: claim.accountId,
      userId: running.userId,
      role,
      actor: 'export',
      isReadOnly: true,
    }
    const options = { campaignId: campaignId ?? undefined }
    const { columns, rows, last } = await readExportPage(reader, kind, options, {
      until: running.until,
      after,
    })
    const cells = rows.map(row => columns.map(column => row[column] ?? null))
    const text = await writeCsv(after ? undefined : columns, cells)
    const bytes = running.bytes + Buffer.byteLength(text)
    if (bytes > MAX_BYTES)
      return fail(
        tx,
        claim,
        'The file would exceed 500 MB. Export one campaign at a time, or use `overture export`.',
      )
    const number = running.pieces + 1
    await tx`
      insert into export_pieces (account_id, export_id, number, text)
      values (${claim.accountId}, ${claim.exportId}, ${number}, ${text})`
    await setExport(
      tx,
      claim,
      tx`row_count = row_count + ${rows.length}, bytes = ${bytes}, pieces = ${number}, last_at = ${last?.at ?? null},
         last_id = ${last?.id ?? null}, lease_until = ${new Date(app.now().getTime() + EXPORT_LEASE_MS)},
         status = ${last ? 'running' : 'finished'}, expires_at = ${getExpiry(app.now())}`,
    )
    return last !== undefined
  })

async function lockRunningExport(
  tx: Sql,
  { exportId, epoch }: ClaimedExport,
): Promise<RunningExport | undefined> {
  const [running] = await tx<RunningExport[]>`
    select e.user_id as "userId", e.kind, e.scope, e.campaign_id as "campaignId", e.until, e.last_at as "lastAt",
           e.last_id as "lastId", e.bytes::float as bytes, e.pieces,
           (select m.role from members m where m.account_id = e.account_id and m.user_id = e.user_id) as role
      from exports e
     where e.account_id = current_account_id() and e.id = ${exportId} and e.epoch = ${epoch} and e.status = 'running'
       for update of e`
  return running
}

/** Updates a running export if the claim is still valid. */
const setExport = (tx: Sql, { exportId, epoch }: ClaimedExport, changes: Fragment) => tx`
  update exports
     set ${changes}, updated_at = now()
   where account_id = current_account_id() and id = ${exportId} and epoch = ${epoch} and status = 'running'`

/** Ends the export without a file. */
async function fail(tx: Sql, claim: ClaimedExport, failure: string): Promise<false> {
  await tx`
    delete from export_pieces where account_id = current_account_id() and export_id = ${claim.exportId}`
  await setExport(
    tx,
    claim,
    tx`status = 'failed', failure = ${failure}, bytes = 0, pieces = 0, last_at = null, last_id = null`,
  )
  return false
}

/** Writes rows as CSV without blocking the process. */
async function writeCsv(header: string[] | undefined, rows: readonly ExportCell[][]): Promise<string> {
  const yieldIfDue = createYielder()
  let text = header ? writeCsvHeader(header) : ''
  for (const row of rows) {
    text += writeCsvRow(row)
    await yieldIfDue()
  }
  return text
}
