import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'

type Filters = Input<'getConversationCounts'>
type View = NonNullable<Input<'listConversations'>['view']>

/** Maximum number of messages and of people that a search by words finds. */
const MAX_FOUND = 1_000

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
 * Returns the conditions of the filters except `view`, `intent`, `repId` and `tag`. The subselects hide from the planner
 * values that most conversations may have. `findIds` selects an array of IDs by words.
 */
export function matchesFilters(sql: Sql, filters: Filters, findIds: (query: string) => Fragment): Fragment {
  const { channel, campaignId, personId, companyId, assigneeId, unassigned, unread, since, until, query } =
    filters
  return sql`
    ${channel ? sql`and c.channel = (select ${channel}::text)` : sql``}
    ${campaignId ? sql`and c.campaign_id = (select ${campaignId}::uuid)` : sql``}
    ${personId ? sql`and c.person_id = (select ${personId}::uuid)` : sql``}
    ${companyId ? sql`and c.person_id = any(array(select id from persons p where p.account_id = s.account_id and p.company_id = ${companyId}))` : sql``}
    ${assigneeId ? sql`and c.assignee_id = (select ${assigneeId}::uuid)` : sql``}
    ${unassigned ? sql`and c.assignee_id is null` : sql``}
    ${unread ? sql`and c.is_unread` : sql``}
    ${since ? sql`and c.last_message_at >= ${since}::timestamptz` : sql``}
    ${until ? sql`and c.last_message_at < ${until}::timestamptz` : sql``}
    ${query ? sql`and c.id = any(${findIds(query)})` : sql``}`
}

/** Returns an array of the IDs of conversations that contain the words, or whose person matches them. */
export const findByWords = (sql: Sql, query: string): Fragment => sql`
  array(
    select m.thread_id from email_messages m
     where m.account_id = s.account_id and m.id = any(array(select find_messages('email_messages', ${query}, ${MAX_FOUND})))
     union
    select m.conversation_record_id from linkedin_messages m
     where m.account_id = s.account_id
       and m.id = any(array(select find_messages('linkedin_messages', ${query}, ${MAX_FOUND})))
     union
    select v.id from conversations v
     where v.account_id = s.account_id and v.person_id = any(array(select find_by_words('persons', ${query}, ${MAX_FOUND}))))`
