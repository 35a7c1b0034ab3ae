import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { failMailbox, openCircuit } from '../../domain/mailboxes/circuit-breaker.ts'
import { lockAndCheckCap } from '../../domain/mailboxes/quota.ts'
import { findMailbox } from '../../domain/mailboxes/transport.ts'
import { getAddresses } from '../../domain/messages/recipients.ts'
import { removeEmailMessage, setDelivery } from '../../domain/messages/write-email-messages.ts'
import { deleteSend, endSend, retrySend } from '../../domain/outbox/sends.ts'
import { countRejection, revertStep, stopProspect } from '../../domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import type { Sql } from '../../kernel/db/database.ts'
import {
  type FailedResult,
  isServerDown,
  isSignInDeferred,
  type SendResult,
} from '../../protocols/smtp/result.ts'
import { type Attempt, inTransaction } from '../attempt/attempt.ts'
import { closeMailboxCircuit, deferSend } from './circuit-breaker.ts'
import type { Refusal } from './gate.ts'
import { finishProspectSteps, isUnknownAddress, recordDelivery } from './record-delivery.ts'

/** With the backoff, about four days in all, as RFC 5321 section 4.5.4.1 recommends. */
const MAX_ATTEMPTS = 30
const BACKOFF = { baseMs: 60_000, maxMs: 4 * 60 * 60_000 }
const DAY_MS = 24 * 60 * 60_000
/** Maximum rejections of a step's email by a mailbox that delivers other emails in between. */
const MAX_REJECTIONS = 3
const AFTER_PROBE_MS = 2 * 60 * 60_000
/** A restarting database is back within this time. */
const SOON_MS = 5_000

/** Records the result of an SMTP attempt in the outbox, the message, the prospect and the mailbox. */
export async function recordResult(
  started: Attempt,
  result: SendResult,
  refusal: Refusal | undefined,
): Promise<void> {
  const hasReply = ['sent', 'rejected', 'deferred'].includes(result.outcome)
  const attempt = { ...started, isHandedOver: hasReply || result.outcome === 'unknown' }
  if (hasReply) await closeMailboxCircuit(started)
  switch (result.outcome) {
    case 'sent':
      return recordDelivery(attempt, result)
    case 'withheld':
      return resolveRefusal(attempt, refusal!)
    case 'rejected':
      return isUnknownAddress(result) ? bounce(attempt, result.reason) : fail(attempt, result.reason)
    case 'postponed':
      return inTransaction(attempt, tx => deferSend(attempt, tx, getEarlyRetryAt(attempt), result.reason))
    case 'mailbox_failed':
      return recordMailboxFailure(
        attempt,
        redactRecipients(attempt, result.reason),
        ['envelope', 'end'].includes(result.phase),
      )
    case 'deferred':
    case 'server_failed':
      if (isServerDown(result)) return waitForServer(attempt, result)
      return attempt.claim.attempts >= MAX_ATTEMPTS
        ? fail(attempt, result.reason)
        : inTransaction(attempt, tx => retryWithinQuota(attempt, tx, result.reason))
    case 'unknown':
      return recordUnconfirmed(attempt, result.reason)
  }
}

/** Stops, reverts or retries a send that the gate refused. Nothing was delivered. */
export const resolveRefusal = (attempt: Attempt, { kind, reason }: Refusal): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing } = attempt
    if (kind === 'void') return
    // An unconfirmed message is not sent again if the prospect has replied or is paused or stopped. Other reasons to
    // send it later are temporary.
    const isOver = outgoing.isRepeat && reason.startsWith('prospect_')
    if (kind === 'later' && !isOver) return revertSend(attempt, tx, reason)
    if (kind === 'again') return requeue(attempt, tx, getEarlyRetryAt(attempt), reason)
    if (outgoing.isRepeat) return giveUpRepeat(attempt, tx, reason)
    if (!(await endSend(tx, claim, 'refused', reason))) return
    await setDelivery(tx, outgoing.id, 'suppressed', reason)
    if (outgoing.prospectId) await stopProspect(tx, outgoing.prospectId, 'paused', reason, attempt.app.now())
    if (outgoing.campaignId) await completeCampaign(tx, outgoing.campaignId)
  })

/** Requeues the send. The attempt counts as `attempts` attempts. */
async function requeue(attempt: Attempt, tx: Sql, dueAt: Date, reason: string, attempts = 1): Promise<void> {
  if (await retrySend(tx, attempt.claim, dueAt, reason, attempts))
    await setDelivery(tx, attempt.outgoing.id, 'queued', reason)
}

/**
 * Retries a send within the mailbox's daily cap. When the cap leaves no second attempt today, the step waits a day,
 * until its first attempt no longer counts toward the cap. The delay uses up a day's attempts.
 */
async function retryWithinQuota(attempt: Attempt, tx: Sql, reason: string): Promise<void> {
  const { app, claim, isHandedOver } = attempt
  if (!isHandedOver || !isStep(attempt) || (await lockAndCheckCap(tx, claim.mailboxId, app.now())))
    return requeue(attempt, tx, getRetryAt(attempt), reason)
  const tomorrow = new Date(app.now().getTime() + DAY_MS)
  return requeue(attempt, tx, tomorrow, reason, DAY_MS / BACKOFF.maxMs)
}

/**
 * Marks the mailbox as failing. `isAboutEmail` is true when the server rejected the email itself, which may be the
 * cause. In that case, the step fails instead once the mailbox has repeatedly delivered other emails in between.
 */
