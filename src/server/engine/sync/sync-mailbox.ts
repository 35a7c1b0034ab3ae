import { type ClaimedReading, releaseReading, storeLook } from '../../domain/mailboxes/claim-syncs.ts'
import { findReading, readingTransport, type StoredReading } from '../../domain/mailboxes/imap-settings.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { ImapConnection, ImapError } from '../../protocols/imap/connection.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import { type Reading, readNewMail, VoidClaim } from './sync-folder.ts'
import { lookUpSent } from './sync-sent-folder.ts'

export type ReadingSettings = {
  /** One for each mailbox; more mailboxes than that are read in turns. */
  maxConnections: number
  /** From one look at all folders to the next; the server tells of new mail in the inbox meanwhile. */
  pollMs: number
  /** For connecting, and for each answer of the server. */
  answerMs: number
  /** Before the first attempt after a fault; it doubles with each. */
  firstWaitMs: number
  longestWaitMs: number
}

export const usualSettings: ReadingSettings = {
  maxConnections: 250,
  pollMs: 60_000,
  answerMs: 30_000,
  firstWaitMs: 2_000,
  longestWaitMs: 5 * 60_000,
}
/** Accounts get locked when a wrong password comes again and again. */
const REFUSED_WAIT_MS = 60_000

export type ReadingConditions = {
  settings: ReadingSettings
  /** Told to stop: for good, or because the claim is void. */
  signal: AbortSignal
  /** Other mailboxes wait for a connection: each is then read in its turn. */
  isCrowded: () => boolean
  takeTurn: Reading['takeTurn']
}

type Session = ReadingConditions & {
  app: App
  claim: ClaimedReading
  stored: StoredReading
  hasLooked: boolean
}

/** Reads a claimed mailbox, over one connection, until that ends, then says when somebody is to go on. */
export async function readMailbox(
  app: App,
  claim: ClaimedReading,
  conditions: ReadingConditions,
): Promise<void> {
  const stored = await inAccount(app.db.work, claim.accountId, tx => findReading(tx, claim.mailboxId))
  if (stored?.epoch !== claim.epoch) return
  const session: Session = { ...conditions, app, claim, stored, hasLooked: false }
  try {
    await readOn(session)
    await release(session, conditions.isCrowded() ? conditions.settings.pollMs : 0)
  } catch (fault) {
    if (fault instanceof VoidClaim) return
    if (conditions.signal.aborted) await release(session, 0)
    else await recordFault(session, fault)
  }
}

async function readOn(session: Session): Promise<void> {
  const { app, claim, stored, signal, settings, takeTurn } = session
  const { answerMs } = settings
  const timeouts = { connectMs: answerMs, greetingMs: answerMs, answerMs }
  await using connection = await ImapConnection.open({ ...readingTransport(app, stored), signal, timeouts })
  const reading: Reading = { app, claim, connection, readFrom: stored.readFrom, takeTurn }
  let lastBeganAt: Date | undefined
  do {
    const beganAt = app.now()
    const readAgain = await lookAtAll(reading, { beganAt, lastBeganAt })
    lastBeganAt = beganAt
    if (!(await within(session, tx => storeLook(tx, claim, beganAt)))) throw new VoidClaim()
    session.hasLooked = true
    if (session.isCrowded()) return
    const over = performance.now() + settings.pollMs
    for (let leftMs = settings.pollMs; leftMs > 0 && !signal.aborted; leftMs = over - performance.now()) {
      await connection.waitForNewMail(leftMs, signal)
      await readAgain()
    }
  } while (!signal.aborted)
}

/** Every folder; the inbox at the end stays open, and the server tells of new mail in it. */
async function lookAtAll(
  reading: Reading,
  times: { beganAt: Date; lastBeganAt: Date | undefined },
): Promise<() => Promise<void>> {
  const folders = await reading.connection.listFolders()
  await lookUpSent(reading, folders, times)
  let readAgain = async (): Promise<void> => undefined
  for (const folder of readOrder.flatMap(role => folders.filter(each => each.role === role))) {
    const open = await reading.connection.openFolder(folder.path)
    await readNewMail(reading, folder, open)
    // Mail has come since.
    readAgain = () => readNewMail(reading, folder, { ...open, uidNext: undefined })
  }
  return readAgain
}

/**
 * What was sent comes before all mail, where it would look like received. The inbox comes first and last: what is moved
 * out of it or into it meanwhile is met all the same.
 */
const readOrder = ['inbox', 'sent', 'junk', 'trash', 'archive', 'all', 'inbox'] as const

/** Given back: to be read again after so long, by whoever claims it. */
const release = (session: Session, waitMs: number): Promise<unknown> =>
  storeRelease(session, waitMs, session.hasLooked ? 0 : session.stored.failures, undefined)

const storeRelease = (session: Session, waitMs: number, failures: number, reason: string | undefined) => {
  const dueAt = new Date(session.app.now().getTime() + waitMs)
  return within(session, tx => releaseReading(tx, session.claim, { dueAt, failures, reason }))
}

/** The wait grows with each failure. A connection that is lost once in a while is no fault to tell anybody of. */
async function recordFault(session: Session, fault: unknown): Promise<void> {
  const { app, claim, stored, settings } = session
  const reason = reasonOf(session, fault)
  const failures = session.hasLooked ? 1 : stored.failures + 1
  const isRefused = fault instanceof ImapError && fault.isSignInRefused
  const firstMs = isRefused ? Math.max(REFUSED_WAIT_MS, settings.firstWaitMs) : settings.firstWaitMs
  const waitMs = Math.min(settings.longestWaitMs, firstMs * 2 ** Math.min(failures - 1, 20))
  const { accountId, mailboxId } = claim
  app.log.warn(
    { accountId, mailboxId, failures, isRefused, err: fault },
    'engine: a mailbox could not be read',
  )
  await storeRelease(
    session,
    waitMs * (0.75 + Math.random() / 2),
    failures,
    session.hasLooked ? undefined : reason,
  )
}

/** What is wrong, for a person. */
function reasonOf({ app, stored }: Session, fault: unknown): string {
  if (fault instanceof ImapError) return redactSecrets(fault.message, readingTransport(app, stored))
  if (fault instanceof AppError && fault.code === 'Conflict') return fault.message
  const what = toDatabaseError(fault)?.message ?? 'What is wrong stands in the log of this server.'
  return `A mail could not be worked on, and is tried again. ${what}`
}

const within = <T>({ app, claim }: Session, work: (tx: Sql) => Promise<T>): Promise<T> =>
  inAccount(app.db.work, claim.accountId, work)
