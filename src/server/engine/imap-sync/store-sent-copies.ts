import {
  countCopyAttempt,
  dequeueSentCopy,
  findDueCopies,
  type SentCopy,
} from '../../domain/mailboxes/sent-copies.ts'
import { inAccount } from '../../kernel/context.ts'
import { ImapError, type MailFolder } from '../../protocols/imap/imap-connection.ts'
import { LostClaimError, type MailboxSync } from './sync-folder.ts'

const NO_FOLDER = 'The mail server lists no Sent folder'

/**
 * Stores copies of sent emails in the Sent folder. Skips copies that the provider or an earlier attempt has stored.
 * Retries a failed attempt later, a few times; sending and receiving continue.
 */
export async function storeSentCopies(sync: MailboxSync, folders: readonly MailFolder[]): Promise<void> {
  const { app, claim, connection } = sync
  const due = await inAccount(app.db.work, claim.accountId, tx =>
    findDueCopies(tx, claim.mailboxId, app.now()),
  )
  if (due.length === 0) return
  const sent = folders.find(({ role }) => role === 'sent')
  if (!sent) {
    for (const copy of due) await dequeue(sync, copy, NO_FOLDER)
    return
  }
  await connection.openFolder(sent.path)
  const missing: SentCopy[] = []
  for (const copy of due) {
    if (await isInOpenFolder(sync, copy)) await dequeue(sync, copy, null)
    else missing.push(copy)
  }
  for (const copy of missing) if (!(await store(sync, copy, sent.path))) return
}

async function isInOpenFolder({ connection }: MailboxSync, { messageIdHeaders }: SentCopy): Promise<boolean> {
  for (const header of messageIdHeaders) if (await connection.hasHeader('message-id', header)) return true
  return false
}

/** Returns false when the server didn't accept the copy. */
async function store(sync: MailboxSync, copy: SentCopy, path: string): Promise<boolean> {
  const { app, claim, connection, signal } = sync
  const attempt = await inAccount(app.db.work, claim.accountId, tx =>
    countCopyAttempt(tx, claim, copy.messageId, app.now()),
  )
  if (!attempt) throw new LostClaimError()
  try {
    await connection.append(path, attempt.raw)
  } catch (error) {
    // An aborted attempt must not remove the copy from the queue, even if it is the last attempt.
    if (!(error instanceof ImapError) || signal.aborted) throw error
    const { accountId, mailboxId } = claim
    app.log.warn({ accountId, mailboxId, err: error }, 'engine: storing a sent email failed')
    if (attempt.isLast) await dequeue(sync, copy, error.message)
    return false
  }
  await dequeue(sync, copy, null)
  return true
}

const dequeue = (
  { app, claim }: MailboxSync,
  { messageId }: SentCopy,
  reason: string | null,
): Promise<void> =>
  inAccount(app.db.work, claim.accountId, tx => dequeueSentCopy(tx, claim.mailboxId, messageId, reason))
