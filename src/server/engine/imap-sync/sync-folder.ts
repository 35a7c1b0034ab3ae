import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedSync } from '../../domain/mailboxes/claim-syncs.ts'
import { REPLY_WINDOW_MS } from '../../domain/mailboxes/imap-settings.ts'
import {
  countFetch,
  findCursor,
  type MailLocation,
  recordSkippedMail,
  storeCursor,
  uncountFetch,
} from '../../domain/mailboxes/sync-cursors.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import {
  type FolderState,
  type ImapConnection,
  ImapError,
  type MailFolder,
} from '../../protocols/imap/imap-connection.ts'
import { ParserError } from '../../protocols/mime/parser-threads.ts'
import { receiveMail } from '../receive/receive-mail.ts'

/** A mailbox that is being synced. */
export type MailboxSync = {
  app: App
  claim: ClaimedSync
  connection: ImapConnection
  /** Aborted when the engine stops or the claim is lost. */
  signal: AbortSignal
  syncFrom: Date
  /** Runs work on an email when capacity is free; capacity is shared fairly between accounts. */
  scheduleMail: <T>(work: () => Promise<T>) => Promise<T>
}

/** Error thrown when another worker has claimed the mailbox, or when the settings of the mailbox have changed. */
export class LostClaimError extends Error {
  override name = 'LostClaimError'
}

/** An email is skipped after this many consecutive failures to receive it. */
const MAX_RECEIVE_ATTEMPTS = 3
const MAX_FULL_FETCHES = 3
const PARTIAL_FETCH_BYTES = 256 * 1024
/** After this many fetches without a result, another email is fetched first, to rule out a network problem. */
const MAX_UNPROVEN_FETCHES = 10
const MAX_FETCHES = MAX_UNPROVEN_FETCHES + 3
const RETRY_MS = 500

/**
 * Receives the new mail of the open folder in the order of its UIDs. The cursor moves with each email, so a restart
 * continues with the first one that was not received.
 */
export async function syncFolder(sync: MailboxSync, folder: MailFolder, open: FolderState): Promise<void> {
  const { claim, connection } = sync
  const { uidValidity, uidNext } = open
  const folderKey = { path: folder.path, uidValidity }
  const cursor = await inTransaction(sync, tx => findCursor(tx, claim.mailboxId, { ...folderKey, uidNext }))
  const uids =
    cursor === undefined
      ? await connection.listUidsSince(getStartDate(sync, folder))
      : await connection.listUidsAfter(cursor.lastUid)
  const [next] = uids
  if (next !== undefined && next === cursor?.tryingUid && cursor.tries >= MAX_UNPROVEN_FETCHES)
    await sync.scheduleMail(() => fetchAnother(connection, next))
  for (const uid of uids) await sync.scheduleMail(() => syncMail(sync, folder.role, { ...folderKey, uid }))
  // A first sync moves the cursor past the emails before the start date, which need not be listed again.
  const last = cursor === undefined ? Math.max(uids.at(-1) ?? 0, (uidNext ?? 1) - 1) : uids.at(-1)
  if (last === undefined) return
  const isHeld = await inTransaction(sync, tx => storeCursor(tx, claim, { ...folderKey, uid: last }))
  if (!isHeld) throw new LostClaimError()
}

/**
 * Returns the date from which a first sync reads the folder. Trash, archive and all mail may hold years of email, of
 * which only recent replies matter.
 */
function getStartDate({ app, connection, syncFrom }: MailboxSync, { role }: MailFolder): Date {
  const containsInbox = role === 'all' && connection.hasLabels
  if (containsInbox || !['trash', 'archive', 'all'].includes(role)) return syncFrom
  const windowStart = new Date(app.now().getTime() - REPLY_WINDOW_MS)
  return syncFrom > windowStart ? syncFrom : windowStart
}

/** Fetches another email, to prove that the network works. Throws ImapError if that fails or no other email exists. */
async function fetchAnother(connection: ImapConnection, uid: number): Promise<void> {
  const other = (await connection.listUidsAfter(0)).findLast(each => each !== uid)
  if (other === undefined) throw new ImapError('The only email in a folder could not be fetched')
  await connection.fetch(other)
}

async function syncMail(
  sync: MailboxSync,
  folder: MailFolder['role'],
  location: MailLocation,
): Promise<void> {
  const { app, claim, connection } = sync
  const { accountId, mailboxId } = claim
  for (let attempt = 1; ; attempt += 1) {
    // `countFetch` also moves the cursor to just before this email.
    const fetches = await inTransaction(sync, tx => countFetch(tx, claim, location))
    if (fetches === undefined) throw new LostClaimError()
    if (fetches > MAX_FETCHES)
      return skip(sync, location, `It could not be fetched in ${MAX_FETCHES} attempts`)
    // On a slow connection, the first part still arrives and is enough to match a reply.
    const mail = await connection.fetch(
      location.uid,
      fetches > MAX_FULL_FETCHES ? PARTIAL_FETCH_BYTES : undefined,
    )
    // Drafts have not been sent yet.
    if (!mail || mail.isDraft) return
    const { raw, arrivedAt: receivedAt, isInSent, isInInbox } = mail
    try {
      await receiveMail(app, {
        ...{ accountId, mailboxId, raw, receivedAt, isInInbox },
        folder: isInSent ? 'sent' : folder,
      })
      return
    } catch (error) {
      if (isTransient(error)) {
        await inTransaction(sync, tx => uncountFetch(tx, claim, location)).catch(() => undefined)
        throw error
      }
      app.log.error(
        { accountId, mailboxId, folder, uid: location.uid, attempt, err: error },
        'engine: receiving an email failed',
      )
      if (attempt === MAX_RECEIVE_ATTEMPTS) return skip(sync, location, String(error))
    }
    await sleep(RETRY_MS * attempt)
  }
}

/**
 * Returns true when something other than the email caused the error: the parser does not start; the database is
 * unavailable, overloaded, read-only, damaged or has the schema of another release; or two transactions conflicted.
 * PostgreSQL's other error classes depend on the data.
 */
const isTransient = (error: unknown): boolean =>
  error instanceof ParserError ||
  toDatabaseError(error) !== undefined ||
  /^(25|40|42|55|57|58)...$|^XX00[12]$/.test(String((error as { code?: unknown }).code ?? ''))

const skip = (sync: MailboxSync, location: MailLocation, reason: string): Promise<void> =>
  inTransaction(sync, async tx => {
    await recordSkippedMail(tx, sync.claim, location, reason.replaceAll('\0', '').slice(0, 500))
  })

const inTransaction = <T>({ app, claim }: MailboxSync, work: (tx: Sql) => Promise<T>): Promise<T> =>
  inAccount(app.db.work, claim.accountId, work)
