import { findCapReset, startGap } from '../../domain/mailboxes/quota.ts'
import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'
import { deferSend } from './circuit-breaker.ts'

/**
 * Enforces the gap between two emails of a mailbox, and its daily cap for emails that open a conversation. Returns
 * false when this email has to wait. Steps were planned within both limits, but after a delay many may be due at the
 * same time. Replies that a person wrote and emails that a person sent again never wait.
 */
export async function passThrottle(
  attempt: Attempt,
  { minGapSeconds, dailyCap }: StoredMailbox,
): Promise<boolean> {
  const { app, claim, outgoing } = attempt
  const { id, prospectId, isRepeat } = outgoing
  const isOpening = prospectId === null && outgoing.inReplyTo === null
  const isCapped = isOpening && dailyCap !== null
  if (isRepeat || (prospectId === null && !isOpening) || (minGapSeconds === 0 && !isCapped)) return true
  let until: Date | null | undefined
  await inTransaction(attempt, async tx => {
    const now = app.now()
    until = isCapped ? await findCapReset(tx, claim, now) : null
    if (until) return deferSend(attempt, tx, until, 'The mailbox has reached its daily cap')
    until = await startGap(tx, { mailboxId: claim.mailboxId, afterId: prospectId ?? id }, now)
    if (until)
      await deferSend(attempt, tx, until, 'The mailbox is waiting for its minimum gap between emails')
  })
  return !until
}
