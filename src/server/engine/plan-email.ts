import { randomUUIDv7 } from 'node:crypto'
import { completeCampaigns, setCampaignHealth } from '../campaigns/moves.ts'
import { beginNobodyBefore, countNewcomer, lockNewcomers } from '../campaigns/newcomers.ts'
import { type App, inAccount } from '../context.ts'
import { type Sql, withoutDeadlock } from '../db.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { unsubscribeLink } from '../dnc/unsubscribe-token.ts'
import { MissingVariable } from '../email/template.ts'
import { AppError } from '../errors.ts'
import { failpoint } from '../failpoints.ts'
import { forgetEndedSend, queueSend } from '../inbox/sends.ts'
import { insertEmailMessage, openThread, removeEmailMessage } from '../inbox/write-email-messages.ts'
import { lockRoom, markFull, startGap } from '../mailboxes/room.ts'
import { markStepUnderWay, postponeStep, releaseClaim, stopProspect } from '../prospects/advance-prospects.ts'
import type { ClaimedProspect } from '../prospects/claim-prospects.ts'
import { isStale } from '../prospects/inbox-freshness.ts'
import { postponeClosed } from '../prospects/reschedule.ts'
import { findThread } from './campaign-thread.ts'
import { chooseVariant } from './choose-variant.ts'
import { maySend } from './may-send.ts'
import { missingReason, missingVariables } from './missing-variables.ts'
import { type DueStep, findSteps, readStepFacts, type StepFacts } from './step-facts.ts'
import { type StepMail, writeStep } from './write-step.ts'

const LATER_MS = 60_000
/** Nobody but a person ends it, and whoever does makes everything due anew. */
const MUCH_LATER_MS = 24 * 3_600_000

/** What holds a campaign up, in words for its people. */
const healthOf: Record<string, string> = {
  no_working_mailbox: 'No rep of this campaign has a working mailbox. Verify one, or add one.',
  inbox_stale:
    'Replies to this campaign could not be read for a while, so its follow-ups wait. The mailboxes say what is wrong.',
  schedule_over: 'The last date of its schedule has passed. Give it a later one, or none.',
}

/**
 * The due step of a claimed prospect becomes a message on its way, or the prospect learns why not; one transaction.
 * Nothing of it is seen by anyone outside: the sending is another's work.
 */
export async function planEmail(app: App, claim: ClaimedProspect): Promise<void> {
  await failpoint('plan.began', claim.id)
  // It locks the prospect before the thread, which a reply that comes in locks first.
  await withoutDeadlock(() =>
    inAccount(app.db.work, claim.accountId, async tx => {
      await planIn(app, tx, claim)
      await failpoint('plan.written', claim.id)
    }),
  )
  await failpoint('plan.committed', claim.id)
}

async function planIn(app: App, tx: Sql, claim: ClaimedProspect, look = 1): Promise<void> {
  const now = app.now()
  const facts = await readStepFacts(tx, claim, now)
  if (!facts) return
  const { contact, step, rep } = facts
  // The steps that were to come have been taken away: there is nothing left to do.
  if (!step) return end(tx, claim, facts, 'completed', 'no_step_left')
  const emails = contact.email ? [contact.email] : []
  const optOut = await findOptOut({ sql: tx, accountId: claim.accountId }, { ...contact, emails })
  // Locked until this is over, so that nobody else takes the same place; the campaign last, as everywhere.
  const room = rep?.isPaced ? await lockRoom(tx, rep.mailboxId, now) : undefined
  const newcomers = facts.newcomers && (await lockNewcomers(tx, facts.campaignId))
  const decision = maySend(
    {
      ...facts.clock,
      campaignStatus: facts.campaignStatus,
      prospectStatus: facts.prospectStatus,
      wait: { since: facts.waitsSince, delay: step.delay },
      optOut: optOut?.value,
      email: contact.email,
      mailboxId: rep?.mailboxId,
      mailboxWaitsUntil: facts.mailboxWaitsUntil,
      isInboxStale: isStale(app, facts.repliesReadAt),
      newcomers,
      room,
    },
    now,
  )
  if (decision.kind === 'stop') return end(tx, claim, facts, decision.status, decision.reason)
  if (decision.kind === 'later') return postpone(tx, claim, facts, decision, now)
  const fault = await writeMessage(app, tx, claim, facts, step, rep!, contact.email!)
  // While its row was waited for, what was missing may have come: only now does a change of the person wait for us.
  if (fault && look === 1) return planIn(app, tx, claim, 2)
  if (fault) return end(tx, claim, facts, 'failed', fault)
  if (newcomers) await countNewcomer(tx, facts.campaignId, facts.clock, now)
  if (rep?.isPaced) await startGap(tx, rep.mailboxId, now)
}

