import { recordBouncedAddresses } from '../../domain/dnc/bounced-addresses.ts'
import { backOff, failMailbox as markFailing } from '../../domain/mailboxes/circuit-breaker.ts'
import { hasRoom } from '../../domain/mailboxes/quota.ts'
import { findMailbox } from '../../domain/mailboxes/transport.ts'
import { addMessageAlias } from '../../domain/messages/message-aliases.ts'
import {
  markEmailMessagesSent,
  removeEmailMessage,
  setDelivery,
} from '../../domain/messages/write-email-messages.ts'
import {
  confirmSend,
  endSend,
  forgetSend,
  type Receipt,
  recordSent,
  retrySend,
} from '../../domain/outbox/sends.ts'
import {
  dropStatusReason,
  finishSteps,
  stopProspect,
  takeStepBack,
} from '../../domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../domain/prospects/complete-campaign.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import {
  type FailedResult,
  isServerDown,
  type SendResult,
  type SentResult,
} from '../../protocols/smtp/result.ts'
import { type Attempt, inOneTransaction, inTransaction } from '../attempt/attempt.ts'
import { endMailboxFaults, holdBack } from './circuit-breaker.ts'
import type { Refusal } from './gate.ts'

/** With the waits below about four days, as RFC 5321 section 4.5.4.1 has it. */
const MAX_ATTEMPTS = 30
const FIRST_RETRY_MS = 60_000
const LONGEST_RETRY_MS = 4 * 60 * 60_000
const DAY_MS = 24 * 60 * 60_000
const AFTER_OTHERS_MS = 2 * 60 * 60_000
/** A database that restarts is back within this. */
const AGAIN_MS = 5_000

export async function recordEnding(
  begun: Attempt,
  ending: SendResult,
  refusal: Refusal | undefined,
): Promise<void> {
  const isAnswered = ['sent', 'rejected', 'deferred'].includes(ending.outcome)
  const attempt = { ...begun, isHandedOver: isAnswered || ending.outcome === 'unknown' }
  if (isAnswered) await endMailboxFaults(begun)
  switch (ending.outcome) {
    case 'sent':
      return recordDelivery(attempt, ending)
    case 'withheld':
      return settle(attempt, refusal!)
    case 'rejected':
      return isUnknownAddress(ending) ? bounce(attempt, ending.reason) : fail(attempt, ending.reason)
    case 'postponed':
      return inTransaction(attempt, tx => holdBack(attempt, tx, again(attempt), ending.reason))
    case 'mailbox_failed':
      return failMailbox(attempt, ending.reason, ['envelope', 'end'].includes(ending.phase))
    case 'deferred':
    case 'server_failed':
      if (isServerDown(ending)) return waitForServer(attempt, ending.reason)
      return attempt.claim.attempts >= MAX_ATTEMPTS
        ? fail(attempt, ending.reason)
        : inTransaction(attempt, tx => retryInRoom(attempt, tx, ending.reason))
    case 'unknown':
      return recordUnconfirmed(attempt, ending.reason)
  }
}

/** RFC 3463: 5.1.1 to 5.1.3 and 5.1.6 say that there is no such mailbox. */
const isUnknownAddress = ({ reply }: Pick<FailedResult, 'reply'>): boolean =>
  /^5\.1\.[1236]$/.test(reply?.enhancedCode ?? '')

type Delivered = Attempt & { ending: SentResult }

async function recordDelivery(attempt: Attempt, ending: SentResult): Promise<void> {
  await delivering.run({ ...attempt, ending })
  await failpoint('record.committed', attempt.claim.mailboxId)
}

/** What was delivered is recorded up to this much later, for that is no part of the way any more. */
const GATHER_MS = 15

const delivering = new Batcher<Delivered, void>(
  async delivered => {
    await inOneTransaction(delivered, tx => recordDeliveries(tx, delivered))
    return delivered.map(() => undefined)
  },
  { lingerMs: GATHER_MS },
)

