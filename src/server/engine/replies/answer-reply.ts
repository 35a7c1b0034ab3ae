import { randomUUIDv7 } from 'node:crypto'
import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { findParent, insertReplyDraft, type Parent } from '../../domain/inbox/reply-draft.ts'
import { getAddresses } from '../../domain/messages/recipients.ts'
import { type EmailRecipients, lockMessageThread } from '../../domain/messages/write-email-messages.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import { classifyWithModel, computeCost } from '../../domain/reply-agent/classify-with-model.ts'
import { findForeignLink } from '../../domain/reply-agent/foreign-link.ts'
import {
  findLinkedinFacts,
  hasConversationContinued,
  type LinkedinFacts,
} from '../../domain/reply-agent/linkedin-facts.ts'
import type { ModelClassification } from '../../domain/reply-agent/prompt.ts'
import {
  type Cost,
  countModelRequests,
  endReply,
  recordFailure,
  recordModelRequest,
  recordModelResult,
  releaseReply,
} from '../../domain/reply-agent/replies.ts'
import {
  convertEarlierToText,
  findReplyFacts,
  findStoredAgent,
  hasThreadContinued,
  type ReplyFacts,
  type StoredAgent,
} from '../../domain/reply-agent/reply-facts.ts'
import { nextAttemptAt } from '../../kernel/async/backoff.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { MODEL_TIMEOUT_MS } from '../../protocols/llm/ask-model.ts'
import { ModelError } from '../../protocols/llm/model.ts'
import { actOnClassification } from './act-on-classification.ts'
import { storeLinkedinDraft } from './store-linkedin-draft.ts'

/** Longer than the model's timeout. Replies claimed by a process that was killed wait this long. */
export const REPLY_LEASE_MS = MODEL_TIMEOUT_MS + 30_000
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/**
 * Maximum requests to the model for a reply, spread over about four hours. After that, the reply is left for people.
 */
const MAX_ATTEMPTS = 10
const BACKOFF = { baseMs: 30_000, maxMs: 2 * 3_600_000 }

type Request = { agent: StoredAgent; facts: ReplyFacts | LinkedinFacts }

/**
 * Lets the model classify a claimed reply and draft an answer, and stores both. Holds no lock while the model works.
 */
export async function answerReply(app: App, claim: ClaimedReply, signal: AbortSignal): Promise<void> {
  const inTransaction = <T>(work: (tx: Sql) => Promise<T>) =>
    retryOnDeadlock(() => inAccount(app.db.work, claim.accountId, work))
  const request = await inTransaction(tx => startRequest(app, tx, claim))
  if (!request) return
  const { agent } = request
  const facts = await convertEarlierToText(request.facts, claim.accountId)
  try {
    const { classification, usage } = await classifyWithModel(
      app,
      { accountId: claim.accountId, agent, facts },
      signal,
    )
    await failpoint('reply.answered', claim.messageId)
    const cost = { ...usage, costUsd: computeCost(agent, usage) }
    await inTransaction(tx =>
      'personId' in facts
        ? storeLinkedinDraft(app, tx, claim, facts, classification, cost)
        : storeResult(app, tx, claim, { agent, facts }, classification, cost),
    )
    app.metrics.replyClassifications.inc({ outcome: 'classified' })
  } catch (error) {
    if (signal.aborted) await inTransaction(tx => releaseReply(tx, claim, app.now()))
    else if (error instanceof ModelError) {
      await inTransaction(tx => recordFailure(tx, claim, toRetry(app, claim, error), getCost(agent, error)))
      app.metrics.replyClassifications.inc({ outcome: 'error' })
      app.log.warn(
        { accountId: claim.accountId, messageId: claim.messageId },
        'reply agent: the model returned no usable answer',
      )
    } else throw error
  }
  await failpoint('reply.recorded', claim.messageId)
}

/**
 * Records the request to the model. Returns undefined when the reply must not be sent to the model or the claim is
 * lost.
 */
async function startRequest(app: App, tx: Sql, claim: ClaimedReply): Promise<Request | undefined> {
  const agent = await findStoredAgent(tx, { onlyEnabled: true, forUpdate: true })
  const facts = await (claim.channel === 'email' ? findReplyFacts : findLinkedinFacts)(tx, claim)
  if (!facts) return undefined
  const now = app.now()
  if (claim.attempts > MAX_ATTEMPTS) {
    await endReply(tx, claim, {
      state: 'failed',
      reason: 'The model returned no usable result after several attempts.',
    })
    return undefined
  }
  const reason = !agent
    ? 'no_agent'
    : (await isSuperseded(tx, claim))
      ? 'newer_message'
      : (await countModelRequests(tx, new Date(now.getTime() - DAY_MS))) >= agent.dailyReplies
        ? 'daily_replies'
        : undefined
  if (reason || !agent) {
    await endReply(tx, claim, { state: 'done', reason: reason ?? 'no_agent' })
    return undefined
  }
  await recordModelRequest(tx, claim, agent.model, now)
  return { agent, facts }
}

