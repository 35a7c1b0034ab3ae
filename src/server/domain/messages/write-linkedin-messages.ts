import { randomUUIDv7 } from 'node:crypto'
import type { messageStatuses, messageTypes } from '../../../contract/inbox.ts'
import type { Context } from '../../kernel/context.ts'
import { type Fragment, pipeline, type Sql } from '../../kernel/db/database.ts'
import { isInScope } from '../accounts/permission-scope.ts'

/**
 * The only writers of LinkedIn conversations, their messages and the copies that tags have of them. Each needs a
 * transaction that sees the account.
 */

export type NewConversation = {
  /** A new one unless given. */
  id?: string
  /** The provider's name of it. */
  conversationId: string
  personId?: string | null
  prospectId?: string | null
  campaignId?: string | null
  repId?: string | null
  /** The provider's name of it in its own interface, where that is another. */
  chatId?: string | null | undefined
}

export type NewLinkedinMessage = {
  /** A new one unless given. */
  id?: string
  /** Our id of the conversation. */
  conversationRecordId: string
  text: string
  type: (typeof messageTypes)[number]
  status: (typeof messageStatuses)[number]
  isUnread?: boolean
  happenedAt: Date
  providerMessageId?: string | null
}

/** The conversation that the provider calls so: opened now unless it is known. Gives our id of it. */
export async function openConversation(tx: Sql, conversation: NewConversation): Promise<string> {
  await tx`
    insert into linkedin_conversations (account_id, id, conversation_id, person_id, prospect_id, campaign_id, rep_id,
                                        chat_id)
    values (current_account_id(), ${conversation.id ?? randomUUIDv7()}, ${conversation.conversationId},
            ${conversation.personId ?? null}, ${conversation.prospectId ?? null}, ${conversation.campaignId ?? null},
            ${conversation.repId ?? null}, ${conversation.chatId ?? null})
    on conflict (account_id, conversation_id) do nothing`
  const [known] = await tx<{ id: string }[]>`
    select id from linkedin_conversations
     where account_id = current_account_id() and conversation_id = ${conversation.conversationId}`
  return known!.id
}

/** Whose campaign, prospect, rep and tags the message is follows from its conversation. */
export async function insertLinkedinMessage(tx: Sql, message: NewLinkedinMessage): Promise<string> {
  const id = message.id ?? randomUUIDv7()
  // Locked against a change of tags meanwhile.
  const { count } = await tx`
    with conversation as (
      select * from linkedin_conversations
       where account_id = current_account_id() and id = ${message.conversationRecordId}
         for update)
    insert into linkedin_messages (account_id, id, conversation_record_id, conversation_id, prospect_id, campaign_id,
                                   rep_id, tags, text, type, status, is_unread, happened_at, conversation_seen_at,
                                   provider_message_id)
    select account_id, ${id}, id, conversation_id, prospect_id, campaign_id, rep_id, tags, ${message.text},
           ${message.type}, ${message.status}, ${message.isUnread ?? false}, ${message.happenedAt},
           ${message.status === 'draft' ? message.happenedAt : null}, ${message.providerMessageId ?? null}
      from conversation`
  if (count === 0) throw new Error(`There is no LinkedIn conversation ${message.conversationRecordId}.`)
  await insertTagCopies(tx, tx`and m.id = ${id}`)
  return id
}

/** The provider calls it so, from now on: one that a person recorded before turns out to be this one. */
export const renameConversation = (tx: Sql, id: string, conversationId: string, chatId: string | undefined) =>
  pipeline(
    tx`
      update linkedin_conversations set conversation_id = ${conversationId}, chat_id = ${chatId ?? null}, updated_at = now()
       where account_id = current_account_id() and id = ${id}`,
    tx`
      update linkedin_messages set conversation_id = ${conversationId}
       where account_id = current_account_id() and conversation_record_id = ${id}`,
  )

/** What another account of the rep's calls their conversations is not known until it is heard of. */
export const forgetChats = (tx: Sql, repId: string) => tx`
  update linkedin_conversations set chat_id = null, updated_at = now()
   where account_id = current_account_id() and rep_id = ${repId} and chat_id is not null`