async function recordDeliveries(tx: Sql, delivered: readonly [Delivered, ...Delivered[]]): Promise<void> {
  const now = delivered[0].app.now()
  for (const { outgoing, ending } of delivered)
    if (ending.serverMessageId) await addMessageAlias(tx, outgoing.id, ending.serverMessageId)
  const areRecorded = await recordSent(
    tx,
    delivered.map(({ claim, ending }) => ({ ...claim, ...receiptOf(ending) })),
  )
  const recorded = delivered.filter((_, index) => areRecorded[index])
  const ids = recorded.map(({ outgoing }) => outgoing.id)
  if (ids.length > 0) await markEmailMessagesSent(tx, ids, now)
  await finishProspectSteps(tx, recorded, now, null)
  // Given up meanwhile: their steps are finished already.
  for (const { outgoing, ending } of delivered.filter((_, index) => !areRecorded[index]))
    await confirmSend(tx, { messageId: outgoing.id, ...receiptOf(ending) })
  for (const each of delivered) await recordRefusals(tx, each)
}

/** The server took it for the others: whoever wrote it learns whom it did not reach, and dead addresses get no more. */
async function recordRefusals(tx: Sql, { claim, outgoing, ending: { refused } }: Delivered): Promise<void> {
  if (refused.length === 0) return
  const answers = refused.map(({ address, reply }) =>
    [`${address}:`, reply?.code, reply?.enhancedCode, reply?.text].filter(Boolean).join(' '),
  )
  await setDelivery(tx, outgoing.id, 'bounced', `Refused by the server for ${answers.join('; ')}`)
  const emails = refused
    .filter(isUnknownAddress)
    .map(({ address }) => canonicalEmail(address))
    .filter(email => email !== undefined)
  const who = { sql: tx, accountId: claim.accountId, actor: 'engine' }
  if (emails.length > 0) await recordBouncedAddresses(who, { emails, emailMessageId: outgoing.id })
}

const receiptOf = ({ reply, queueId }: SentResult): Receipt => ({
  response: `${reply.code} ${reply.text}`,
  queueId,
})

/** Refused before anything was delivered: who opted out never gets it, everything else may be planned again. */
export const settle = (attempt: Attempt, { kind, reason }: Refusal): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing } = attempt
    if (kind === 'void') return
    // Who answered or left meanwhile gets nothing again; everything else may change.
    const isOver = outgoing.isRepeat && reason.startsWith('prospect_')
    if (kind === 'later' && !isOver) return putBack(attempt, tx, reason)
    if (kind === 'again') return queueAgain(attempt, tx, again(attempt), reason)
    if (outgoing.isRepeat) return giveUpRepeat(attempt, tx, reason)
    if (!(await endSend(tx, claim, 'refused', reason))) return
    await setDelivery(tx, outgoing.id, 'suppressed', reason)
    if (outgoing.prospectId) await stopProspect(tx, outgoing.prospectId, 'paused', reason, attempt.app.now())
    if (outgoing.campaignId) await completeCampaign(tx, outgoing.campaignId)
  })

/** `counting`: for how many attempts this one stands. */
async function queueAgain(
  attempt: Attempt,
  tx: Sql,
  dueAt: Date,
  reason: string,
  counting = 1,
): Promise<void> {
  if (await retrySend(tx, attempt.claim, dueAt, reason, counting))
    await setDelivery(tx, attempt.outgoing.id, 'queued', reason)
}

/**
 * A step for which the mailbox's day leaves no second attempt waits until the first one is a day old: it takes the
 * place of that, so that no more are handed over within any day than before. It stands for all attempts of a day.
 */
async function retryInRoom(attempt: Attempt, tx: Sql, reason: string): Promise<void> {
  const { app, claim, isHandedOver } = attempt
  if (!isHandedOver || !isStep(attempt) || (await hasRoom(tx, claim.mailboxId, app.now())))
    return queueAgain(attempt, tx, retryAt(attempt), reason)
  const tomorrow = new Date(app.now().getTime() + DAY_MS)
  return queueAgain(attempt, tx, tomorrow, reason, DAY_MS / LONGEST_RETRY_MS)
}

/** `isAboutMail`: the server let the mailbox in and refused it when it saw this mail, which may be what it refuses. */
export const failMailbox = (attempt: Attempt, reason: string, isAboutMail = false): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, mailbox } = attempt
    if (mailbox) await markFailing(tx, mailbox, { reason, isServerDown: false }, app.now())
    const isTrial = mailbox !== undefined && mailbox.faultCount > 0
    await putBack(attempt, tx, reason, isTrial && isAboutMail ? await afterOthers(attempt, tx) : undefined)
  })

