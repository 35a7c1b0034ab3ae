import { randomUUIDv7 } from 'node:crypto'
import type { messageStatuses, messageTypes } from '../../../contract/inbox.ts'
import type { Context } from '../../kernel/context.ts'
import { type Fragment, pipeline, type Sql } from '../../kernel/db/database.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { replaceInTags, type TagChange } from '../people/persons/person-tags.ts'
import type { ApprovalRequest } from './write-email-messages.ts'

/**
 * The only writers of LinkedIn conversations, their messages and the copies in `linkedin_message_tags`. Each requires a
 * transaction within the account.
 */

export type NewConversation = {
  /** Defaults to a new ID. */
  id?: string
  /** The provider's ID. */
  conversationId: string
  personId?: string | null
  prospectId?: string | null
  campaignId?: string | null
  repId?: string | null
  /** The conversation's ID in the provider's API, if it differs from `conversationId`. */
  chatId?: string | null | undefined
}

export type NewLinkedinMessage = {
  /** Defaults to a new ID. */
  id?: string
  /** The ID of the conversation's row, not the provider's. */
  conversationRecordId: string
  /** Defaults to the prospect and campaign of the conversation. */
  prospect?: { prospectId: string; campaignId: string } | undefined
  text: string
  type: (typeof messageTypes)[number]
  status: (typeof messageStatuses)[number]
  isUnread?: boolean
  happenedAt: Date
  providerMessageId?: string | null
}

/** Returns our ID for the conversation with this provider ID; creates the conversation if it doesn't exist. */
export async function openConversation(tx: Sql, conversation: NewConversation): Promise<string> {
  await tx`
    insert into linkedin_conversations (account_id, id, conversation_id, person_id, prospect_id, campaign_id, rep_id,
                                        chat_id)
    values (current_account_id(), ${conversation.id ?? randomUUIDv7()}, ${conversation.conversationId},
            ${conversation.personId ?? null}, ${conversation.prospectId ?? null}, ${conversation.campaignId ?? null},
            ${conversation.repId ?? null}, ${conversation.chatId ?? null})
    on conflict (account_id, conversation_id) do nothing`
  const [row] = await tx<{ id: string }[]>`
    select id from linkedin_conversations
     where account_id = current_account_id() and conversation_id = ${conversation.conversationId}`
  return row!.id
}

/** Inserts a message. It takes its rep and tags from its conversation. */
export async function insertLinkedinMessage(tx: Sql, message: NewLinkedinMessage): Promise<string> {
  const { id = randomUUIDv7(), prospect } = message
  // The lock keeps the conversation's tags from changing in the meantime.
  const { count } = await tx`
    with conversation as (
      select * from linkedin_conversations
       where account_id = current_account_id() and id = ${message.conversationRecordId}
         for update)
    insert into linkedin_messages (account_id, id, conversation_record_id, conversation_id, prospect_id, campaign_id,
                                   rep_id, tags, text, type, status, is_unread, happened_at, conversation_seen_at,
                                   provider_message_id)
    select account_id, ${id}, id, conversation_id, ${prospect ? tx`${prospect.prospectId}` : tx`prospect_id`},
           ${prospect ? tx`${prospect.campaignId}` : tx`campaign_id`}, rep_id, tags, ${message.text},
           ${message.type}, ${message.status}, ${message.isUnread ?? false}, ${message.happenedAt},
           ${message.status === 'draft' ? message.happenedAt : null}, ${message.providerMessageId ?? null}
      from conversation`
  if (count === 0) throw new Error(`There is no LinkedIn conversation ${message.conversationRecordId}.`)
  await insertTagCopies(tx, tx`and m.id = ${id}`)
  return id
}

/** Sets the provider's IDs on a conversation that a user recorded. */
export const setConversationId = (tx: Sql, id: string, conversationId: string, chatId: string | undefined) =>
  pipeline(
    tx`
      update linkedin_conversations set conversation_id = ${conversationId}, chat_id = ${chatId ?? null}, updated_at = now()
       where account_id = current_account_id() and id = ${id}`,
    tx`
      update linkedin_messages set conversation_id = ${conversationId}, updated_at = now()
       where account_id = current_account_id() and conversation_record_id = ${id}`,
  )

/** Clears the chat IDs of a rep's conversations, because chat IDs differ between LinkedIn accounts. */
export const clearChatIds = (tx: Sql, repId: string) => tx`
  update linkedin_conversations set chat_id = null, updated_at = now()
   where account_id = current_account_id() and rep_id = ${repId} and chat_id is not null`

/** Clears the chat IDs of a person's conversations, because the chats belong to another profile. */
export const clearPersonChatIds = (tx: Sql, personId: string) => tx`
  update linkedin_conversations set chat_id = null, updated_at = now()
   where account_id = current_account_id() and person_id = ${personId} and chat_id is not null`

export const setChatId = (tx: Sql, id: string, chatId: string) => tx`
  update linkedin_conversations set chat_id = ${chatId}, updated_at = now()
   where account_id = current_account_id() and id = ${id}`

export const setProviderMessageId = (tx: Sql, id: string, providerMessageId: string) => tx`
  update linkedin_messages set provider_message_id = ${providerMessageId}
   where account_id = current_account_id() and id = ${id}`

/** Marks all messages of a conversation as read; returns how many were unread. */
export async function markConversationRead(tx: Sql, id: string): Promise<number> {
  const { count } = await tx`
    update linkedin_messages set is_unread = false, updated_at = now()
     where account_id = current_account_id() and conversation_record_id = ${id} and is_unread`
  await refreshKinds(tx, id)
  return count
}

