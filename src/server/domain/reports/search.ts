import type { Input, Output } from '../../../contract/index.ts'
import { getPermissionScope } from '../../../contract/permissions.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { inOneLine, readBeginning, readEmailBeginning } from '../../kernel/text/first-words.ts'

type Results = Output<'search'>

/** The number of results of each kind. */
const MAX_RESULTS = 5
/** Words shared by at least this many of the newest people are common: only the newest people are searched for them. */
const MIN_NEWEST = 10
/** The best people with rarer words, and the best companies, are chosen from this many matches. */
const MAX_FOUND = 1_000
/**
 * Words that occur in more messages than this are searched for in the newest messages only, which contain enough
 * matches.
 */
const MAX_MESSAGES = 3_000
const MAX_RECENT = 1_000
const MAX_AGE = '24 months'
const MAX_TEXT_LENGTH = 200

/**
 * Finds up to five each of people, companies, campaigns and conversations: the best matches among people and companies,
 * the newest campaigns (archived ones last) and the newest conversations.
 */
export async function search(ctx: Context, { query }: Input<'search'>): Promise<Results> {
  const mayReadInbox = getPermissionScope(ctx.role, 'Inbox.ReadInbox') !== null
  const [persons, companies, campaigns, emails, linkedinMessages] = await Promise.all([
    read<Results['persons']>(ctx, selectPersons(ctx, query)),
    read<Results['companies']>(ctx, selectCompanies(ctx, query)),
    read<Results['campaigns']>(ctx, selectCampaigns(ctx, query)),
    mayReadInbox ? read<Results['conversations']>(ctx, selectEmailThreads(ctx, query)) : [],
    mayReadInbox ? read<Results['conversations']>(ctx, selectLinkedinConversations(ctx, query)) : [],
  ])
  const conversations = [...emails, ...linkedinMessages]
    .sort((a, b) => b.at.localeCompare(a.at))
    .slice(0, MAX_RESULTS)
  return { persons, companies, campaigns, conversations }
}

/** Returns the objects that `select` finds. `select` returns a column `json` and reads the account from `s`. */
async function read<T extends object[]>(ctx: Context, select: Fragment): Promise<T> {
  const rows = await ctx.sql<{ json: object }[]>`
    select json_strip_nulls(found.json) as json from ${withAccount(ctx)} cross join lateral (${select}) found`
  return rows.map(({ json }) => json) as T
}

/**
 * Orders results: those with words that begin like those of the query come first, then the most similar, then the
 * newest.
 */
const bestFirst = ({ sql }: Context, query: string, alias: string): Fragment => {
  const text = sql.identifier(`${alias}.search_text`)
  return sql`
    order by ${text} like all (array(select '% ' || word || '%'
                                       from string_to_table(btrim(search_key(${query})), ' ') word)) desc,
             similarity(${text}, search_key(${query})) desc,
             ${sql.identifier(`${alias}.created_at`)} desc, ${sql.identifier(`${alias}.id`)} desc
     limit ${MAX_RESULTS}`
}

const selectPersons = (ctx: Context, query: string): Fragment => ctx.sql`
  select json_build_object(
           'id', p.id,
           'name', nullif(concat_ws(' ', p.first_name, p.last_name), ''),
           'email', p.email,
           'company', (select name from companies where account_id = p.account_id and id = p.company_id),
           'prospects', (select json_agg(json_build_object('id', r.id, 'campaign', r.campaign, 'status', r.status)
                                           order by r.created_at desc)
                           from (select r.id, c.name as campaign, r.status, r.created_at
                                   from prospects r
                                   join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
                                  where r.account_id = p.account_id and r.person_id = p.id
                                  order by r.created_at desc limit ${MAX_RESULTS}) r)) as json
    from persons p
   where p.account_id = s.account_id
     and p.id = any((select coalesce(find_newest_by_words(${query}, ${MIN_NEWEST}),
                                     array(select find_by_words('persons', ${query}, ${MAX_FOUND}))))::uuid[])
   ${bestFirst(ctx, query, 'p')}`

const selectCompanies = (ctx: Context, query: string): Fragment => ctx.sql`
  select json_build_object('id', o.id, 'name', o.name, 'domain', o.domain) as json
    from companies o
   where o.account_id = s.account_id and o.id = any(array(select find_by_words('companies', ${query}, ${MAX_FOUND})))
   ${bestFirst(ctx, query, 'o')}`

