import type { Input } from '../../../contract/index.ts'
import { type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type Filters = Input<'getConversationCounts'>
type View = NonNullable<Input<'listConversations'>['view']>

/** Words with more matches than this, among messages or among people, are common. */
const MAX_FOUND = 1_000
/** Common words are searched for in the last messages of this many conversations. */
const MAX_RECENT = 1_000
const MAX_MESSAGES = 20

export function isInView({ sql, app }: Context, view: View): Fragment {
  const isAwake = sql`and (c.snoozed_until is null or c.snoozed_until <= ${app.now()})`
  return {
    all: sql``,
    needs_reply: sql`and c.state = 'needs_reply' ${isAwake}`,
    waiting: sql`and c.state = 'waiting' ${isAwake}`,
    done: sql`and c.state = 'done'`,
    snoozed: sql`and c.snoozed_until > ${app.now()}`,
    drafts: sql`and c.has_drafts`,
    needs_approval: sql`and c.needs_approval`,
    unconfirmed: sql`and c.has_unconfirmed`,
  }[view]
}

/** Returns the condition that row `t` has the tag. */
export const isTagged = (sql: Sql, tag: string): Fragment => sql`
  t.tag_id = (select id from tags where account_id = s.account_id and name_key = lower(${tag.normalize()}))`

/**
 * Returns the conditions of the filters except `view`, `intent`, `repId`, `tag` and `query`. The subselects hide the
 * values from PostgreSQL's planner, which would scan by time for a value that most conversations have.
 */
export function matchesFilters(sql: Sql, filters: Filters): Fragment {
  const { channel, campaignId, personId, companyId, assigneeId, unassigned, unread, since, until } = filters
  return sql`
    ${channel ? sql`and c.channel = (select ${channel}::text)` : sql``}
    ${campaignId ? sql`and c.campaign_id = (select ${campaignId}::uuid)` : sql``}
    ${personId ? sql`and c.person_id = (select ${personId}::uuid)` : sql``}
    ${companyId ? sql`and c.person_id = any(array(select id from persons p where p.account_id = s.account_id and p.company_id = ${companyId}))` : sql``}
    ${assigneeId ? sql`and c.assignee_id = (select ${assigneeId}::uuid)` : sql``}
    ${unassigned ? sql`and c.assignee_id is null` : sql``}
    ${unread ? sql`and c.is_unread` : sql``}
    ${since ? sql`and c.last_message_at >= ${since}::timestamptz` : sql``}
    ${until ? sql`and c.last_message_at < ${until}::timestamptz` : sql``}`
}

/**
 * Selects `ids`, the IDs of the conversations that contain the words, or whose person matches them. Common words are
 * searched for in the newest conversations that match the other filters, because the index returns arbitrary matches.
 */
export function findByWords(ctx: Context, query: string, filters: Filters): Fragment {
  const { sql } = ctx
  const { intent, repId, tag } = filters
  const isRare = (ids: Fragment) => sql`cardinality(${ids}) <= ${MAX_FOUND}`
  return sql`
    select array(
             select m.thread_id from email_messages m
              where m.account_id = s.account_id and ${isRare(sql`given.emails`)} and m.id = any(given.emails)
              union
             select m.conversation_record_id from linkedin_messages m
              where m.account_id = s.account_id and ${isRare(sql`given.linkedin`)} and m.id = any(given.linkedin)
              union
             select v.id from conversations v
              where v.account_id = s.account_id and ${isRare(sql`given.persons`)} and v.person_id = any(given.persons)
              union
             select c.id
               from (select c.account_id, c.id, c.person_id
                       from conversations c
                      where c.account_id = s.account_id
                        and not (${isRare(sql`given.emails`)} and ${isRare(sql`given.linkedin`)} and ${isRare(sql`given.persons`)})
                        ${matchesFilters(sql, filters)}
                        ${intent ? sql`and c.intent = any(${intent})` : sql``}
                        ${repId ? sql`and c.rep_id = (select ${repId}::uuid)` : sql``}
                        ${tag ? sql`and c.id in (select t.id from conversation_tags t where t.account_id = s.account_id and ${isTagged(sql, tag)})` : sql``}
                        ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`c.rep_id`)}
                      order by c.last_message_at desc, c.id desc
                      limit ${MAX_RECENT}) c
              where ${hasWords(sql, query)}) as ids
      from (select array(select find_messages('email_messages', ${query}, ${MAX_FOUND + 1})) as emails,
                   array(select find_messages('linkedin_messages', ${query}, ${MAX_FOUND + 1})) as linkedin,
                   array(select find_by_words('persons', ${query}, ${MAX_FOUND + 1})) as persons
            offset 0) given`
}

/**
 * Returns the condition that the last messages or the person of conversation `c` contain the words. The limit makes
 * PostgreSQL's planner use the index of the conversation's messages.
 */
const hasWords = (sql: Sql, query: string): Fragment => sql`
  (exists (select from (select subject, new_text, body from email_messages
                         where account_id = c.account_id and thread_id = c.id and type <> 'campaign'
                         order by sent_at desc, id desc limit ${MAX_MESSAGES}) m
            where message_words(m.subject, coalesce(m.new_text, m.body)) @@ words_query(${query}))
   or exists (select from (select text from linkedin_messages
                            where account_id = c.account_id and conversation_record_id = c.id and type <> 'campaign'
                            order by happened_at desc, id desc limit ${MAX_MESSAGES}) m
               where message_words('', m.text) @@ words_query(${query}))
   or exists (select from (select search_text from persons where account_id = c.account_id and id = c.person_id limit 1) p
               where p.search_text like all ((select word_patterns(${query}))::text[])))`