/** Marks the last received message of a conversation as unread. */
export async function markConversationUnread(tx: Sql, id: string): Promise<void> {
  await tx`
    update linkedin_messages m set is_unread = true, updated_at = now()
     where account_id = current_account_id() and not is_unread
       and id = (select id from linkedin_messages
                  where account_id = m.account_id and conversation_record_id = ${id} and type = 'received'
                  order by happened_at desc, id desc limit 1)`
  await refreshKinds(tx, id)
}

const refreshKinds = (tx: Sql, conversationRecordId: string) => tx`
  update linkedin_message_tags t set kind = m.kind
    from linkedin_messages m
   where m.account_id = current_account_id() and m.conversation_record_id = ${conversationRecordId}
     and t.account_id = m.account_id and t.id = m.id and t.kind <> m.kind`

export const changeLinkedinDraft = (tx: Sql, id: string, text: string, at: Date) =>
  pipeline(
    tx`
      update linkedin_messages set text = ${text}, happened_at = ${at}, approval_request = null, updated_at = now()
       where account_id = current_account_id() and id = ${id} and status = 'draft'`,
    refreshTagCopies(tx, id),
  )

/** Sets the approval request of a draft; null removes it. */
export const setLinkedinApprovalRequest = (tx: Sql, id: string, request: ApprovalRequest | null) => tx`
  update linkedin_messages set approval_request = ${request && tx.json(request)}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'draft'`

/** Records that the writer of a draft has seen its conversation up to this time. */
export const markConversationSeen = (tx: Sql, id: string, at: Date) => tx`
  update linkedin_messages set conversation_seen_at = ${at}
   where account_id = current_account_id() and id = ${id}`

/** Marks a draft as sent with this text. */
export const markDraftSent = (
  tx: Sql,
  id: string,
  { text, happenedAt, messageId }: { text: string; happenedAt: Date; messageId?: string | undefined },
) =>
  pipeline(
    tx`
      update linkedin_messages
         set status = 'sent', text = ${text}, happened_at = ${happenedAt}, updated_at = now(),
             provider_message_id = coalesce(${messageId ?? null}, provider_message_id)
       where account_id = current_account_id() and id = ${id} and status = 'draft'`,
    refreshTagCopies(tx, id),
  )

const refreshTagCopies = (tx: Sql, id: string) => tx`
  update linkedin_message_tags t set status = m.status, kind = m.kind, happened_at = m.happened_at
    from linkedin_messages m
   where m.account_id = current_account_id() and m.id = ${id} and t.account_id = m.account_id and t.id = m.id`

export const removeLinkedinDraft = (tx: Sql, id: string) => tx`
  delete from linkedin_messages
   where account_id = current_account_id() and id = ${id} and status = 'draft'`

/** Locks a conversation and returns its tags; returns undefined if the caller can't read the conversation. */
export async function lockConversationTags(ctx: Context, id: string): Promise<string[] | undefined> {
  const [conversation] = await ctx.sql<{ tags: string[] }[]>`
    select tags from linkedin_conversations c
     where account_id = ${ctx.accountId} and id = ${id} and ${isInScope(ctx, 'Inbox.ReadInbox', ctx.sql`c.rep_id`)}
       for update`
  return conversation?.tags
}

/** Replaces the tags of a conversation and of all its messages. The names must be spelled as in `tags`. */
export const setConversationTags = (tx: Sql, id: string, names: string[]): Promise<unknown> =>
  pipeline(
    tx`
      update linkedin_conversations set tags = ${names}, updated_at = now()
       where account_id = current_account_id() and id = ${id}`,
    tx`
      update linkedin_messages set tags = ${names}, updated_at = now()
       where account_id = current_account_id() and conversation_record_id = ${id}`,
    tx`
      delete from linkedin_message_tags t
       using linkedin_messages m, tags g
       where m.account_id = current_account_id() and m.conversation_record_id = ${id}
         and t.account_id = m.account_id and t.id = m.id
         and g.account_id = t.account_id and g.id = t.tag_id and g.name <> all(${names})`,
    insertTagCopies(tx, tx`and m.conversation_record_id = ${id}`),
  )

/** Renames a tag of conversations, or removes it when `to` is null. */
export const replaceConversationTag = (tx: Sql, change: TagChange): Promise<unknown> =>
  pipeline(
    tx`
      update linkedin_conversations set tags = ${replaceInTags(tx, change)}, updated_at = now()
       where account_id = current_account_id() and ${change.from} = any(tags)`,
    tx`
      update linkedin_messages set tags = ${replaceInTags(tx, change)}, updated_at = now()
       where account_id = current_account_id()
         and id in (select id from linkedin_message_tags
                     where account_id = current_account_id() and tag_id = ${change.tagId})`,
    tx`
      delete from linkedin_message_tags
       where account_id = current_account_id() and tag_id = ${change.tagId} and ${change.to === null}`,
  )

const insertTagCopies = (tx: Sql, filter: Fragment) => tx`
  insert into linkedin_message_tags (account_id, tag_id, id, prospect_id, campaign_id, rep_id, status, kind, happened_at)
  select m.account_id, g.id, m.id, m.prospect_id, m.campaign_id, m.rep_id, m.status, m.kind, m.happened_at
    from linkedin_messages m
    join tags g on g.account_id = m.account_id and g.name = any(m.tags)
   where m.account_id = current_account_id() and m.tags <> '{}' ${filter}
  on conflict (account_id, tag_id, id) do nothing`
