import { confirmSend, findUnconfirmedSends, type UnconfirmedSend } from '../../domain/outbox/sends.ts'
import { inAccount } from '../../kernel/context.ts'
import type { MailFolder } from '../../protocols/imap/imap-connection.ts'
import type { MailboxSync } from './sync-folder.ts'

const MINUTE_MS = 60_000
const MAX_AGE_MS = 7 * 24 * 60 * MINUTE_MS

/**
 * Resolves unconfirmed sends: searches the Sent folder for their Message-IDs and confirms the sends that it finds. A
 * missing copy proves nothing, because not every provider stores copies of sent email.
 */
export async function syncSentFolder(
  sync: MailboxSync,
  folders: readonly MailFolder[],
  { beganAt, lastBeganAt }: { beganAt: Date; lastBeganAt: Date | undefined },
): Promise<void> {
  const { app, claim, connection } = sync
  const sentFolders = folders.filter(({ role }) => role === 'sent' || role === 'all')
  if (sentFolders.length === 0) return
  const since = new Date(beganAt.getTime() - MAX_AGE_MS)
  const unconfirmed = await inAccount(app.db.work, claim.accountId, tx =>
    findUnconfirmedSends(tx, claim.mailboxId, since),
  )
  let missing = unconfirmed.filter(({ endedAt }) => isSearchDue(endedAt, beganAt, lastBeganAt))
  for (const folder of sentFolders) {
    if (missing.length === 0) return
    await connection.openFolder(folder.path)
    const found = new Set<UnconfirmedSend>()
    for (const send of missing)
      for (const header of send.messageIdHeaders)
        if (!found.has(send) && (await connection.hasHeader('message-id', header))) found.add(send)
    for (const send of found) await confirm(sync, send, folder)
    missing = missing.filter(send => !found.has(send))
  }
}

/**
 * Returns true on the first sync of a connection, and then whenever the number of minutes since the send ended has
 * doubled. Providers store a copy soon or not at all.
 */
export function isSearchDue(endedAt: Date, now: Date, lastSyncAt: Date | undefined): boolean {
  const countDoublings = (at: Date) =>
    Math.floor(Math.log2(Math.max(1, (at.getTime() - endedAt.getTime()) / MINUTE_MS)))
  return lastSyncAt === undefined || lastSyncAt < endedAt || countDoublings(now) > countDoublings(lastSyncAt)
}

const confirm = ({ app, claim }: MailboxSync, { messageId }: UnconfirmedSend, { path }: MailFolder) =>
  inAccount(app.db.work, claim.accountId, tx =>
    confirmSend(tx, { messageId, response: `Found in the folder ${path}` }),
  )
