import { startGap } from '../../domain/mailboxes/quota.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'
import { holdBack } from './circuit-breaker.ts'

/**
 * Whether this mail may leave. A step was given its place when it was planned, but many that were not taken then, or
 * not sent for a while, may be due at once: each waits until the mailbox has rested after the one before. What a person
 * wrote, or had sent again, waits for nobody.
 */
export async function keepGap(attempt: Attempt, { minGapSeconds }: StoredMailbox): Promise<boolean> {
  const { app, claim, outgoing } = attempt
  const { prospectId, isRepeat } = outgoing
  if (minGapSeconds === 0 || prospectId === null || isRepeat) return true
  let until: Date | undefined
  await inTransaction(attempt, async tx => {
    until = await startGap(tx, { mailboxId: claim.mailboxId, prospectId }, app.now())
    if (until) await holdBack(attempt, tx, until, 'Its mailbox rests between two mails')
  })
  return until === undefined
}