/** Selects campaigns by name. There are few, so their names need no index. */
const selectCampaigns = (ctx: Context, query: string): Fragment => ctx.sql`
  select json_build_object('id', c.id, 'name', c.name, 'status', c.status,
                           'url', ${getPublicUrl(ctx.app.config)}::text || '/campaigns/' || c.id) as json
    from campaigns c
   where c.account_id = s.account_id and search_key(c.name) like all ((select word_patterns(${query}))::text[])
   order by c.is_archived, c.created_at desc, c.id desc
   limit ${MAX_RESULTS}`

const selectEmailThreads = (ctx: Context, query: string): Fragment => {
  const { sql } = ctx
  const found = findMessages(ctx, query, {
    table: 'email_messages',
    timeColumn: 'sent_at',
    words: sql`message_words(m.subject, coalesce(m.new_text, m.body))`,
    conversationColumn: 'thread_id',
  })
  return sql`
    select json_build_object(
             'emailThreadId', m.thread_id, 'messageId', m.id, 'at', api_time(m.sent_at), 'subject', m.subject,
             'text', ${sql.unsafe(inOneLine(readEmailBeginning('m'), MAX_TEXT_LENGTH))}, 'prospectId', m.prospect_id,
             'url', ${getPublicUrl(ctx.app.config)}::text || '/inbox/' || m.thread_id) as json
      from (${found}) found
      join email_messages m on m.account_id = s.account_id and m.id = found.id
     order by m.sent_at desc, m.id desc`
}

const selectLinkedinConversations = (ctx: Context, query: string): Fragment => {
  const { sql } = ctx
  const found = findMessages(ctx, query, {
    table: 'linkedin_messages',
    timeColumn: 'happened_at',
    words: sql`message_words('', m.text)`,
    conversationColumn: 'conversation_record_id',
  })
  return sql`
    select json_build_object(
             'linkedinConversationId', m.conversation_record_id, 'messageId', m.id, 'at', api_time(m.happened_at),
             'text', ${sql.unsafe(inOneLine(readBeginning('m.text'), MAX_TEXT_LENGTH))}, 'prospectId', m.prospect_id,
             'url', ${getPublicUrl(ctx.app.config)}::text || '/inbox/linkedin/' || m.conversation_record_id) as json
      from (${found}) found
      join linkedin_messages m on m.account_id = s.account_id and m.id = found.id
     order by m.happened_at desc, m.id desc`
}

type Messages = {
  table: 'email_messages' | 'linkedin_messages'
  timeColumn: 'sent_at' | 'happened_at'
  words: Fragment
  conversationColumn: 'thread_id' | 'conversation_record_id'
}

/**
 * Selects the ID of the newest matching message of each of the five newest conversations. Rare words are looked up in
 * the index. The index returns matches in no order, so common words are searched for in the newest messages
 * instead.
 */
const findMessages = (
  ctx: Context,
  query: string,
  { table, timeColumn, words, conversationColumn }: Messages,
): Fragment => {
  const { sql } = ctx
  const sentAt = sql.identifier(`m.${timeColumn}`)
  const conversation = sql.identifier(`m.${conversationColumn}`)
  const messages = sql`
    ${sql.identifier(table)} m
    where m.account_id = s.account_id and m.status = 'sent' and m.type <> 'campaign'
      and ${sentAt} > ${ctx.app.now()}::timestamptz - interval '${sql.unsafe(MAX_AGE)}'
      ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`m.rep_id`)}`
  return sql`
    select m.id
      from (select distinct on (${conversation}) m.*
              from (select array(select find_messages(${table}, ${query}, ${MAX_MESSAGES + 1})) as ids) given
             cross join lateral (
                    select m.id, ${sentAt}, ${conversation}
                      from ${messages} and cardinality(given.ids) <= ${MAX_MESSAGES} and m.id = any(given.ids)
                    union all
                    select m.id, ${sentAt}, ${conversation}
                      from (select m.* from ${messages} and cardinality(given.ids) > ${MAX_MESSAGES}
                             order by ${sentAt} desc limit ${MAX_RECENT}) m
                     where ${words} @@ words_query(${query})) m
             order by ${conversation}, ${sentAt} desc, m.id desc) m
     order by ${sentAt} desc, m.id desc
     limit ${MAX_RESULTS}`
}
