import { type App, inAccount } from '../../kernel/context.ts'
import { type ClaimedProbe, recordProbe } from './circuit-breaker.ts'
import { findMailbox } from './transport.ts'
import { findSendingError } from './verify-mailbox.ts'

/** Signs in to a failing mailbox, outside a transaction, and records the result. */
export async function probeMailbox(app: App, { accountId, mailboxId }: ClaimedProbe): Promise<void> {
  const mailbox = await inAccount(app.db.work, accountId, tx => findMailbox(tx, mailboxId))
  if (mailbox?.status !== 'failing') return
  const error = await findSendingError(app, mailbox)
  await inAccount(app.db.work, accountId, async tx => {
    const current = await findMailbox(tx, mailboxId, 'update')
    // If the settings have changed in the meantime, the mailbox is unverified and the result is void.
    if (current?.status === 'failing') await recordProbe(tx, mailbox, error, app.now())
  })
}
