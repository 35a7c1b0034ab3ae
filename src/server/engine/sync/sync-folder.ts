import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedReading } from '../../domain/mailboxes/claim-syncs.ts'
import { LONGEST_WAIT_FOR_REPLIES_MS } from '../../domain/mailboxes/imap-settings.ts'
import {
  countTry,
  findPosition,
  giveTryBack,
  type MailPlace,
  storePosition,
  storeSkip,
} from '../../domain/mailboxes/sync-cursors.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import {
  type FolderState,
  type ImapConnection,
  ImapError,
  type MailFolder,
} from '../../protocols/imap/connection.ts'
import { ParserError } from '../../protocols/mime/parser-threads.ts'
import { receiveMail } from '../receive/receive-mail.ts'

/** A mailbox being read: who reads it, and over which connection. */
export type Reading = {
  app: App
  claim: ClaimedReading
  connection: ImapConnection
  readFrom: Date
  /** Lets so many mails of all mailboxes be in work at once, for each may be large; accounts take turns. */
  takeTurn: <T>(work: () => Promise<T>) => Promise<T>
}

/** Somebody else reads the mailbox now, or it is to be read in another way. */
export class VoidClaim extends Error {
  override name = 'VoidClaim'
}

/** A mail in hand that can't be worked on so often is left out. */
const MAX_FAULTS = 3
const WHOLE_FETCHES = 3
const BEGINNING_BYTES = 256 * 1024
/** So often it may be the network's fault that a mail does not come; then it is tried behind another that does. */
const UNPROVEN_FETCHES = 10
const MAX_FETCHES = UNPROVEN_FETCHES + 3
const AGAIN_MS = 500

/** The open folder's new mail, from the first one on that nobody has worked on; each is done before the next begins. */
export async function readNewMail(reading: Reading, folder: MailFolder, open: FolderState): Promise<void> {
  const { claim, connection } = reading
  const { uidValidity, uidNext } = open
  const at = { path: folder.path, uidValidity }
  const position = await within(reading, tx => findPosition(tx, claim.mailboxId, { ...at, uidNext }))
  const uids =
    position === undefined
      ? await connection.listUidsSince(beginningOf(reading, folder))
      : await connection.listUidsAfter(position.lastUid)
  const [next] = uids
  if (next !== undefined && next === position?.tryingUid && position.tries >= UNPROVEN_FETCHES)
    await reading.takeTurn(() => fetchAnother(connection, next))
  for (const uid of uids) await reading.takeTurn(() => takeMail(reading, folder.role, { ...at, uid }))
  // What lies before the day from which on it is read need not be asked for again.
  const last = position === undefined ? Math.max(uids.at(-1) ?? 0, (uidNext ?? 1) - 1) : uids.at(-1)
  if (last === undefined) return
  const isOurs = await within(reading, tx => storePosition(tx, claim, { ...at, uid: last }))
  if (!isOurs) throw new VoidClaim()
}

/** Archive, bin and all mail may hold years: what is older than any answer that is waited for is left where it lies. */
function beginningOf({ app, readFrom }: Reading, { role }: MailFolder): Date {
  if (!['trash', 'archive', 'all'].includes(role)) return readFrom
  const waitedFor = new Date(app.now().getTime() - LONGEST_WAIT_FOR_REPLIES_MS)
  return readFrom > waitedFor ? readFrom : waitedFor
}

/** Shows that the network lets mails through; throws ImapError when it does not, or nothing is there to show it. */
async function fetchAnother(connection: ImapConnection, uid: number): Promise<void> {
  const other = (await connection.listUidsAfter(0)).findLast(each => each !== uid)
  if (other === undefined) throw new ImapError('The only mail of a folder could not be fetched')
  await connection.fetch(other)
}

async function takeMail(reading: Reading, folder: MailFolder['role'], place: MailPlace): Promise<void> {
  const { app, claim, connection } = reading
  const { accountId, mailboxId } = claim
  for (let faults = 1; ; faults += 1) {
    // Tells, too, that all before this mail is done.
    const tries = await within(reading, tx => countTry(tx, claim, place))
    if (tries === undefined) throw new VoidClaim()
    if (tries > MAX_FETCHES) return skip(reading, place, `It could not be fetched, ${MAX_FETCHES} times`)
    // Its beginning, which comes over a slow line, says whose it is.
    const mail = await connection.fetch(place.uid, tries > WHOLE_FETCHES ? BEGINNING_BYTES : undefined)
    // A draft is no mail yet, and all mail shows what was sent, under whichever address, once more.
    if (!mail || mail.isDraft || (folder === 'all' && mail.isInSent)) return
    try {
      const { raw, arrivedAt: receivedAt } = mail
      await receiveMail(app, { accountId, mailboxId, raw, receivedAt, folder })
      return
    } catch (fault) {
      if (isPassing(fault)) {
        await within(reading, tx => giveTryBack(tx, claim, place)).catch(() => undefined)
        throw fault
      }
      app.log.error(
        { accountId, mailboxId, folder, uid: place.uid, faults, err: fault },
        'engine: mail failed',
      )
      if (faults === MAX_FAULTS) return skip(reading, place, String(fault))
    }
    await sleep(AGAIN_MS * faults)
  }
}

/**
 * Not the mail's fault: the parser does not start, or the database is away, overloaded, read-only, damaged or of
 * another release, or two transactions were in each other's way. Of its classes of errors the others hang on data.
 */
const isPassing = (fault: unknown): boolean =>
  fault instanceof ParserError ||
  toDatabaseError(fault) !== undefined ||
  /^(25|40|42|55|57|58)...$|^XX00[12]$/.test(String((fault as { code?: unknown }).code ?? ''))

const skip = (reading: Reading, place: MailPlace, reason: string): Promise<void> =>
  within(reading, async tx => {
    await storeSkip(tx, reading.claim, place, reason.replaceAll('\0', '').slice(0, 500))
  })

const within = <T>({ app, claim }: Reading, work: (tx: Sql) => Promise<T>): Promise<T> =>
  inAccount(app.db.work, claim.accountId, work)
