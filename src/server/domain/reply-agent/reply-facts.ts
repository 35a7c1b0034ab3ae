import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { type BodyFormat, convertHtmlToText } from '../../protocols/mime/body.ts'
import type { EmailContact } from '../messages/write-email-messages.ts'
import type { ClaimedReply, ReplyChannel } from './claim-replies.ts'

/** The account's model and limits, as stored. */
export type StoredAgent = {
  provider: 'openai' | 'anthropic' | 'openai_compatible' | 'simulated'
  model: string
  baseUrl: string | null
  apiKey: Uint8Array | null
  inputPrice: number | null
  outputPrice: number | null
  dailyReplies: number
  autopilotIntents: ReplyIntent[]
  autopilotDelayMinutes: number
  autopilotDailyCap: number
  updatedAt: Date
}

type AgentQuery = { onlyEnabled: boolean; forUpdate?: boolean }

/** Finds the account's agent. `onlyEnabled` skips a disabled agent; `forUpdate` locks the row. */
export async function findStoredAgent(
  tx: Sql,
  { onlyEnabled, forUpdate }: AgentQuery,
): Promise<StoredAgent | undefined> {
  const [agent] = await tx<StoredAgent[]>`
    select provider, model, base_url as "baseUrl", api_key as "apiKey", input_price::float8 as "inputPrice",
           output_price::float8 as "outputPrice", daily_replies as "dailyReplies",
           autopilot_intents as "autopilotIntents", autopilot_delay_minutes as "autopilotDelayMinutes",
           autopilot_daily_cap as "autopilotDailyCap", updated_at as "updatedAt"
      from reply_agents
     where account_id = current_account_id() ${onlyEnabled ? tx`and is_enabled` : tx``}
     ${forUpdate ? tx`for no key update` : tx``}`
  return agent
}

/** Facts about a reply for the model: its own thread and campaign, and nothing else from the account. */
export type ReplyFacts = {
  channel: ReplyChannel
  /** Our ID of the email thread or LinkedIn conversation. */
  threadId: string
  prospectId: string | null
  subject: string
  newText: string
  sender: EmailContact | null
  sentAt: Date
  repName: string | null
  firstName: string | null
  company: string | null
  knowledge: { offer: string | null; answers: string | null; nextStep: string | null; tone: string | null }
  /** Oldest first, without the reply itself. */
  earlier: EarlierMessage[]
}

export const MAX_EARLIER_MESSAGES = 8
/** Leaves enough HTML for the text that the model receives. */
const MAX_BODY_CHARS = 20_000

/**
 * Finds the facts of a claimed reply; undefined when the claim is void. The earlier emails still contain HTML and
 * opt-out links.
 */
export async function findReplyFacts(tx: Sql, claim: ClaimedReply): Promise<ReplyFacts | undefined> {
  const [facts] = await tx<ReplyFacts[]>`
    select 'email' as channel, m.thread_id as "threadId", m.prospect_id as "prospectId", m.subject, coalesce(m.new_text, m.body) as "newText", m.sender,
           m.sent_at as "sentAt", p.name as "repName", h.first_name as "firstName", y.name as company,
           json_build_object('offer', k.offer, 'answers', k.answers, 'nextStep', k.next_step, 'tone', k.tone) as knowledge,
           (select coalesce(json_agg(e order by e.sent_at, e.id), '[]')
              from (select o.id, o.sent_at, o.type <> 'received' as "isOurs", o.body_format as format,
                           left(coalesce(o.new_text, o.body), ${MAX_BODY_CHARS}) as text
                      from email_messages o
                     where o.account_id = m.account_id and o.thread_id = m.thread_id and o.status = 'sent' and o.id <> m.id
                     order by o.sent_at desc, o.id desc
                     limit ${MAX_EARLIER_MESSAGES}) e) as earlier
      from agent_replies r
      join email_messages m on m.account_id = r.account_id and m.id = r.email_message_id
      left join campaign_knowledge k on k.account_id = m.account_id and k.campaign_id = m.campaign_id
      left join reps p on p.account_id = m.account_id and p.id = m.rep_id
      left join prospects q on q.account_id = m.account_id and q.id = m.prospect_id
      left join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
      left join persons h on h.account_id = m.account_id and h.id = coalesce(q.person_id, t.person_id)
      left join companies y on y.account_id = h.account_id and y.id = h.company_id
     where r.account_id = current_account_id() and r.message_id = ${claim.messageId} and r.epoch = ${claim.epoch}
       and r.state = 'pending'`
  return facts
}

type EarlierMessage = { isOurs: boolean; text: string; format?: BodyFormat }

/** Opt-out links work without a sign-in, so models must not receive them. */
const optOutLink = /https?:\/\/\S+\/u\/[\w-]{20,}/g

export const stripOptOutLinks = (text: string): string => text.replace(optOutLink, '')

/** Converts the earlier emails to plain text without opt-out links. */
export async function convertEarlierToText<F extends Pick<ReplyFacts, 'earlier'>>(
  facts: F,
  accountId: string,
): Promise<F> {
  const earlier = facts.earlier.map(async ({ isOurs, text, format }) => ({
    isOurs,
    text: stripOptOutLinks(format === 'html' ? await convertHtmlToText(text, accountId) : text),
  }))
  return { ...facts, earlier: await Promise.all(earlier) }
}

/**
 * Returns whether the thread continued after the reply: with another email, or with one that a user is about to send.
 */
export async function hasThreadContinued(
  tx: Sql,
  { messageId }: ClaimedReply,
  { draftId, drafts }: { draftId?: string; drafts: 'counted' | 'ignored' },
): Promise<boolean> {
  const [newer] = await tx`
    select
      from email_messages m
      join email_messages o on o.account_id = m.account_id and o.thread_id = m.thread_id
      left join email_sends e on e.account_id = o.account_id and e.message_id = o.id
     where m.account_id = current_account_id() and m.id = ${messageId}
       and o.id <> m.id and o.id is distinct from ${draftId ?? null}
       -- A draft may be older than the reply but sent after it.
       and (greatest(o.created_at, e.created_at), o.id) > (m.created_at, m.id)
       ${drafts === 'counted' ? tx`` : tx`and (o.status = 'sent' or o.delivery_status in ('queued', 'sending', 'unconfirmed'))`}
     limit 1`
  return newer !== undefined
}