/** The provider calls it so in its own interface, from now on. */
export const nameChat = (tx: Sql, id: string, chatId: string) => tx`
  update linkedin_conversations set chat_id = ${chatId}, updated_at = now()
   where account_id = current_account_id() and id = ${id}`

/** The provider calls this message so, from now on, and knows best when it was. */
export const nameMessage = (tx: Sql, id: string, providerMessageId: string) => tx`
  update linkedin_messages set provider_message_id = ${providerMessageId}
   where account_id = current_account_id() and id = ${id}`

/** All of a conversation is read; tells how many were not. */
export async function markConversationRead(tx: Sql, id: string): Promise<number> {
  const { count } = await tx`
    update linkedin_messages set is_unread = false, updated_at = now()
     where account_id = current_account_id() and conversation_record_id = ${id} and is_unread`
  await tx`
    update linkedin_message_tags t set kind = m.kind
      from linkedin_messages m
     where m.account_id = current_account_id() and m.conversation_record_id = ${id}
       and t.account_id = m.account_id and t.id = m.id and t.kind <> m.kind`
  return count
}

export const changeLinkedinDraft = (tx: Sql, id: string, text: string, at: Date) => tx`
  update linkedin_messages set text = ${text}, happened_at = ${at}, updated_at = now()
   where account_id = current_account_id() and id = ${id} and status = 'draft'`

/** Its writer sends it, knowing the conversation up to then. */
export const markConversationSeen = (tx: Sql, id: string, at: Date) => tx`
  update linkedin_messages set conversation_seen_at = ${at}
   where account_id = current_account_id() and id = ${id}`

/** It was sent, in these words; the tags' copies follow. */
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
    tx`
      update linkedin_message_tags t set status = m.status, kind = m.kind, happened_at = m.happened_at
        from linkedin_messages m
       where m.account_id = current_account_id() and m.id = ${id} and t.account_id = m.account_id and t.id = m.id`,
  )

export const removeLinkedinDraft = (tx: Sql, id: string) => tx`
  delete from linkedin_messages
   where account_id = current_account_id() and id = ${id} and status = 'draft'`

/** The tags of a conversation that the caller may read, locked for a change; undefined when there is none. */
export async function lockConversationTags(ctx: Context, id: string): Promise<string[] | undefined> {
  const [conversation] = await ctx.sql<{ tags: string[] }[]>`
    select tags from linkedin_conversations c
     where account_id = ${ctx.accountId} and id = ${id} and ${isInScope(ctx, 'Inbox.ReadInbox', ctx.sql`c.rep_id`)}
       for update`
  return conversation?.tags
}

/** The conversation has these tags from now on, and so have all its messages. They are names as `tags` has them. */
export const setConversationTags = (tx: Sql, id: string, names: string[]): Promise<unknown> =>
  pipeline(
    tx`
      update linkedin_conversations set tags = ${names}, updated_at = now()
       where account_id = current_account_id() and id = ${id}`,
    tx`
      update linkedin_messages set tags = ${names}
       where account_id = current_account_id() and conversation_record_id = ${id}`,
    tx`
      delete from linkedin_message_tags t
       using linkedin_messages m, tags g
       where m.account_id = current_account_id() and m.conversation_record_id = ${id}
         and t.account_id = m.account_id and t.id = m.id
         and g.account_id = t.account_id and g.id = t.tag_id and g.name <> all(${names})`,
    insertTagCopies(tx, tx`and m.conversation_record_id = ${id}`),
  )

const insertTagCopies = (tx: Sql, which: Fragment) => tx`
  insert into linkedin_message_tags (account_id, tag_id, id, prospect_id, campaign_id, rep_id, status, kind, happened_at)
  select m.account_id, g.id, m.id, m.prospect_id, m.campaign_id, m.rep_id, m.status, m.kind, m.happened_at
    from linkedin_messages m
    join tags g on g.account_id = m.account_id and g.name = any(m.tags)
   where m.account_id = current_account_id() and m.tags <> '{}' ${which}
  on conflict (account_id, tag_id, id) do nothing`