/** Others shall show first whether the trouble is over: one mail that is refused alone must not be each time the trial. */
async function afterOthers(attempt: Attempt, tx: Sql): Promise<Date> {
  const failing = await findMailbox(tx, attempt.claim.mailboxId)
  return new Date((failing?.retryAt ?? attempt.app.now()).getTime() + AFTER_OTHERS_MS)
}

/** Everything of this server waits, and what waits loses no attempt by it. */
const waitForServer = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, mailbox } = attempt
    const isTrial = mailbox!.faultCount > 0
    const until = await backOff(tx, { ...mailbox!, isTrial }, reason, app.now())
    if (until) await holdBack(attempt, tx, until, reason)
    else await putBack(attempt, tx, reason)
  })

/**
 * A step is taken back whole, so that it is planned with what holds then; what a person wrote waits as it is, and is
 * theirs again when it has waited for days.
 */
async function putBack(attempt: Attempt, tx: Sql, reason: string, dueAt = retryAt(attempt)): Promise<void> {
  const { claim, outgoing, mailbox } = attempt
  if (!isStep(attempt)) {
    const why = reason === 'no_working_mailbox' ? (mailbox?.statusReason ?? reason) : reason
    if (claim.attempts >= MAX_ATTEMPTS) await failIn(attempt, tx, 'failed', why)
    else await queueAgain(attempt, tx, retryAt(attempt), why)
  } else if (await forgetSend(tx, claim)) {
    await removeEmailMessage(tx, outgoing.id)
    await takeStepBack(tx, outgoing.prospectId!, dueAt)
  }
}

/** Neither what a person wrote nor what one had sent again. */
const isStep = ({ outgoing }: Attempt): boolean =>
  !outgoing.isRepeat && outgoing.prospectId !== null && outgoing.campaignId !== null

export const fail = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, tx => failIn(attempt, tx, 'failed', reason))

/** Of several recipients nobody can tell here which one is not there. */
const bounce = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing } = attempt
    const { to, cc = [], bcc = [] } = outgoing.recipients
    const emails = [...to, ...cc, ...bcc].map(({ email }) => email)
    await failIn(attempt, tx, 'bounced', reason)
    const who = { sql: tx, accountId: claim.accountId, actor: 'engine' }
    if (emails.length === 1) await recordBouncedAddresses(who, { emails, emailMessageId: outgoing.id })
  })

async function failIn(
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

/** Nobody knows of the first attempt any more than before. */
async function giveUpRepeat({ claim, outgoing }: Attempt, tx: Sql, reason: string): Promise<void> {
  if (await endSend(tx, claim, 'unconfirmed', reason))
    await setDelivery(tx, outgoing.id, 'unconfirmed', `Not sent again: ${reason}`)
}

/** Delivered or not, nobody knows: shown to a person, never sent again by itself. */
export const recordUnconfirmed = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, claim, outgoing } = attempt
    if (!(await endSend(tx, claim, 'unconfirmed', reason))) return
    await setDelivery(tx, outgoing.id, 'unconfirmed', reason)
    await finishProspectSteps(tx, [attempt], app.now(), 'unconfirmed')
  })

async function finishProspectSteps(
  tx: Sql,
  attempts: readonly Attempt[],
  now: Date,
  reason: string | null,
): Promise<void> {
  const ofProspects = attempts.map(({ outgoing }) => outgoing).filter(({ prospectId }) => prospectId)
  const [repeats, steps] = [
    ofProspects.filter(({ isRepeat }) => isRepeat),
    ofProspects.filter(({ isRepeat }) => !isRepeat),
  ]
  if (!reason) for (const { prospectId } of repeats) await dropStatusReason(tx, prospectId!, 'unconfirmed')
  if (steps.length === 0) return
  const prospectIds = steps.map(({ prospectId }) => prospectId!)
  if (!(await finishSteps(tx, prospectIds, now, reason))) return
  const campaignIds = new Set(steps.map(({ campaignId }) => campaignId!))
  for (const campaignId of [...campaignIds].sort()) await completeCampaign(tx, campaignId)
}

const retryAt = ({ app, claim }: Attempt): Date =>
  nextAttemptAt(app.now(), claim.attempts - 1, { baseMs: FIRST_RETRY_MS, maxMs: LONGEST_RETRY_MS })

const again = ({ app }: Attempt): Date => new Date(app.now().getTime() + AGAIN_MS)