async function postpone(
  tx: Sql,
  { id }: ClaimedProspect,
  { campaignId, rep }: StepFacts,
  { reason, until }: { reason: string; until?: Date },
  now: Date,
): Promise<void> {
  if (until && ['new_prospects_cap', 'daily_cap', 'gap'].includes(reason)) {
    // Many wait for the same: they keep their places, and none of them is looked at before.
    if (reason === 'new_prospects_cap') await beginNobodyBefore(tx, campaignId, until)
    if (reason === 'daily_cap') await markFull(tx, rep!.mailboxId, until)
    await releaseClaim(tx, id)
    return
  }
  const waitMs = reason === 'schedule_over' ? MUCH_LATER_MS : LATER_MS
  await postponeStep(tx, id, until ?? new Date(now.getTime() + waitMs))
  if (reason === 'window') await postponeClosed(tx, id, now)
  // What passes by itself needs nobody.
  if (!until) await setCampaignHealth(tx, campaignId, healthOf[reason] ?? null)
}

async function end(
  tx: Sql,
  { id }: ClaimedProspect,
  { campaignId }: StepFacts,
  status: 'completed' | 'failed' | 'paused',
  reason: string,
): Promise<void> {
  await stopProspect(tx, id, status, reason)
  await completeCampaigns(tx, campaignId)
}

/** Tells why there is no mail for this person, when there is none. */
async function writeMessage(
  app: App,
  tx: Sql,
  claim: ClaimedProspect,
  facts: StepFacts,
  step: DueStep,
  rep: NonNullable<StepFacts['rep']>,
  email: string,
): Promise<string | undefined> {
  const { accountId, id: prospectId } = claim
  const variant = chooseVariant(prospectId, step.variants)
  const id = randomUUIDv7()
  const { url: unsubscribeUrl } = unsubscribeLink(app, { accountId, emailMessageId: id, email })
  const earlier = step.thread === 'same' ? await findThread(tx, prospectId) : undefined
  const mail = tryWrite(
    accountId,
    { ...facts, rep },
    { id: step.id, variant },
    { email, unsubscribeUrl, earlier },
  )
  const fault = typeof mail === 'string' ? mail : await findMissingLater(tx, { ...facts, rep })
  if (typeof mail === 'string' || fault) return fault
  await forgetUndelivered(tx, prospectId, step.id)
  const threadId =
    earlier?.id ??
    (await openThread(tx, {
      subject: mail.subject,
      personId: facts.personId,
      prospectId,
      campaignId: facts.campaignId,
      repId: rep.id,
      mailboxId: rep.mailboxId,
    }))
  await insertEmailMessage(tx, {
    id,
    threadId,
    type: 'campaign',
    status: null,
    deliveryStatus: 'queued',
    stepId: step.id,
    variantId: variant.id,
    mailboxId: rep.mailboxId,
    ...mail,
    sentAt: app.now(),
  })
  await queueSend(tx, {
    messageId: id,
    mailboxId: rep.mailboxId,
    recipientEmails: [email],
    dueAt: app.now(),
    campaignId: facts.campaignId,
    prospectId,
    stepId: step.id,
  })
  await markStepUnderWay(tx, prospectId, { repId: rep.id, mailboxId: rep.mailboxId, now: app.now() })
  await setCampaignHealth(tx, facts.campaignId, null)
  return undefined
}

/** Whoever lacks what a later step says gets no half of the sequence. */
async function findMissingLater(tx: Sql, facts: StepFacts): Promise<string | undefined> {
  if (!facts.isFirstOfMany) return undefined
  const missing = missingVariables(facts, await findSteps(tx, facts.campaignId))
  return missing.length > 0 ? missingReason(missing) : undefined
}

/** A step that was refused or failed and is due again: nothing of it was delivered, so it is written anew. */
async function forgetUndelivered(tx: Sql, prospectId: string, stepId: string): Promise<void> {
  const [ended] = await tx<{ messageId: string }[]>`
    select message_id as "messageId"
      from email_sends
     where account_id = current_account_id() and prospect_id = ${prospectId} and step_id = ${stepId}`
  if (!ended) return
  await forgetEndedSend(tx, ended.messageId)
  await removeEmailMessage(tx, ended.messageId)
}

/** The mail, or why this person gets none. */
function tryWrite(...step: Parameters<typeof writeStep>): StepMail | string {
  try {
    return writeStep(...step)
  } catch (fault) {
    if (fault instanceof MissingVariable) return missingReason([fault.variable])
    if (fault instanceof AppError) return `template: ${fault.message}`
    throw fault
  }
}
