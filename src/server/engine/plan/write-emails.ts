import { randomUUIDv7 } from 'node:crypto'
import { MAX_SENDS_PER_MAILBOX } from '../../domain/mailboxes/quota.ts'
import { moveThread } from '../../domain/messages/move-thread.ts'
import {
  insertEmailMessages,
  openThreads,
  removeEmailMessage,
} from '../../domain/messages/write-email-messages.ts'
import { type ClaimedSend, findFreeSlots } from '../../domain/outbox/claim-sends.ts'
import { deleteEndedSend, findStepSends, queueSends } from '../../domain/outbox/sends.ts'
import {
  createShortUnsubscribeUrl,
  createUnsubscribeLink,
  type UnsubscribeLink,
} from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { markStepsInFlight } from '../../domain/prospects/advance-prospects.ts'
import { findThreads, type StoredThread } from '../../domain/rendering/campaign-thread.ts'
import { chooseVariant } from '../../domain/rendering/choose-variant.ts'
import { createMissingFinder, toMissingReason } from '../../domain/rendering/missing-variables.ts'
import { type DueStep, findSteps, type StepFacts } from '../../domain/rendering/step-facts.ts'
import { renderOpeningSubject, type StepEmail, writeStep } from '../../domain/rendering/write-step.ts'
import type { App } from '../../kernel/context.ts'
import { pipeline, type Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { MissingVariable } from '../../protocols/templates/template.ts'
import type { PlannedEmail } from '../attempt/attempt.ts'
import { LEASE_MS } from '../attempt/lease.ts'

export type DueEmail = StepFacts & { step: DueStep; rep: NonNullable<StepFacts['rep']>; email: string }

type WrittenEmail = {
  facts: DueEmail
  id: string
  threadId: string
  variantId: string
  content: StepEmail
  unsubscribe: UnsubscribeLink
  /** The thread that the email continues. */
  earlier: StoredThread | undefined
}

/** A planned email that is claimed for the caller to send immediately. */
export type ClaimedEmail = PlannedEmail & { claim: ClaimedSend }

type WriteContext = {
  app: App
  tx: Sql
  accountId: string
  now: Date
  /** Prospects whose emails the caller sends immediately. */
  sentImmediately: ReadonlySet<string>
  /** Filled with the emails that were claimed for the caller, by prospect. */
  claimed: Map<string, ClaimedEmail>
}

/** Writes and queues the emails of these steps. Returns the reason for each prospect that gets none. */
export async function writeEmails(
  context: WriteContext,
  due: readonly DueEmail[],
): Promise<Map<string, string>> {
  const { app, tx, accountId } = context
  const threads = await findThreads(
    tx,
    due.filter(({ step }) => step.thread === 'same').map(({ prospectId }) => prospectId),
  )
  const subjects = await findSubjects(
    tx,
    due.filter(({ step, prospectId }) => step.thread === 'same' && !threads.has(prospectId)),
  )
  const findMissingFor = await createMissingFinder(tx, due)
  const reasons = new Map<string, string>()
  const written: WrittenEmail[] = []
  for (const facts of due) {
    const email = writeEmail(app, accountId, facts, {
      earlier: threads.get(facts.prospectId),
      renderSubject: subjects.get(facts.prospectId),
    })
    const missing = await findMissingFor(facts)
    if (typeof email === 'string') reasons.set(facts.prospectId, email)
    else if (missing.length > 0) reasons.set(facts.prospectId, toMissingReason(missing))
    else written.push(email)
  }
  if (written.length > 0) await storeEmails(context, written)
  return reasons
}

/** Returns functions that render the subject for follow-ups whose thread has no earlier email. */
async function findSubjects(tx: Sql, due: readonly DueEmail[]): Promise<Map<string, () => string>> {
  const steps = new Map<string, DueStep[]>()
  for (const { campaignId } of due)
    if (!steps.has(campaignId)) steps.set(campaignId, await findSteps(tx, campaignId))
  return new Map(
    due.map(facts => [facts.prospectId, () => renderOpeningSubject(facts, steps.get(facts.campaignId)!)]),
  )
}

/** Returns the email, or the reason the prospect gets none. */
function writeEmail(
  app: App,
  accountId: string,
  facts: DueEmail,
  {
    earlier,
    renderSubject,
  }: { earlier: StoredThread | undefined; renderSubject: (() => string) | undefined },
): WrittenEmail | string {
  const { prospectId, step, email, accountNumber } = facts
  const variant = chooseVariant(prospectId, step.variants)
  const id = randomUUIDv7()
  const unsubscribe = createUnsubscribeLink(app, { accountId, emailMessageId: id, email })
  const unsubscribeUrl = createShortUnsubscribeUrl(app, { accountNumber, emailMessageId: id })
  try {
    const target = { email, unsubscribeUrl, earlier, subject: renderSubject?.() }
    const content = writeStep(accountId, facts, { id: step.id, variant }, target)
    const threadId = earlier?.id ?? randomUUIDv7()
    return { facts, id, threadId, variantId: variant.id, content, unsubscribe, earlier }
  } catch (error) {
    if (error instanceof MissingVariable) return toMissingReason([error.variable])
    if (error instanceof AppError) return `template: ${error.message}`
    throw error
  }
}

async function storeEmails(context: WriteContext, written: readonly WrittenEmail[]): Promise<void> {
  const { tx, now } = context
  await deleteUndelivered(tx, written)
  await claimForCaller(context, written)
  await moveThreads(tx, written)
  const threads = written
    .filter(({ earlier }) => !earlier)
    .map(({ threadId, content, facts: { personId, prospectId, campaignId, rep } }) => ({
      ...{ id: threadId, subject: content.subject, personId, prospectId, campaignId },
      ...{ repId: rep.id, mailboxId: rep.mailboxId },
    }))
  const messages = written.map(({ id, threadId, variantId, content, facts: { step, rep } }) => ({
    ...{ id, threadId, stepId: step.id, variantId, mailboxId: rep.mailboxId, ...content, sentAt: now },
    ...({ type: 'campaign', status: null, deliveryStatus: 'queued' } as const),
  }))
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const sends = written.map(({ id, facts: { rep, email, campaignId, prospectId, step } }) => ({
    ...{ messageId: id, mailboxId: rep.mailboxId, recipientEmails: [email], dueAt: now },
    ...{ campaignId, prospectId, stepId: step.id },
    ...(context.claimed.has(prospectId) && { leaseUntil }),
  }))
  const steps = written.map(({ facts: { prospectId, rep } }) => ({
    ...{ prospectId, repId: rep.id, mailboxId: rep.mailboxId },
  }))
  await pipeline(
    openThreads(tx, threads),
    { execute: () => insertEmailMessages(tx, messages) },
    queueSends(tx, sends),
    markStepsInFlight(tx, steps, now),
  )
}

/** Moves threads to the reps and mailboxes that continue them, from a removed rep or a deleted mailbox. */
async function moveThreads(tx: Sql, written: readonly WrittenEmail[]): Promise<void> {
  for (const { earlier, content, facts } of written) {
    const { id: repId, mailboxId } = facts.rep
    if (earlier && (earlier.repId !== repId || earlier.mailboxId !== mailboxId))
      await moveThread(tx, earlier.id, { repId, mailboxId, sender: content.sender })
  }
}

/** Claims emails for the caller while their mailboxes have free slots, which saves a second claim query. */
async function claimForCaller(
  { tx, accountId, now, sentImmediately, claimed }: WriteContext,
  written: readonly WrittenEmail[],
): Promise<void> {
  const wanted = written.filter(({ facts }) => sentImmediately.has(facts.prospectId))
  if (wanted.length === 0) return
  const mailboxIds = new Set(wanted.map(({ facts }) => facts.rep.mailboxId))
  const free = await findFreeSlots(tx, [...mailboxIds], { now, perMailbox: MAX_SENDS_PER_MAILBOX })
  for (const { id, content, unsubscribe, facts } of wanted) {
    const { prospectId, campaignId } = facts
    const { mailboxId } = facts.rep
    const freeSlots = free.get(mailboxId) ?? 0
    if (freeSlots <= 0) continue
    free.set(mailboxId, freeSlots - 1)
    claimed.set(prospectId, {
      claim: { accountId, messageId: id, mailboxId, epoch: 1n, attempts: 1 },
      outgoing: {
        inReplyTo: null,
        referenceIds: [],
        ...content,
        id,
        prospectId,
        campaignId,
        isRepeat: false,
      },
      unsubscribe,
    })
  }
}

/**
 * Deletes earlier emails of these steps that were rejected or failed, and so were never delivered. They are written
 * again.
 */
async function deleteUndelivered(tx: Sql, written: readonly WrittenEmail[]): Promise<void> {
  const ended = await findStepSends(
    tx,
    written.map(({ facts }) => ({ prospectId: facts.prospectId, stepId: facts.step.id })),
  )
  for (const messageId of ended) {
    await deleteEndedSend(tx, messageId)
    await removeEmailMessage(tx, messageId)
  }
}
