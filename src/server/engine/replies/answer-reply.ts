import { randomUUIDv7 } from 'node:crypto'
import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { findParent, insertReplyDraft, type Parent } from '../../domain/inbox/reply-draft.ts'
import { addressesOf } from '../../domain/messages/recipients.ts'
import { type EmailRecipients, lockThreadOf } from '../../domain/messages/write-email-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import { costOf, readWithModel } from '../../domain/reply-agent/classify-with-model.ts'
import { foreignLinkIn } from '../../domain/reply-agent/foreign-link.ts'
import {
  conversationWentOn,
  findLinkedinFacts,
  type LinkedinFacts,
} from '../../domain/reply-agent/linkedin-facts.ts'
import type { ModelReading } from '../../domain/reply-agent/prompt.ts'
import {
  type Cost,
  countAsked,
  endReply,
  recordAsked,
  recordFault,
  recordResult,
  releaseReply,
} from '../../domain/reply-agent/replies.ts'
import {
  findReplyFacts,
  findStoredAgent,
  type ReplyFacts,
  type StoredAgent,
  toReadable,
  wentOn,
} from '../../domain/reply-agent/reply-facts.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { MODEL_TIMEOUT_MS } from '../../protocols/llm/ask-model.ts'
import { ModelError } from '../../protocols/llm/model.ts'
import { actOnReading } from './act-on-classification.ts'
import { keepOnLinkedin } from './store-linkedin-draft.ts'

/** Longer than the model may take. A killed process holds up its replies for as long. */
export const REPLY_LEASE_MS = MODEL_TIMEOUT_MS + 30_000
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** After that many questions without a usable answer it is left to people: some four hours. */
const MAX_ATTEMPTS = 7
const retries = { baseMs: 30_000, maxMs: 2 * 3_600_000 }

type Begun = { agent: StoredAgent; facts: ReplyFacts | LinkedinFacts }

/** Has the model read a claimed reply, and keeps what came of it. Nothing is locked while it thinks. */
export async function answerReply(app: App, claim: ClaimedReply, signal: AbortSignal): Promise<void> {
  const within = <T>(work: (tx: Sql) => Promise<T>) =>
    retryOnDeadlock(() => inAccount(app.db.work, claim.accountId, work))
  const begun = await within(tx => begin(app, tx, claim))
  if (!begun) return
  const { agent } = begun
  const facts = await toReadable(begun.facts, claim.accountId)
  try {
    const { reading, usage } = await readWithModel(app, { accountId: claim.accountId, agent, facts }, signal)
    await failpoint('reply.answered', claim.messageId)
    const cost = { ...usage, costUsd: costOf(agent, usage) }
    await within(tx =>
      'personId' in facts
        ? keepOnLinkedin(app, tx, claim, facts, reading, cost)
        : keep(app, tx, claim, { agent, facts }, reading, cost),
    )
    app.metrics.replyClassifications.inc({ outcome: 'read' })
  } catch (fault) {
    if (signal.aborted) await within(tx => releaseReply(tx, claim, app.now()))
    else if (fault instanceof ModelError) {
      await within(tx => recordFault(tx, claim, faultOf(app, claim, fault), lostCost(agent, fault)))
      app.metrics.replyClassifications.inc({ outcome: 'fault' })
      app.log.warn(
        { accountId: claim.accountId, messageId: claim.messageId },
        'reply agent: no usable answer',
      )
    } else throw fault
  }
  await failpoint('reply.recorded', claim.messageId)
}

/** What there is to ask; undefined when nothing is, and then the reply has ended or is not ours. */
async function begin(app: App, tx: Sql, claim: ClaimedReply): Promise<Begun | undefined> {
  const agent = await findStoredAgent(tx, { isEnabled: true, isLocked: true })
  const facts = await (claim.channel === 'email' ? findReplyFacts : findLinkedinFacts)(tx, claim)
  if (!facts) return undefined
  const now = app.now()
  if (claim.attempts > MAX_ATTEMPTS) {
    await endReply(tx, claim, { state: 'failed', reason: 'The model was asked too often without an end.' })
    return undefined
  }
  const reason = !agent
    ? 'no_agent'
    : (await isLate(tx, claim))
      ? 'newer_message'
      : (await countAsked(tx, new Date(now.getTime() - DAY_MS))) >= agent.dailyReplies
        ? 'daily_replies'
        : undefined
  if (reason || !agent) {
    await endReply(tx, claim, { state: 'done', reason: reason ?? 'no_agent' })
    return undefined
  }
  await recordAsked(tx, claim, agent.model, now)
  return { agent, facts }
}

