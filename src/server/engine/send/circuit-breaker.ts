import { endFaults, takeTrial } from '../../domain/mailboxes/circuit-breaker.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { setDelivery } from '../../domain/messages/write-email-messages.ts'
import { hastenSends, postponeSend, retrySend } from '../../domain/outbox/sends.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'

/** What waits for the same moment does not come all at once. */
const SPREAD_MS = 5_000

/** Whether this mail may go: to a server in trouble one at a time does, and shows whether the trouble is over. */
export async function mayTry(attempt: Attempt, mailbox: StoredMailbox): Promise<boolean> {
  if (mailbox.faultCount === 0) return true
  let isTrial = false
  await inTransaction(attempt, async tx => {
    const now = attempt.app.now()
    isTrial = await takeTrial(tx, mailbox, now)
    if (isTrial) return
    const until =
      mailbox.retryAt && mailbox.retryAt > now ? mailbox.retryAt : new Date(now.getTime() + SPREAD_MS)
    await holdBack(attempt, tx, until, mailbox.statusReason ?? '')
  })
  return isTrial
}

/** Waits in the queue until then; an attempt is counted for what stood at its gate already. */
export async function holdBack(
  { claim, outgoing }: Attempt,
  tx: Sql,
  until: Date,
  reason: string,
): Promise<void> {
  const dueAt = new Date(until.getTime() + Math.random() * SPREAD_MS)
  const isHeld = (await postponeSend(tx, claim, dueAt, reason)) || (await retrySend(tx, claim, dueAt, reason))
  if (isHeld) await setDelivery(tx, outgoing.id, 'queued', reason)
}

/** The trouble is over, and what waited for that goes on. */
export async function endMailboxFaults(attempt: Attempt): Promise<void> {
  const { mailbox, app } = attempt
  if (!mailbox || mailbox.faultCount === 0) return
  await inTransaction(attempt, async tx => {
    await hastenSends(tx, await endFaults(tx, mailbox), app.now())
  })
}
