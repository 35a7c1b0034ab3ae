import { type ClaimedSync, recordSync, releaseSync } from '../../domain/mailboxes/claim-syncs.ts'
import {
  findImapSettings,
  type StoredImapSettings,
  toImapTransport,
} from '../../domain/mailboxes/imap-settings.ts'
import { openImap } from '../../domain/mailboxes/open-imap.ts'
import { type Backoff, computeBackoffMs } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { type ImapConnection, ImapError, type MailFolder } from '../../protocols/imap/imap-connection.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import { storeSentCopies } from './store-sent-copies.ts'
import { LostClaimError, type MailboxSync, syncFolder } from './sync-folder.ts'
import { syncSentFolder } from './sync-sent-folder.ts'

export type SyncSettings = {
  /** Concurrent connections, one for each mailbox; further mailboxes take turns. */
  maxConnections: number
  /** Time between syncs of all folders. New mail in the inbox is fetched as soon as the server reports it. */
  pollMs: number
  /** Timeout for connecting and for each response. */
  answerMs: number
  /** Delay before a mailbox is tried again after a failure. */
  backoff: Backoff
}

export const defaultSettings: SyncSettings = {
  maxConnections: 250,
  pollMs: 60_000,
  answerMs: 30_000,
  backoff: { baseMs: 2_000, maxMs: 5 * 60_000 },
}
/** First delay after a refused sign-in: servers lock accounts after repeated wrong passwords. */
const REFUSED_BACKOFF_MS = 60_000

export type SyncOptions = {
  settings: SyncSettings
  /** Aborted when the engine stops or the claim is lost. */
  signal: AbortSignal
  /** True when other mailboxes are waiting for a connection, so that this one releases its own after each sync. */
  isCrowded: () => boolean
  scheduleMail: MailboxSync['scheduleMail']
}

type Session = SyncOptions & {
  app: App
  claim: ClaimedSync
  stored: StoredImapSettings
  hasSynced: boolean
}

/** Keeps a claimed mailbox in sync over one IMAP connection until the connection ends, then releases the claim. */
export async function syncMailbox(app: App, claim: ClaimedSync, options: SyncOptions): Promise<void> {
  const stored = await inAccount(app.db.work, claim.accountId, tx => findImapSettings(tx, claim.mailboxId))
  if (stored?.epoch !== claim.epoch) return
  const session: Session = { ...options, app, claim, stored, hasSynced: false }
  try {
    await syncUntilStopped(session)
    await release(session, options.isCrowded() ? options.settings.pollMs : 0)
  } catch (error) {
    if (error instanceof LostClaimError) return
    if (options.signal.aborted) await release(session, 0)
    else await recordFailure(session, error)
  }
}

async function syncUntilStopped(session: Session): Promise<void> {
  const { app, claim, stored, signal, settings, scheduleMail } = session
  const { answerMs } = settings
  const timeouts = { connectMs: answerMs, greetingMs: answerMs, answerMs }
  await using connection = await openImap(app, stored, { signal, timeouts })
  const sync: MailboxSync = { app, claim, connection, signal, syncFrom: stored.syncFrom, scheduleMail }
  let lastBeganAt: Date | undefined
  do {
    const beganAt = app.now()
    const syncOpenFolder = await syncAllFolders(sync, { beganAt, lastBeganAt })
    lastBeganAt = beganAt
    if (!(await inTransaction(session, tx => recordSync(tx, claim, beganAt)))) throw new LostClaimError()
    session.hasSynced = true
    if (session.isCrowded()) return
    const nextSyncAt = performance.now() + settings.pollMs
    for (
      let remainingMs = settings.pollMs;
      remainingMs > 0 && !signal.aborted;
      remainingMs = nextSyncAt - performance.now()
    ) {
      await connection.waitForNewMail(remainingMs, signal)
      await syncOpenFolder()
    }
  } while (!signal.aborted)
}

/**
 * Syncs every folder and keeps the last one open, because new mail arrives in it. Returns a function that fetches this
 * new mail.
 */
async function syncAllFolders(
  sync: MailboxSync,
  times: { beganAt: Date; lastBeganAt: Date | undefined },
): Promise<() => Promise<void>> {
  const folders = await sync.connection.listFolders()
  await syncSentFolder(sync, folders, times)
  await storeSentCopies(sync, folders)
  let syncOpenFolder = async (): Promise<void> => undefined
  for (const folder of toSyncOrder(folders, sync.connection)) {
    const open = await sync.connection.openFolder(folder.path)
    await syncFolder(sync, folder, open)
    // `uidNext` is out of date once mail has arrived.
    syncOpenFolder = () => syncFolder(sync, folder, { ...open, uidNext: undefined })
  }
  return syncOpenFolder
}

/**
 * "sent" comes first: received mail may reply to an email that a rep wrote in another program, and in "all", sent mail
 * would look received. The inbox comes before and after the folders that email is moved to, so that email that is moved
 * into or out of it during the sync is not missed.
 */
const folderOrder = ['sent', 'inbox', 'junk', 'trash', 'archive', 'all', 'inbox'] as const
/** In Gmail, "all" contains the inbox, sent mail and every label. Users may hide it; then the usual order applies. */
const labeledOrder = ['all', 'junk', 'trash', 'all'] as const

function toSyncOrder(folders: readonly MailFolder[], { hasLabels }: ImapConnection): MailFolder[] {
  const isLabeled = hasLabels && folders.some(({ role }) => role === 'all')
  const order = isLabeled ? labeledOrder : folderOrder
  return order.flatMap(role => folders.filter(each => each.role === role))
}

/** Releases the claim; the mailbox is due again after the delay. */
const release = (session: Session, delayMs: number): Promise<unknown> =>
  storeRelease(session, delayMs, session.hasSynced ? 0 : session.stored.failures, undefined)

const storeRelease = (session: Session, delayMs: number, failures: number, reason: string | undefined) => {
  const dueAt = new Date(session.app.now().getTime() + delayMs)
  return inTransaction(session, tx => releaseSync(tx, session.claim, { dueAt, failures, reason }))
}

/** Releases the claim with a backoff. A connection that is lost after a sync does not mark the mailbox as failing. */
async function recordFailure(session: Session, error: unknown): Promise<void> {
  const { app, claim, stored, settings } = session
  const reason = getReason(session, error)
  const failures = session.hasSynced ? 1 : stored.failures + 1
  const isRefused = error instanceof ImapError && error.isSignInRefused
  const { baseMs, maxMs } = settings.backoff
  const backoff = { baseMs: isRefused ? Math.max(REFUSED_BACKOFF_MS, baseMs) : baseMs, maxMs }
  const { accountId, mailboxId } = claim
  app.log.warn(
    { accountId, mailboxId, failures, isRefused, err: error },
    'engine: syncing a mailbox failed; retrying',
  )
  const delayMs = computeBackoffMs(failures - 1, backoff)
  await storeRelease(session, delayMs, failures, session.hasSynced ? undefined : reason)
}

/** Returns the reason that users see, without secrets. */
function getReason({ app, stored }: Session, error: unknown): string {
  if (error instanceof ImapError) return redactSecrets(error.message, toImapTransport(app, stored))
  if (error instanceof AppError && error.code === 'Conflict') return error.message
  const detail = toDatabaseError(error)?.message ?? 'See the server’s log for details.'
  return `A received email could not be processed; retrying. ${detail}`
}

const inTransaction = <T>({ app, claim }: Session, work: (tx: Sql) => Promise<T>): Promise<T> =>
  inAccount(app.db.work, claim.accountId, work)
