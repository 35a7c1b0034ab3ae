import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import {
  insertLinkedinMessage,
  markDraftSent,
  type NewLinkedinMessage,
  openConversation,
  setChatId,
  setConversationId,
  setProviderMessageId,
} from './write-linkedin-messages.ts'

/** The two sides of a conversation. */
export type ConversationPair = { repId: string; personId: string }

type ConversationProspect = { prospectId: string; campaignId: string }

export type LinkedinEntry = ConversationPair &
  Pick<NewLinkedinMessage, 'text' | 'type' | 'happenedAt' | 'isUnread'> & {
    /** The provider's IDs; undefined when a user records the message. */
    conversationId?: string | undefined
    chatId?: string | undefined
    messageId?: string | undefined
  }

/** Prefix of the IDs that we give to conversations that a user recorded, until a provider reports its own. */
const OWN_ID_PREFIX = 'overture:'
/** Prefix of the IDs that we give to messages from the data export, which contains no IDs. */
export const EXPORT_ID_PREFIX = 'csv:'
const SAME_DAY_MS = 24 * 3_600_000
const SAME_MOMENT_MS = 2 * 60_000

/** Locks the conversations of this pair until the transaction ends. Take this lock before locking prospects. */
export const lockPair = (tx: Sql, { repId, personId }: ConversationPair) => tx`
  select pg_advisory_xact_lock(hashtextextended(${`linkedin ${repId} ${personId}`}, 0))`

/**
 * Records a LinkedIn message once, even if several sources report it (a user, the data export, a provider),
 * and returns whether it is new. A new message belongs to the person's prospect at that time; `prospect` is
 * undefined if they had none yet. The caller must hold `lockPair`.
 */
export async function recordLinkedinEntry(
  tx: Sql,
  entry: LinkedinEntry,
): Promise<{ id: string; isNew: boolean; prospect?: ConversationProspect | undefined }> {
  const conversationRecordId = await findOrOpenConversation(tx, entry)
  const existing = await findDuplicate(tx, conversationRecordId, entry)
  if (!existing) {
    const prospect = await findConversationProspect(tx, entry, entry.happenedAt)
    const id = await insertLinkedinMessage(tx, {
      ...entry,
      ...{ conversationRecordId, prospect, status: 'sent', providerMessageId: entry.messageId ?? null },
    })
    return { id, isNew: true, prospect }
  }
  if (!existing.hasProviderId && entry.messageId) await setProviderMessageId(tx, existing.id, entry.messageId)
  return { id: existing.id, isNew: false }
}

/**
 * Records that a draft was sent. Returns the ID of the message, which differs from the draft's if the message was
 * already reported or belongs to another conversation. The caller must hold `lockPair`.
 */
export async function recordLinkedinDraft(
  tx: Sql,
  id: string,
  sent: Omit<LinkedinEntry, 'type' | 'isUnread'>,
): Promise<string> {
  const [draft] = await tx<{ recordId: string; conversationId: string }[]>`
    select conversation_record_id as "recordId", conversation_id as "conversationId"
      from linkedin_messages
     where account_id = current_account_id() and id = ${id}`
  const entry = {
    ...sent,
    type: 'manual' as const,
    conversationId: sent.conversationId ?? draft!.conversationId,
  }
  const conversationRecordId = await findOrOpenConversation(tx, entry)
  const existing = await findDuplicate(tx, conversationRecordId, entry)
  if (existing || conversationRecordId !== draft?.recordId) return (await recordLinkedinEntry(tx, entry)).id
  await markDraftSent(tx, id, entry)
  return id
}

/**
 * Finds the conversation with the provider's ID, or else one that a user recorded, or else creates one. Without the
 * provider's ID, prefers the conversation with this chat.
 */
export async function findOrOpenConversation(
  tx: Sql,
  {
    repId,
    personId,
    conversationId,
    chatId,
  }: ConversationPair & Pick<LinkedinEntry, 'conversationId' | 'chatId'>,
): Promise<string> {
  const providerId = conversationId ?? null
  const [existing] = await tx<{ id: string; conversationId: string; chatId: string | null }[]>`
    select id, conversation_id as "conversationId", chat_id as "chatId"
      from linkedin_conversations
     where account_id = current_account_id()
       and (conversation_id = ${providerId}
            or rep_id = ${repId} and person_id = ${personId}
               and (${providerId}::text is null or starts_with(conversation_id, ${OWN_ID_PREFIX})))
     order by conversation_id = ${providerId} desc nulls last, chat_id = ${chatId ?? null} desc nulls last,
              created_at desc, id desc
     limit 1`
  if (!existing) {
    const prospect = await findConversationProspect(tx, { repId, personId })
    return openConversation(tx, {
      ...{ repId, personId, chatId, ...prospect },
      conversationId: conversationId ?? OWN_ID_PREFIX + randomUUIDv7(),
    })
  }
  if (conversationId && existing.conversationId !== conversationId)
    await setConversationId(tx, existing.id, conversationId, chatId)
  else if (chatId && existing.chatId !== chatId) await setChatId(tx, existing.id, chatId)
  return existing.id
}

/**
 * Finds the person's prospect for a conversation with this rep: prefers the one with this ID, then the rep's own, then
 * open ones, then the newest. `before` leaves out prospects that were created later.
 */
export async function findConversationProspect(
  tx: Sql,
  { repId, personId, preferredId }: ConversationPair & { preferredId?: string | null },
  before?: Date,
): Promise<ConversationProspect | undefined> {
  const [prospect] = await tx<ConversationProspect[]>`
    select id as "prospectId", campaign_id as "campaignId"
      from prospects
     where account_id = current_account_id() and person_id = ${personId}
       ${before ? tx`and created_at <= ${before}` : tx``}
     order by id = ${preferredId ?? null} desc nulls last, rep_id = ${repId} desc nulls last,
              status in ${openStatuses(tx)} desc, created_at desc, id desc
     limit 1`
  return prospect
}

/**
 * Finds the same message by its ID, or by its text if another source reported it: within a day if a user recorded it,
 * within two minutes if the export and the provider did. Messages with different IDs from one source are different
 * messages.
 */
async function findDuplicate(
  tx: Sql,
  conversationRecordId: string,
  { text, type, happenedAt, messageId }: LinkedinEntry,
): Promise<{ id: string; hasProviderId: boolean } | undefined> {
  const [same] = await tx<{ id: string; hasProviderId: boolean }[]>`
    select id, provider_message_id is not null as "hasProviderId"
      from (select m.*, abs(extract(epoch from m.happened_at - ${happenedAt}::timestamptz)) * 1000 as apart_ms,
                   starts_with(m.provider_message_id, ${EXPORT_ID_PREFIX}) as is_exported
              from linkedin_messages m
             where m.account_id = current_account_id() and m.conversation_record_id = ${conversationRecordId}
               and m.status = 'sent' and (m.type = 'received') = ${type === 'received'}) m
     where provider_message_id = ${messageId ?? null}
        or btrim(text) = ${text.trim()}
           and case when ${messageId === undefined} then provider_message_id is not null and apart_ms <= ${SAME_DAY_MS}
                    when provider_message_id is null then apart_ms <= ${SAME_DAY_MS}
                    else is_exported <> ${messageId?.startsWith(EXPORT_ID_PREFIX) ?? false} and apart_ms <= ${SAME_MOMENT_MS} end
     order by provider_message_id = ${messageId ?? null} desc nulls last, apart_ms, id
     limit 1`
  return same
}
