import { type Config, getPublicUrl } from '../../kernel/config.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { inOneLine, readBeginning, readEmailBeginning } from '../../kernel/text/first-words.ts'
import { selectPersonInBrief } from '../people/persons/person-json.ts'

const MAX_TEXT_LENGTH = 300
/** Maximum number of draft IDs and of unconfirmed IDs in one conversation. */
const MAX_IDS = 20

/** Builds the API's JSON of conversation `c`. */
export const conversationJson = (sql: Sql, config: Config, now: Date): Fragment => sql`
  ${jsonObject({
    id: uuid('c.id'),
    objectType: 'conversation',
    createdAt: timestamp('c.created_at'),
    updatedAt: timestamp('c.updated_at'),
    channel: sql`c.channel`,
    emailThreadId: uuid('c.email_thread_id'),
    linkedinConversationId: uuid('c.linkedin_conversation_id'),
    subject: sql`(select subject from email_threads where account_id = c.account_id and id = c.email_thread_id)`,
    personId: uuid('c.person_id'),
    person: selectPersonInBrief(sql, 'c'),
    prospectId: uuid('c.prospect_id'),
    campaign: sql`(select json_build_object('id', id, 'name', name) from campaigns
                  where account_id = c.account_id and id = c.campaign_id)`,
    rep: sql`(select json_build_object('id', id, 'name', name) from reps
             where account_id = c.account_id and id = c.rep_id)`,
    lastMessage: sql`case c.channel when 'email' then ${lastEmail(sql)} else ${lastLinkedinMessage(sql)} end`,
    intent: sql`c.intent`,
    needsReply: sql`c.state = 'needs_reply'`,
    isUnread: sql`c.is_unread`,
    status: sql`case when c.done_at is not null then 'done'
                   when c.snoozed_until > ${now} then 'snoozed'
                   else 'open' end`,
    snoozedUntil: sql`case when c.snoozed_until > ${now} then api_time(c.snoozed_until) end`,
    assignee: sql`(select json_build_object('id', id, 'name', name) from users where id = c.assignee_id)`,
    tags: sql`coalesce((select tags from email_threads where account_id = c.account_id and id = c.email_thread_id),
                     (select tags from linkedin_conversations
                       where account_id = c.account_id and id = c.linkedin_conversation_id))`,
    draftIds: sql`case when c.has_drafts then ${draftIds(sql)} end`,
    needsApproval: sql`nullif(c.needs_approval, false)`,
    unconfirmedIds: sql`case when c.has_unconfirmed then ${unconfirmedIds(sql)} end`,
    url: sql`${getPublicUrl(config)}::text || '/inbox/' || case c.channel when 'linkedin' then 'linkedin/' else '' end
           || c.id`,
  })} as json`

const firstWords = (sql: Sql, text: string): Fragment => sql.unsafe(inOneLine(text, MAX_TEXT_LENGTH))

const lastEmail = (sql: Sql): Fragment => sql`
  (select json_strip_nulls(json_build_object(
            'id', m.id,
            'direction', case m.type when 'received' then 'in' else 'out' end,
            'type', m.type,
            'at', api_time(m.sent_at),
            'text', ${firstWords(sql, readEmailBeginning('m'))}))
     from email_messages m
    where m.account_id = c.account_id and m.id = c.last_message_id)`

const lastLinkedinMessage = (sql: Sql): Fragment => sql`
  (select json_strip_nulls(json_build_object(
            'id', m.id,
            'direction', case m.type when 'received' then 'in' else 'out' end,
            'type', m.type,
            'at', api_time(m.happened_at),
            'text', ${firstWords(sql, readBeginning('m.text'))}))
     from linkedin_messages m
    where m.account_id = c.account_id and m.id = c.last_message_id)`

const draftIds = (sql: Sql): Fragment => sql`
  (select json_agg(d.id order by d.at desc, d.id desc)
     from (select id, sent_at as at from email_messages
            where account_id = c.account_id and thread_id = c.email_thread_id and status = 'draft'
            union all
           select id, happened_at from linkedin_messages
            where account_id = c.account_id and conversation_record_id = c.linkedin_conversation_id and status = 'draft'
            order by at desc, id desc limit ${sql.unsafe(String(MAX_IDS))}) d)`

const unconfirmedIds = (sql: Sql): Fragment => sql`
  (select json_agg(u.id order by u.sent_at desc, u.id desc)
     from (select id, sent_at from email_messages
            where account_id = c.account_id and thread_id = c.email_thread_id and delivery_status = 'unconfirmed'
            order by sent_at desc, id desc limit ${sql.unsafe(String(MAX_IDS))}) u)`