/** Returns whether either side has written since the reply. */
const isSuperseded = (tx: Sql, claim: ClaimedReply): Promise<boolean> =>
  claim.channel === 'email'
    ? hasThreadContinued(tx, claim, { drafts: 'ignored' })
    : hasConversationContinued(tx, claim)

function toRetry(app: App, { attempts }: ClaimedReply, error: ModelError) {
  const earliest = new Date(app.now().getTime() + error.retryAfterMs)
  const next = nextAttemptAt(app.now(), attempts - 1, BACKOFF)
  return {
    reason: error.message,
    dueAt: attempts < MAX_ATTEMPTS ? (next > earliest ? next : earliest) : undefined,
  }
}

/** Returns the cost of a request without a usable answer. */
function getCost(agent: StoredAgent, { usage = { inputTokens: 0, outputTokens: 0 } }: ModelError): Cost {
  return { ...usage, costUsd: usage.inputTokens + usage.outputTokens > 0 ? computeCost(agent, usage) : null }
}

/** Stores the classification and the draft and completes the claim, in one transaction. */
async function storeResult(
  app: App,
  tx: Sql,
  claim: ClaimedReply,
  { agent, facts }: Request,
  { draft, ...classification }: ModelClassification,
  cost: Cost,
): Promise<void> {
  await lockMessageThread(tx, claim.messageId)
  const context = { app, sql: tx, accountId: claim.accountId }
  const parent = draft ? await findParent(context, claim.messageId, tx`true`) : undefined
  const wasSuperseded = parent && (await isSuperseded(tx, claim))
  const result = { ...classification, reason: wasSuperseded ? 'newer_message' : draft ? undefined : 'intent' }
  if (!draft || !parent || wasSuperseded) {
    const none = { ...result, draftId: undefined, sendsAt: undefined }
    if (!(await recordModelResult(tx, claim, none, cost))) return
  } else {
    const recipients = await findRecipients(tx, parent)
    const reviewReason = findReviewReason(agent, classification, { draft, facts, parent, recipients })
    const draftId = randomUUIDv7()
    const sendsAt = reviewReason
      ? undefined
      : new Date(app.now().getTime() + agent.autopilotDelayMinutes * MINUTE_MS)
    const reason = reviewReason === 'manual' ? undefined : reviewReason
    if (!(await recordModelResult(tx, claim, { ...result, reason, draftId, sendsAt }, cost))) return
    await insertReplyDraft(context, parent, {
      id: draftId,
      type: 'reply_agent',
      body: draft,
      format: 'text',
      recipients,
    })
    await auditEngine(tx, 'draft_reply', 'email_message', draftId)
  }
  await actOnClassification(tx, {
    app,
    claim,
    classification,
    prospectId: facts.prospectId,
    sender: facts.sender,
  })
}

/**
 * Finds the recipients of the draft, ignoring Reply-To: the reply's sender if we have written to them in the thread,
 * else the recipients of our last message.
 */
async function findRecipients(tx: Sql, parent: Parent): Promise<EmailRecipients> {
  const [last] = await tx<{ recipients: EmailRecipients; contacted: string[] }[]>`
    select recipients,
           array(select distinct c ->> 'email'
                   from email_messages o
                  cross join lateral jsonb_array_elements(o.recipients -> 'to') c
                  where o.account_id = current_account_id() and o.thread_id = ${parent.threadId}
                    and o.type <> 'received' and o.status = 'sent') as contacted
      from email_messages
     where account_id = current_account_id() and thread_id = ${parent.threadId} and type <> 'received' and status = 'sent'
     order by sent_at desc, id desc
     limit 1`
  const { sender } = parent
  return sender && (last?.contacted.includes(sender.email) ?? true)
    ? { to: [sender] }
    : { to: last?.recipients.to ?? [] }
}

/** Returns why a person has to review the draft; undefined lets autopilot send it. */
function findReviewReason(
  agent: StoredAgent,
  { intent }: Pick<ModelClassification, 'intent'>,
  {
    draft,
    facts,
    parent,
    recipients,
  }: { draft: string; facts: ReplyFacts; parent: Parent; recipients: EmailRecipients },
): string | undefined {
  if (!intent || !agent.autopilotIntents.includes(intent)) return 'manual'
  if (!getAddresses(recipients).includes(parent.sender?.email ?? '')) return 'other_sender'
  return findForeignLink(draft, facts) ? 'foreign_link' : undefined
}