/** Somebody wrote since, on either side. */
const isLate = (tx: Sql, claim: ClaimedReply): Promise<boolean> =>
  claim.channel === 'email' ? wentOn(tx, claim, { drafts: 'are ignored' }) : conversationWentOn(tx, claim)

function faultOf(app: App, { attempts }: ClaimedReply, fault: ModelError) {
  const wished = new Date(app.now().getTime() + fault.retryAfterMs)
  const next = nextAttemptAt(app.now(), attempts - 1, retries)
  return {
    reason: fault.message,
    dueAt: attempts < MAX_ATTEMPTS ? (next > wished ? next : wished) : undefined,
  }
}

function lostCost(agent: StoredAgent, { usage = { inputTokens: 0, outputTokens: 0 } }: ModelError): Cost {
  return { ...usage, costUsd: usage.inputTokens + usage.outputTokens > 0 ? costOf(agent, usage) : null }
}

/** The draft, what the reply means and that it is done: all of it once, or nothing. */
async function keep(
  app: App,
  tx: Sql,
  claim: ClaimedReply,
  { agent, facts }: Begun,
  { draft, ...reading }: ModelReading,
  cost: Cost,
): Promise<void> {
  await lockThreadOf(tx, claim.messageId)
  const who = { app, sql: tx, accountId: claim.accountId }
  const parent = draft ? await findParent(who, claim.messageId, tx`true`) : undefined
  const isTooLate = parent && (await isLate(tx, claim))
  const result = { ...reading, reason: isTooLate ? 'newer_message' : draft ? undefined : 'intent' }
  if (!draft || !parent || isTooLate) {
    const none = { ...result, draftId: undefined, sendsAt: undefined }
    if (!(await recordResult(tx, claim, none, cost))) return
  } else {
    const recipients = await recipientsOf(tx, parent)
    const held = holdOf(agent, reading, { draft, facts, parent, recipients })
    const draftId = randomUUIDv7()
    const sendsAt = held ? undefined : new Date(app.now().getTime() + agent.autopilotDelayMinutes * MINUTE_MS)
    const reason = held === 'by a person' ? undefined : held
    if (!(await recordResult(tx, claim, { ...result, reason, draftId, sendsAt }, cost))) return
    await insertReplyDraft(who, parent, {
      id: draftId,
      type: 'reply_agent',
      body: draft,
      format: 'text',
      recipients,
    })
    await auditEngine(tx, 'draft_reply', 'email_message', draftId)
  }
  await actOnReading(tx, { claim, reading, prospectId: facts.prospectId, sender: facts.sender })
}

/** Whom the thread is with, whatever address the reply would like its answer at: who wrote, when we wrote to them. */
async function recipientsOf(tx: Sql, parent: Parent): Promise<EmailRecipients> {
  const [last] = await tx<{ recipients: EmailRecipients; known: string[] }[]>`
    select recipients,
           array(select distinct c ->> 'email'
                   from email_messages o
                  cross join lateral jsonb_array_elements(o.recipients -> 'to') c
                  where o.account_id = current_account_id() and o.thread_id = ${parent.threadId}
                    and o.type <> 'received' and o.status = 'sent') as known
      from email_messages
     where account_id = current_account_id() and thread_id = ${parent.threadId} and type <> 'received' and status = 'sent'
     order by sent_at desc, id desc
     limit 1`
  const { sender } = parent
  return sender && (last?.known.includes(sender.email) ?? true)
    ? { to: [sender] }
    : { to: last?.recipients.to ?? [] }
}

/** Why a person has to look at the draft; undefined lets autopilot send it. */
function holdOf(
  agent: StoredAgent,
  { intent }: Pick<ModelReading, 'intent'>,
  {
    draft,
    facts,
    parent,
    recipients,
  }: { draft: string; facts: ReplyFacts; parent: Parent; recipients: EmailRecipients },
): string | undefined {
  if (!intent || !agent.autopilotIntents.includes(intent)) return 'by a person'
  if (!addressesOf(recipients).includes(parent.sender?.email ?? '')) return 'other_sender'
  return foreignLinkIn(draft, facts) ? 'foreign_link' : undefined
}
