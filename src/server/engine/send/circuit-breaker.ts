import { claimHalfOpenProbe, closeCircuit, isCircuitClosed } from '../../domain/mailboxes/circuit-breaker.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { setDelivery } from '../../domain/messages/write-email-messages.ts'
import { expediteSends, postponeSend, retrySend } from '../../domain/outbox/sends.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'

/** Spreads sends that would be due at the same moment. */
const SPREAD_MS = 5_000

/**
 * Returns whether the email may be sent now, and defers it otherwise. A closed circuit lets every email through, a
 * half-open circuit only one as a probe, and an open circuit none.
 */
export async function passCircuitBreaker(attempt: Attempt, mailbox: StoredMailbox): Promise<boolean> {
  if (mailbox.failureCount === 0) return true
  let isPassed = false
  await inTransaction(attempt, async tx => {
    const now = attempt.app.now()
    // Another email's probe may have succeeded since the mailbox was read.
    isPassed = (await claimHalfOpenProbe(tx, mailbox, now)) || (await isCircuitClosed(tx, mailbox))
    if (isPassed) return
    const until =
      mailbox.retryAt && mailbox.retryAt > now ? mailbox.retryAt : new Date(now.getTime() + SPREAD_MS)
    await deferSend(attempt, tx, until, mailbox.statusReason ?? '')
  })
  return isPassed
}

/** Defers a send to the given time. Counts an attempt only if the send had already reached the gate. */
export async function deferSend(
  { claim, outgoing }: Attempt,
  tx: Sql,
  until: Date,
  reason: string,
): Promise<void> {
  const dueAt = new Date(until.getTime() + Math.random() * SPREAD_MS)
  const isDeferred =
    (await postponeSend(tx, claim, dueAt, reason)) || (await retrySend(tx, claim, dueAt, reason))
  if (isDeferred) await setDelivery(tx, outgoing.id, 'queued', reason)
}

/** Closes the mailbox's circuit after the server has responded, and makes all deferred sends due immediately. */
export async function closeMailboxCircuit(attempt: Attempt): Promise<void> {
  const { mailbox, app } = attempt
  if (!mailbox || mailbox.failureCount === 0) return
  await inTransaction(attempt, async tx => {
    await expediteSends(tx, await closeCircuit(tx, mailbox), app.now())
  })
}
