import { setTimeout as sleep } from 'node:timers/promises'
import { countAttempts } from '../../domain/mailboxes/quota.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import type { Outgoing } from '../../domain/outbox/compose-outgoing.ts'
import type { UnsubscribeLink } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql, toDatabaseError } from '../../kernel/db/database.ts'
import { failpoint, failpointForEach } from '../../kernel/failpoints.ts'

const RECORD_MS = 60_000

/** A step's mail as it was planned, which whoever planned it need not read again. */
export type PlannedMail = { outgoing: Outgoing; unsubscribe: UnsubscribeLink }

/** Everything that is written under an attempt is void once its claim went to another. */
export type Attempt = {
  app: App
  claim: ClaimedSend
  outgoing: Outgoing
  mailbox?: StoredMailbox | undefined
  /** The server was handed the mail, or may have been: it counts for the mailbox's daily cap. */
  isHandedOver?: boolean
}

export async function inTransaction(attempt: Attempt, work: (tx: Sql) => Promise<unknown>): Promise<void> {
  await inOneTransaction([attempt], work)
  await failpoint('record.committed', attempt.claim.mailboxId)
}

/**
 * For attempts of one account. A database that is away for a while must not turn what is known of a send into what
 * nobody knows.
 */
export async function inOneTransaction(
  attempts: readonly [Attempt, ...Attempt[]],
  work: (tx: Sql) => Promise<unknown>,
): Promise<void> {
  const [{ app, claim }] = attempts
  const handedOver = attempts.filter(({ isHandedOver }) => isHandedOver).map(attempt => attempt.claim)
  const deadline = performance.now() + RECORD_MS
  for (;;) {
    try {
      return await retryOnDeadlock(() =>
        inAccount(app.db.gate, claim.accountId, async tx => {
          if (handedOver.length > 0) await countAttempts(tx, handedOver, app.now())
          await work(tx)
          await failpointForEach('record.written', attempts)
        }),
      )
    } catch (fault) {
      if (!toDatabaseError(fault) || performance.now() > deadline) throw fault
      await sleep(500)
    }
  }
}
