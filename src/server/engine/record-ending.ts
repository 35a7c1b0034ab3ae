import { setTimeout as sleep } from 'node:timers/promises'
import { completeCampaigns } from '../campaigns/moves.ts'
import { type App, inAccount } from '../context.ts'
import { asDatabaseFault, type Sql } from '../db.ts'
import type { BodyFormat } from '../email/body.ts'
import type { FailedEnding, SendEnding, SentEnding } from '../email/smtp-ending.ts'
import { failpoint } from '../failpoints.ts'
import { type ClaimedSend, confirmSent, endSend, forgetSend, recordSent, retrySend } from '../inbox/sends.ts'
import { markEmailMessageSent, removeEmailMessage, setDelivery } from '../inbox/write-email-messages.ts'
import { markMailbox } from '../mailboxes/transport.ts'
import { dropStatusReason, finishStep, stopProspect, takeStepBack } from '../prospects/advance-prospects.ts'
import type { Refusal } from './gate.ts'

/** With the waits below about four days, as RFC 5321 section 4.5.4.1 has it. */
const MAX_ATTEMPTS = 30
const FIRST_RETRY_MS = 60_000
const LONGEST_RETRY_MS = 4 * 60 * 60_000
/** A database that restarts is back within this. */
const AGAIN_MS = 5_000
const RECORD_MS = 60_000

export type Contact = { name: string; email: string }

/** A message as it is to be sent. */
export type Outgoing = {
  id: string
  prospectId: string | null
  campaignId: string | null
  subject: string
  body: string
  bodyFormat: BodyFormat
  sender: Contact
  recipients: { to: Contact[]; cc?: Contact[]; bcc?: Contact[] }
  messageId: string
  inReplyTo: string | null
  referenceIds: string[]
}

/** Everything that is written under an attempt is void once its claim went to another. */
export type Attempt = { app: App; claim: ClaimedSend; outgoing: Outgoing }

export function recordEnding(
  attempt: Attempt,
  ending: SendEnding,
  refusal: Refusal | undefined,
): Promise<void> {
  switch (ending.outcome) {
    case 'sent':
      return recordDelivery(attempt, ending)
    case 'withheld':
      return settle(attempt, refusal!)
    case 'rejected':
      return fail(attempt, isUnknownAddress(ending) ? 'bounced' : 'failed', ending.reason)
    case 'mailbox_failed':
      return failMailbox(attempt, ending.reason)
    case 'deferred':
    case 'server_failed':
      return attempt.claim.attempts >= MAX_ATTEMPTS
        ? fail(attempt, 'failed', ending.reason)
        : inTransaction(attempt, tx => queueAgain(attempt, tx, retryAt(attempt), ending.reason))
    case 'unknown':
      return recordUnconfirmed(attempt, ending.reason)
  }
}

/** RFC 3463: 5.1.1 to 5.1.3 and 5.1.6 say that there is no such mailbox. */
const isUnknownAddress = ({ reply }: FailedEnding): boolean =>
  /^5\.1\.[1236]$/.test(reply?.enhancedCode ?? '')

/** A database that is away for a while must not turn what is known of a send into what nobody knows. */
async function inTransaction({ app, claim }: Attempt, work: (tx: Sql) => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + RECORD_MS
  for (;;) {
    try {
      await inAccount(app.db.app, claim.accountId, async tx => {
        await work(tx)
        await failpoint('record.written', claim.mailboxId)
      })
      return await failpoint('record.committed', claim.mailboxId)
    } catch (fault) {
      if (!asDatabaseFault(fault) || performance.now() > deadline) throw fault
      await sleep(500)
    }
  }
}

const recordDelivery = (attempt: Attempt, { reply, queueId }: SentEnding): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing, app } = attempt
    const receipt = { response: `${reply.code} ${reply.text}`, queueId }
    const isInTime = await recordSent(tx, claim, receipt)
    if (!isInTime && !(await confirmSent(tx, claim, receipt))) return
    await markEmailMessageSent(tx, outgoing.id, app.now())
    // The step of a send that was given up as unconfirmed is finished already.
    if (isInTime) await finishProspectStep(attempt, tx, null)
    else if (outgoing.prospectId) await dropStatusReason(tx, outgoing.prospectId, 'unconfirmed')
  })

/** Refused before anything was delivered: who opted out never gets it, everything else may be planned again. */
export const settle = (attempt: Attempt, { kind, reason }: Refusal): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { app, claim, outgoing } = attempt
    if (kind === 'void') return
    if (kind === 'later') return putBack(attempt, tx, reason)
    if (kind === 'again') return queueAgain(attempt, tx, new Date(app.now().getTime() + AGAIN_MS), reason)
    if (!(await endSend(tx, claim, 'refused', reason))) return
    await setDelivery(tx, outgoing.id, 'suppressed', reason)
    if (outgoing.prospectId) await stopProspect(tx, outgoing.prospectId, 'paused', reason)
    if (outgoing.campaignId) await completeCampaigns(tx, outgoing.campaignId)
  })

async function queueAgain(attempt: Attempt, tx: Sql, dueAt: Date, reason: string): Promise<void> {
  if (await retrySend(tx, attempt.claim, dueAt, reason))
    await setDelivery(tx, attempt.outgoing.id, 'queued', reason)
}

export const failMailbox = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    await markMailbox(tx, attempt.claim.mailboxId, 'failing', reason)
    await putBack(attempt, tx, reason)
  })

/** A step is taken back whole, so that it is planned with what holds then; what a person wrote waits as it is. */
async function putBack(attempt: Attempt, tx: Sql, reason: string): Promise<void> {
  const { claim, outgoing } = attempt
  if (!outgoing.prospectId || !outgoing.campaignId) {
    await queueAgain(attempt, tx, retryAt(attempt), reason)
  } else if (await forgetSend(tx, claim)) {
    await removeEmailMessage(tx, outgoing.id)
    await takeStepBack(tx, outgoing.prospectId, retryAt(attempt))
  }
}

export const fail = (attempt: Attempt, status: 'failed' | 'bounced', reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing } = attempt
    if (!(await endSend(tx, claim, 'failed', reason))) return
    await setDelivery(tx, outgoing.id, 'failed', reason)
    if (outgoing.prospectId) await stopProspect(tx, outgoing.prospectId, status, reason)
    if (outgoing.campaignId) await completeCampaigns(tx, outgoing.campaignId)
  })

/** Delivered or not, nobody knows: shown to a person, never sent again by itself. */
export const recordUnconfirmed = (attempt: Attempt, reason: string): Promise<void> =>
  inTransaction(attempt, async tx => {
    const { claim, outgoing } = attempt
    if (!(await endSend(tx, claim, 'unconfirmed', reason))) return
    await setDelivery(tx, outgoing.id, 'unconfirmed', reason)
    await finishProspectStep(attempt, tx, 'unconfirmed')
  })

async function finishProspectStep({ app, outgoing }: Attempt, tx: Sql, reason: string | null): Promise<void> {
  if (outgoing.prospectId) await finishStep(tx, outgoing.prospectId, app.now(), reason)
  if (outgoing.campaignId) await completeCampaigns(tx, outgoing.campaignId)
}

/** Longer after each attempt, and never all at once. */
const retryAt = ({ app, claim }: Attempt): Date => {
  const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (claim.attempts - 1))
  return new Date(app.now().getTime() + waitMs * (0.75 + Math.random() / 2))
}
