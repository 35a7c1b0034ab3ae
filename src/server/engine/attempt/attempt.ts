import { setTimeout as sleep } from 'node:timers/promises'
import { countAttempts } from '../../domain/mailboxes/quota.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import type { Outgoing } from '../../domain/outbox/compose-outgoing.ts'
import type { UnsubscribeLink } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { failpoint, failpointForEach } from '../../kernel/failpoints.ts'

/** Must be shorter than JOB_TIMEOUT_MS in loop.ts, after which the engine no longer renews the lease of a send. */
const RECORD_TIMEOUT_MS = 10 * 60_000

/** A planned email that is sent immediately, without reading it from the database again. */
export type PlannedEmail = { outgoing: Outgoing; unsubscribe: UnsubscribeLink }

/** An attempt to send a message. It records nothing more once another worker has claimed the send. */
export type Attempt = {
  app: App
  claim: ClaimedSend
  outgoing: Outgoing
  mailbox?: StoredMailbox | undefined
  /** True when the server received the email, or may have; the attempt then counts toward the mailbox's daily cap. */
  isHandedOver?: boolean
  /** The email to store in the Sent folder once it has been sent. */
  sentCopy?: Buffer | undefined
}

/** Runs `work` for one attempt, as `inSharedTransaction` does. */
export async function inTransaction(attempt: Attempt, work: (tx: Sql) => Promise<unknown>): Promise<void> {
  await inSharedTransaction([attempt], work)
  await failpoint('record.committed', attempt.claim.mailboxId)
}

/**
 * Records results of attempts of one account in one transaction. Retries while the database is unavailable, for up to
 * ten minutes, because a known result that is not recorded would leave the send unconfirmed.
 */
export async function inSharedTransaction(
  attempts: readonly [Attempt, ...Attempt[]],
  work: (tx: Sql) => Promise<unknown>,
): Promise<void> {
  const [{ app, claim }] = attempts
  const handedOver = attempts.filter(({ isHandedOver }) => isHandedOver).map(attempt => attempt.claim)
  const deadline = performance.now() + RECORD_TIMEOUT_MS
  for (;;) {
    try {
      return await retryOnDeadlock(() =>
        inAccount(app.db.gate, claim.accountId, async tx => {
          if (handedOver.length > 0) await countAttempts(tx, handedOver, app.now())
          await work(tx)
          await failpointForEach('record.written', attempts)
        }),
      )
    } catch (error) {
      if (!toDatabaseError(error) || performance.now() > deadline) throw error
      await sleep(500)
    }
  }
}
