import { randomUUIDv7 } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import {
  insertLinkedinMessage,
  markDraftSent,
  type NewLinkedinMessage,
  nameChat,
  nameMessage,
  openConversation,
  renameConversation,
} from './write-linkedin-messages.ts'

/** Whose conversation it is: of a rep with a person. */
export type Pair = { repId: string; personId: string }

export type LinkedinEntry = Pair &
  Pick<NewLinkedinMessage, 'text' | 'type' | 'happenedAt' | 'isUnread'> & {
    /** What the other side calls conversation and message; a person who records something knows neither. */
    conversationId?: string | undefined
    chatId?: string | undefined
    messageId?: string | undefined
  }

/** Whose conversations a person opens here carry names of our own until a provider names them. */
const OURS = 'overture:'
/** Messages out of the data export have no name but this and what they hold. */
export const FROM_EXPORT = 'csv:'
const SAME_DAY_MS = 24 * 3_600_000
const SAME_MOMENT_MS = 2 * 60_000

/** Nobody else reads or writes what these two have with each other until the transaction ends; taken before prospects. */
export const lockPair = (tx: Sql, { repId, personId }: Pair) => tx`
  select pg_advisory_xact_lock(hashtextextended(${`linkedin ${repId} ${personId}`}, 0))`

/**
 * What was written on LinkedIn, once, in whichever ways it comes to be known: by a person, out of the export, from a
 * provider. Tells whether it is news. The pair is locked.
 */
export async function recordLinkedinEntry(
  tx: Sql,
  entry: LinkedinEntry,
): Promise<{ id: string; isNew: boolean }> {
  const conversationRecordId = await findConversation(tx, entry)
  const known = await findSame(tx, conversationRecordId, entry)
  if (!known)
    return {
      id: await insertLinkedinMessage(tx, {
        ...entry,
        conversationRecordId,
        status: 'sent',
        providerMessageId: entry.messageId ?? null,
      }),
      isNew: true,
    }
  if (!known.hasName && entry.messageId) await nameMessage(tx, known.id, entry.messageId)
  return { id: known.id, isNew: false }
}

/**
 * A draft was sent: it is a message of its conversation from now on, unless another way told of that before. Gives the
 * message that it is. The pair is locked.
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
  const conversationRecordId = await findConversation(tx, entry)
  const known = await findSame(tx, conversationRecordId, entry)
  if (known || conversationRecordId !== draft?.recordId) return (await recordLinkedinEntry(tx, entry)).id
  await markDraftSent(tx, id, entry)
  return id
}

/** The one that the provider names; else one that a person opened; else a new one. */
export async function findConversation(
  tx: Sql,
  { repId, personId, conversationId, chatId }: Pair & Pick<LinkedinEntry, 'conversationId' | 'chatId'>,
): Promise<string> {
  const named = conversationId ?? null
  const [known] = await tx<{ id: string; conversationId: string; chatId: string | null }[]>`
    select id, conversation_id as "conversationId", chat_id as "chatId"
      from linkedin_conversations
     where account_id = current_account_id()
       and (conversation_id = ${named}
            or rep_id = ${repId} and person_id = ${personId}
               and (${named}::text is null or starts_with(conversation_id, ${OURS})))
     order by conversation_id = ${named} desc nulls last, created_at desc, id desc
     limit 1`
  if (!known) {
    const prospect = await findProspectOf(tx, { repId, personId })
    return openConversation(tx, {
      ...{ repId, personId, chatId, ...prospect },
      conversationId: conversationId ?? OURS + randomUUIDv7(),
    })
  }
  if (conversationId && known.conversationId !== conversationId)
    await renameConversation(tx, known.id, conversationId, chatId)
  else if (chatId && known.chatId !== chatId) await nameChat(tx, known.id, chatId)
  return known.id
}

/** As whose prospect the person is spoken with: where something is still to come first, and by this rep. */
export async function findProspectOf(
  tx: Sql,
  { repId, personId }: Pair,
  before?: Date,
): Promise<{ prospectId: string; campaignId: string } | undefined> {
  const [prospect] = await tx<{ prospectId: string; campaignId: string }[]>`
    select id as "prospectId", campaign_id as "campaignId"
      from prospects
     where account_id = current_account_id() and person_id = ${personId}
       ${before ? tx`and created_at <= ${before}` : tx``}
     order by rep_id = ${repId} desc nulls last, status in ${openStatuses(tx)} desc, created_at desc, id desc
     limit 1`
  return prospect
}

/**
 * The same message under its name, or as it came in another way. A person tells it within a day; export and provider
 * agree on the moment. What came the same way under another name is another one.
 */
async function findSame(
  tx: Sql,
  conversationRecordId: string,
  { text, type, happenedAt, messageId }: LinkedinEntry,
): Promise<{ id: string; hasName: boolean } | undefined> {
  const [same] = await tx<{ id: string; hasName: boolean }[]>`
    select id, provider_message_id is not null as "hasName"
      from (select m.*, abs(extract(epoch from m.happened_at - ${happenedAt}::timestamptz)) * 1000 as apart_ms,
                   starts_with(m.provider_message_id, ${FROM_EXPORT}) as is_exported
              from linkedin_messages m
             where m.account_id = current_account_id() and m.conversation_record_id = ${conversationRecordId}
               and m.status = 'sent' and (m.type = 'received') = ${type === 'received'}) m
     where provider_message_id = ${messageId ?? null}
        or btrim(text) = ${text.trim()}
           and case when ${messageId === undefined} then provider_message_id is not null and apart_ms <= ${SAME_DAY_MS}
                    when provider_message_id is null then apart_ms <= ${SAME_DAY_MS}
                    else is_exported <> ${messageId?.startsWith(FROM_EXPORT) ?? false} and apart_ms <= ${SAME_MOMENT_MS} end
     order by provider_message_id = ${messageId ?? null} desc nulls last, apart_ms, id
     limit 1`
  return same
}
