import { startGap } from '../../domain/mailboxes/quota.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'
import { deferSend } from './circuit-breaker.ts'

/**
 * Enforces the gap between two mails of a mailbox; false when this one has to wait. Steps were spaced when they were
 * planned, but after a delay many may be due at once. Mails that a person wrote or sent again never wait.
 */
export async function passThrottle(attempt: Attempt, { minGapSeconds }: StoredMailbox): Promise<boolean> {
  const { app, claim, outgoing } = attempt
  const { prospectId, isRepeat } = outgoing
  if (minGapSeconds === 0 || prospectId === null || isRepeat) return true
  let until: Date | undefined
  await inTransaction(attempt, async tx => {
    until = await startGap(tx, { mailboxId: claim.mailboxId, prospectId }, app.now())
    if (until) await deferSend(attempt, tx, until, 'The mailbox waits between two mails')
  })
  return until === undefined
}