export const recordMailboxFailure = (attempt: Attempt, reason: string, isAboutEmail = false): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, claim, mailbox, outgoing } = attempt
    if (isAboutEmail && isStep(attempt)) {
      const rejections = await countRejection(tx, outgoing.prospectId!, claim.mailboxId)
      if (rejections >= MAX_REJECTIONS) return failInTransaction(attempt, tx, 'failed', reason)
    }
    const isProbe = mailbox !== undefined && mailbox.failureCount > 0
    if (mailbox) await failMailbox(tx, mailbox, { reason, isServerDown: false }, app.now())
    await revertSend(
      attempt,
      tx,
      reason,
      isProbe && isAboutEmail ? await getTimeAfterProbe(attempt, tx) : undefined,
    )
  })

/** Returns a time after the next probe, so that a bad email is not chosen as the probe every time. */
async function getTimeAfterProbe(attempt: Attempt, tx: Sql): Promise<Date> {
  const failing = await findMailbox(tx, attempt.claim.mailboxId)
  return new Date((failing?.retryAt ?? attempt.app.now()).getTime() + AFTER_PROBE_MS)
}

/**
 * Removes the recipients' addresses from the server's response, because the response is also stored as the status
 * reason of the mailbox and of its other emails.
 */
const redactRecipients = ({ outgoing }: Attempt, reason: string): string =>
  getAddresses(outgoing.recipients).reduce(
    (text, email) => text.replaceAll(new RegExp(RegExp.escape(email), 'gi'), '…'),
    reason,
  )

/** Opens the circuit of the server, or only of the mailbox if its sign-in was deferred. Not counted as an attempt. */
const waitForServer = (attempt: Attempt, result: FailedResult): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, mailbox } = attempt
    const reason = redactRecipients(attempt, result.reason)
    const circuit = { ...mailbox!, isProbe: mailbox!.failureCount > 0 }
    const until = await openCircuit(tx, circuit, { reason, isOwn: isSignInDeferred(result) }, app.now())
    return until ? deferSend(attempt, tx, until, reason) : revertSend(attempt, tx, reason)
  })

/**
 * Reverts a step, so that it is planned again with the facts at that time. A message that a person wrote is retried
 * as it is, and fails after the last attempt.
 */
async function revertSend(
  attempt: Attempt,
  tx: Sql,
  reason: string,
  dueAt = getRetryAt(attempt),
): Promise<void> {
  const { claim, outgoing, mailbox } = attempt
  if (!isStep(attempt)) {
    const cause = reason === 'no_working_mailbox' ? (mailbox?.statusReason ?? reason) : reason
    if (claim.attempts >= MAX_ATTEMPTS) await failInTransaction(attempt, tx, 'failed', cause)
    else await requeue(attempt, tx, dueAt, cause)
  } else if (await deleteSend(tx, claim)) {
    await removeEmailMessage(tx, outgoing.id)
    await revertStep(tx, outgoing.prospectId!, dueAt)
  }
}

/** Returns false for messages that a person wrote or sent again. */
const isStep = ({ outgoing }: Attempt): boolean =>
  !outgoing.isRepeat && outgoing.prospectId !== null && outgoing.campaignId !== null

export const fail = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, tx => failInTransaction(attempt, tx, 'failed', reason))

/**
 * Fails the send as bounced. Records the address as bounced only if it is the only recipient, because any of several
 * recipients may have been rejected.
 */
const bounce = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, claim, outgoing } = attempt
    const emails = getAddresses(outgoing.recipients)
    await failInTransaction(attempt, tx, 'bounced', reason)
    const context = { app, sql: tx, accountId: claim.accountId, actor: 'engine' }
    if (emails.length === 1) await recordBouncedAddresses(context, { emails, emailMessageId: outgoing.id })
  })

async function failInTransaction(
  attempt: Attempt,
  tx: Sql,
  status: 'failed' | 'bounced',
  reason: string,
): Promise<void> {
  const { claim, outgoing } = attempt
  if (outgoing.isRepeat) return giveUpRepeat(attempt, tx, reason)
  if (!(await endSend(tx, claim, 'failed', reason))) return
  await setDelivery(tx, outgoing.id, 'failed', reason)
  if (outgoing.prospectId) await stopProspect(tx, outgoing.prospectId, status, reason, attempt.app.now())
  if (outgoing.campaignId) await completeCampaign(tx, outgoing.campaignId)
}

/** Gives up sending a message again; its first attempt stays unconfirmed. */
async function giveUpRepeat({ claim, outgoing }: Attempt, tx: Sql, reason: string): Promise<void> {
  if (await endSend(tx, claim, 'unconfirmed', reason))
    await setDelivery(tx, outgoing.id, 'unconfirmed', `Not sent again: ${reason}`)
}

/** Records that the delivery is uncertain. A person decides; the email is never sent again automatically. */
export const recordUnconfirmed = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, claim, outgoing } = attempt
    if (!(await endSend(tx, claim, 'unconfirmed', reason))) return
    await setDelivery(tx, outgoing.id, 'unconfirmed', reason)
    await finishProspectSteps(tx, [attempt], app.now(), 'unconfirmed')
  })

const getRetryAt = ({ app, claim }: Attempt): Date => nextAttemptAt(app.now(), claim.attempts - 1, BACKOFF)

const getEarlyRetryAt = ({ app }: Attempt): Date => new Date(app.now().getTime() + SOON_MS)
