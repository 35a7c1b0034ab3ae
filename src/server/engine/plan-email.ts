import { randomUUIDv7 } from 'node:crypto'
import { completeCampaigns, setCampaignHealth } from '../campaigns/moves.ts'
import { type App, inAccount } from '../context.ts'
import type { Sql } from '../db.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { unsubscribeLink } from '../dnc/unsubscribe-token.ts'
import { bodyFormat } from '../email/body.ts'
import { messageIdFor } from '../email/compose.ts'
import { MissingVariable } from '../email/template.ts'
import { AppError } from '../errors.ts'
import { failpoint } from '../failpoints.ts'
import { queueSend } from '../inbox/sends.ts'
import { insertEmailMessage, openThread } from '../inbox/write-email-messages.ts'
import {
  type ClaimedProspect,
  finishStep,
  markStepUnderWay,
  postponeStep,
  stopProspect,
} from '../prospects/advance-prospects.ts'
import { maySend } from './may-send.ts'
import { renderStep } from './render-step.ts'
import { readStepFacts, type StepFacts } from './step-facts.ts'

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
  // The step was taken away meanwhile: there is nothing left to do.
  if (!step) return end(tx, claim, facts, 'completed', 'no_step_left')
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
  step: NonNullable<StepFacts['step']>,
  rep: NonNullable<StepFacts['rep']>,
  email: string,
): Promise<void> {
  const { accountId, id: prospectId } = claim
  const [known] = await tx`
    select from email_sends
     where account_id = current_account_id() and prospect_id = ${prospectId} and step_id = ${step.id}`
  // Already on its way or through: a step goes out once, whatever the due time says.
  if (known) {
    await finishStep(tx, prospectId, app.now())
    return
  }
  const id = randomUUIDv7()
  const { url: unsubscribeUrl } = unsubscribeLink(app, { accountId, emailMessageId: id, email })
  const mail = tryRender(step, { ...facts, unsubscribeUrl })
  if (typeof mail === 'string') return end(tx, claim, facts, 'failed', mail)
  const threadId = await openThread(tx, {
    subject: mail.subject,
    personId: facts.personId,
    prospectId,
    campaignId: facts.campaignId,
    repId: rep.id,
    mailboxId: rep.mailboxId,
  })
  await insertEmailMessage(tx, {
    id,
    threadId,
    type: 'campaign',
    status: null,
    deliveryStatus: 'queued',
    stepId: step.id,
    ...mail,
    bodyFormat: bodyFormat(step.body),
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

/** The mail, or why this person gets none. */
function tryRender(
  step: { subject: string; body: string },
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
