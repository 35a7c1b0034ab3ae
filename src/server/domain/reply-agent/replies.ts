import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { TokenUsage } from '../../protocols/llm/model.ts'
import type { ClaimedReply } from './claim-replies.ts'

/** Older replies, which a first sync ingests, get no draft. */
const FRESH_MS = 7 * 86_400_000

/** The classification of a reply, by rules or by the model. */
export type Classification = {
  intent?: ReplyIntent | undefined
  /** At midnight UTC. */
  notNowUntil?: Date | undefined
  referral?: { name?: string | undefined; email?: string | undefined } | undefined
}

type NewReply = {
  messageId: string
  isHuman: boolean
  classification: Classification
  receivedAt: Date
  now: Date
}

/**
 * Stores a reply with its classification by rules, in the transaction that stored its message. It is pending for the
 * model when the account has a reply agent and a person wrote it recently.
 */
export const storeReply = (tx: Sql, reply: NewReply) =>
  insertReply(
    tx,
    reply,
    tx`
      select account_id, id as email_message_id, null::uuid as linkedin_message_id, campaign_id
        from email_messages
       where account_id = current_account_id() and id = ${reply.messageId}`,
  )

/** Stores a reply on LinkedIn, like `storeReply`. There are no automatic replies on LinkedIn. */
export const storeLinkedinReply = (tx: Sql, reply: Omit<NewReply, 'isHuman'>) =>
  insertReply(
    tx,
    { ...reply, isHuman: true },
    tx`
      select account_id, null::uuid as email_message_id, id as linkedin_message_id, campaign_id
        from linkedin_messages
       where account_id = current_account_id() and id = ${reply.messageId}`,
  )

const insertReply = (tx: Sql, reply: NewReply, message: Fragment) => {
  const isOld = reply.receivedAt.getTime() < reply.now.getTime() - FRESH_MS
  const mayWait = reply.isHuman && !isOld
  const { intent, notNowUntil, referral } = reply.classification
  return tx`
    insert into agent_replies (account_id, email_message_id, linkedin_message_id, campaign_id, state, due_at, intent,
                               intent_by, not_now_until, referral, reason)
    select m.account_id, m.email_message_id, m.linkedin_message_id, m.campaign_id, case when waits then 'pending' else 'done' end,
           case when waits then ${reply.now}::timestamptz end, ${intent ?? null}, 'rules', ${toDay(notNowUntil)}::date,
           ${referral ? tx.json(referral) : null},
           case when not waits then ${reply.isHuman ? (isOld ? 'old' : 'no_agent') : 'intent'} end
      from (${message}) m
     cross join lateral (select ${mayWait} and exists (select from reply_agents a
                                                        where a.account_id = m.account_id and a.is_enabled) as waits) w`
}

const toDay = (day: Date | undefined): string | null => day?.toISOString().slice(0, 10) ?? null

/** Ends the replies that are pending or scheduled, because the account no longer has an active agent. */
export const endPendingReplies = (tx: Sql) => tx`
  update agent_replies
     set state = 'done', due_at = null, reason = case state when 'pending' then 'no_agent' else 'turned_off' end,
         epoch = epoch + 1, updated_at = now()
   where account_id = current_account_id() and state in ('pending', 'scheduled')`

/** Ends a reply, which keeps its classification by rules. Returns false when the claim is void. */
export async function endReply(
  tx: Sql,
  claim: ClaimedReply,
  end: { state: 'done' | 'failed'; reason: string },
): Promise<boolean> {
  const ended = await tx`
    update agent_replies
       set state = ${end.state}, due_at = null, reason = ${end.reason}, updated_at = now()
     where ${holdsClaim(tx, claim)}`
  return ended.count === 1
}

/**
 * Records a request to the model before it is made, so that it counts towards the daily limit even without a response.
 */
export const recordModelRequest = (tx: Sql, claim: ClaimedReply, model: string, now: Date) => tx`
  update agent_replies set requested_at = ${now}, model = ${model} where ${holdsClaim(tx, claim)}`

/** Counts the account's requests to the model since this time. */
export async function countModelRequests(tx: Sql, since: Date): Promise<number> {
  const [row] = await tx<{ requests: number }[]>`
    select count(*)::int as requests from agent_replies where account_id = current_account_id() and requested_at > ${since}`
  return row!.requests
}

export async function countSentByAutopilot(tx: Sql, since: Date): Promise<number> {
  const [row] = await tx<{ sent: number }[]>`
    select count(*)::int as sent
      from agent_replies where account_id = current_account_id() and autopilot_sent_at > ${since}`
  return row!.sent
}

/** The cost of a request to the model; `costUsd` is null when the account has set no prices. */
export type Cost = TokenUsage & { costUsd: number | null }

type ReplyResult = Classification & {
  /** The reason there is no draft, or the reason a user has to send it. */
  reason: string | undefined
  draftId: string | undefined
  /** The time when autopilot sends the draft; if undefined, a user sends it. */
  sendsAt: Date | undefined
}

/** Records the model's result. Returns false and records nothing when the claim is void. */
export async function recordModelResult(
  tx: Sql,
  claim: ClaimedReply,
  result: ReplyResult,
  cost: Cost,
): Promise<boolean> {
  const { draftId = null, sendsAt = null, referral } = result
  const recorded = await tx`
    update agent_replies
       set state = ${sendsAt ? 'scheduled' : 'done'}, due_at = ${sendsAt}, sends_at = ${sendsAt}, attempts = 0,
           intent = ${result.intent ?? null}, intent_by = 'model', not_now_until = ${toDay(result.notNowUntil)}::date,
           referral = ${referral ? tx.json(referral) : null}, reason = ${result.reason ?? null},
           draft_id = ${draftId}, drafted_at = case when ${draftId !== null} then now() end, ${addCost(tx, cost)}
     where ${holdsClaim(tx, claim)}`
  return recorded.count === 1
}

/**
 * Records an unusable response. The reply is retried at `dueAt`, or fails if `dueAt` is undefined. Adds the cost in
 * either case.
 */
export const recordFailure = (
  tx: Sql,
  claim: ClaimedReply,
  error: { reason: string; dueAt: Date | undefined },
  cost: Cost,
) => tx`
  update agent_replies
     set state = ${error.dueAt ? 'pending' : 'failed'}, due_at = ${error.dueAt ?? null}, reason = ${error.reason},
         ${addCost(tx, cost)}
   where ${holdsClaim(tx, claim)}`

/**
 * Releases the claim until `dueAt` without counting the attempt, because the process stops or the reply has to wait.
 */
export const releaseReply = (tx: Sql, claim: ClaimedReply, dueAt: Date) => tx`
  update agent_replies set due_at = ${dueAt}, attempts = attempts - 1 where ${holdsClaim(tx, claim)}`

export const recordAutopilotSent = (tx: Sql, claim: ClaimedReply, now: Date) => tx`
  update agent_replies
     set state = 'done', due_at = null, autopilot_sent_at = ${now}, updated_at = now()
   where ${holdsClaim(tx, claim)}`

const addCost = (tx: Sql, { inputTokens, outputTokens, costUsd }: Cost) => tx`
  input_tokens = input_tokens + ${inputTokens}, output_tokens = output_tokens + ${outputTokens},
  cost_usd = case when ${costUsd}::numeric is null then cost_usd else coalesce(cost_usd, 0) + ${costUsd}::numeric end,
  updated_at = now()`

const holdsClaim = (tx: Sql, { messageId, epoch }: ClaimedReply) => tx`
  account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch}
  and state in ('pending', 'scheduled')`
