import { confirmSend, findUnconfirmedSends, type UnconfirmedSend } from '../../domain/outbox/sends.ts'
import { inAccount } from '../../kernel/context.ts'
import type { MailFolder } from '../../protocols/imap/connection.ts'
import type { Reading } from './sync-folder.ts'

const MINUTE_MS = 60_000
const LONGEST_AGE_MS = 7 * 24 * 60 * MINUTE_MS

/**
 * Sends whose end is unknown are looked for by their Message-ID where the provider keeps what was sent: what is there
 * has been sent. What isn't proves nothing, as not every provider keeps copies.
 */
export async function lookUpSent(
  reading: Reading,
  folders: readonly MailFolder[],
  { beganAt, lastBeganAt }: { beganAt: Date; lastBeganAt: Date | undefined },
): Promise<void> {
  const { app, claim, connection } = reading
  const places = folders.filter(({ role }) => role === 'sent' || role === 'all')
  if (places.length === 0) return
  const since = new Date(beganAt.getTime() - LONGEST_AGE_MS)
  const unconfirmed = await inAccount(app.db.work, claim.accountId, tx =>
    findUnconfirmedSends(tx, claim.mailboxId, since),
  )
  let missing = unconfirmed.filter(({ endedAt }) => isDue(endedAt, beganAt, lastBeganAt))
  for (const place of places) {
    if (missing.length === 0) return
    await connection.openFolder(place.path)
    const found = new Set<UnconfirmedSend>()
    for (const send of missing) if (await connection.hasHeader('message-id', send.header)) found.add(send)
    for (const send of found) await confirm(reading, send, place)
    missing = missing.filter(send => !found.has(send))
  }
}

/** At the first look, and whenever twice as many minutes have passed since its end: copies are filed soon, or never. */
export function isDue(endedAt: Date, at: Date, lastAt: Date | undefined): boolean {
  const doublings = (then: Date) =>
    Math.floor(Math.log2(Math.max(1, (then.getTime() - endedAt.getTime()) / MINUTE_MS)))
  return lastAt === undefined || lastAt < endedAt || doublings(at) > doublings(lastAt)
}

const confirm = ({ app, claim }: Reading, { messageId }: UnconfirmedSend, { path }: MailFolder) =>
  inAccount(app.db.work, claim.accountId, tx =>
    confirmSend(tx, { messageId, response: `Found in the folder ${path}` }),
  )
