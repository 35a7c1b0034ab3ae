import { randomUUIDv7 } from 'node:crypto'
import { completeCampaigns, setCampaignHealth } from '../campaigns/moves.ts'
import { addDelay } from '../campaigns/step-delay.ts'
import { type App, inAccount } from '../context.ts'
import type { Sql } from '../db.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { unsubscribeLink } from '../dnc/unsubscribe-token.ts'
import { bodyFormat } from '../email/body.ts'
import { messageIdFor } from '../email/compose.ts'
import { MissingVariable } from '../email/template.ts'
import { AppError } from '../errors.ts'
import { failpoint } from '../failpoints.ts'
import { forgetEndedSend, queueSend } from '../inbox/sends.ts'
import { insertEmailMessage, openThread, removeEmailMessage } from '../inbox/write-email-messages.ts'
import {
  type ClaimedProspect,
  markStepUnderWay,
  postponeStep,
  stopProspect,
} from '../prospects/advance-prospects.ts'
import { answerIn, findThread } from './campaign-thread.ts'
import { chooseVariant } from './choose-variant.ts'
import { maySend } from './may-send.ts'
import { renderStep } from './render-step.ts'
import { type DueStep, readStepFacts, type StepFacts } from './step-facts.ts'

const LATER_MS = 60_000

/** What holds a campaign up, in words for its people. */
const healthOf: Record<string, string> = {
  no_working_mailbox: 'No rep of this campaign has a working mailbox. Verify one, or add one.',
}

/**
 * The due step of a claimed prospect becomes a message on its way, or the prospect learns why not; one transaction.
 * Nothing of it is seen by anyone outside: the sending is another's work.
 */
export async function planEmail(app: App, claim: ClaimedProspect): Promise<void> {
  await failpoint('plan.began', claim.id)
  await inAccount(app.db.app, claim.accountId, async tx => {
    await planIn(app, tx, claim)
    await failpoint('plan.written', claim.id)
  })
  await failpoint('plan.committed', claim.id)
}

async function planIn(app: App, tx: Sql, claim: ClaimedProspect): Promise<void> {
  const facts = await readStepFacts(tx, claim)
  if (!facts) return
  const { contact, step, rep } = facts
  // The steps that were to come have been taken away: there is nothing left to do.
  if (!step) return end(tx, claim, facts, 'completed', 'no_step_left')
  // Its delay may have grown since the due time was written.
  const waitsUntil = addDelay(facts.waitsSince, step.delay, facts.timezone)
  if (step.delay.amount > 0 && waitsUntil > app.now()) {
    await postponeStep(tx, claim.id, waitsUntil)
    return
  }
  const emails = contact.email ? [contact.email] : []
  const optOut = await findOptOut({ sql: tx, accountId: claim.accountId }, { ...contact, emails })
  const decision = maySend({
    campaignStatus: facts.campaignStatus,
    prospectStatus: facts.prospectStatus,
    optOut: optOut?.value,
    email: contact.email,
    mailboxId: rep?.mailboxId,
  })
  if (decision.kind === 'stop') return end(tx, claim, facts, decision.status, decision.reason)
  if (decision.kind === 'later') {
    await postponeStep(tx, claim.id, new Date(app.now().getTime() + LATER_MS))
    await setCampaignHealth(tx, facts.campaignId, healthOf[decision.reason] ?? null)
    return
  }
  await writeMessage(app, tx, claim, facts, step, rep!, contact.email!)
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

async function writeMessage(
  app: App,
  tx: Sql,
  claim: ClaimedProspect,
  facts: StepFacts,
  step: DueStep,
  rep: NonNullable<StepFacts['rep']>,
  email: string,
): Promise<void> {
  const { accountId, id: prospectId } = claim
  const variant = chooseVariant(prospectId, step.variants)
  const id = randomUUIDv7()
  const { url: unsubscribeUrl } = unsubscribeLink(app, { accountId, emailMessageId: id, email })
  const mail = tryRender(variant, { ...facts, unsubscribeUrl })
  if (typeof mail === 'string') return end(tx, claim, facts, 'failed', mail)
  await forgetUndelivered(tx, prospectId, step.id)
  const earlier = step.thread === 'same' ? await findThread(tx, prospectId) : undefined
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
    ...(earlier && answerIn(earlier)),
    bodyFormat: bodyFormat(variant.body),
    sender: { name: rep.senderName, email: rep.email },
    recipients: { to: [{ name: facts.variables.fullName ?? email, email }] },
    messageId: messageIdFor(
      [accountId, prospectId, step.id],
      rep.email.slice(rep.email.lastIndexOf('@') + 1),
    ),
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
  await markStepUnderWay(tx, prospectId, rep.id)
  await setCampaignHealth(tx, facts.campaignId, null)
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
function tryRender(
  step: { subject: string | null; body: string },
  facts: Parameters<typeof renderStep>[1],
): ReturnType<typeof renderStep> | string {
  try {
    return renderStep(step, facts)
  } catch (fault) {
    if (fault instanceof MissingVariable) return `missing_variable: ${fault.variable}`
    if (fault instanceof AppError) return `template: ${fault.message}`
    throw fault
  }
}
