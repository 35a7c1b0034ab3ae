import { randomUUIDv7 } from 'node:crypto'
import type { messageStatuses, messageTypes } from '../../contract/inbox.ts'
import type { Context } from '../context.ts'
import { type Fragment, pipeline, type Sql } from '../db.ts'
import { isReached } from './reach.ts'

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
}

/** The conversation that the provider calls so: opened now unless it is known. Gives our id of it. */
export async function openConversation(tx: Sql, conversation: NewConversation): Promise<string> {
  await tx`
    insert into linkedin_conversations (account_id, id, conversation_id, person_id, prospect_id, campaign_id, rep_id)
    values (current_account_id(), ${conversation.id ?? randomUUIDv7()}, ${conversation.conversationId},
            ${conversation.personId ?? null}, ${conversation.prospectId ?? null}, ${conversation.campaignId ?? null},
            ${conversation.repId ?? null})
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
                                   rep_id, tags, text, type, status, is_unread, happened_at)
    select account_id, ${id}, id, conversation_id, prospect_id, campaign_id, rep_id, tags, ${message.text},
           ${message.type}, ${message.status}, ${message.isUnread ?? false}, ${message.happenedAt}
      from conversation`
  if (count === 0) throw new Error(`There is no LinkedIn conversation ${message.conversationRecordId}.`)
  await insertTagCopies(tx, tx`and m.id = ${id}`)
  return id
}

/** The tags of a conversation that the caller may read, locked for a change; undefined when there is none. */
export async function lockConversationTags(ctx: Context, id: string): Promise<string[] | undefined> {
  const [conversation] = await ctx.sql<{ tags: string[] }[]>`
    select tags from linkedin_conversations c
     where account_id = ${ctx.accountId} and id = ${id} and ${isReached(ctx, 'Inbox.ReadInbox', ctx.sql`c.rep_id`)}
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
