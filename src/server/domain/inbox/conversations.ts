import type { Input, Output } from '../../../contract/index.ts'
import { getPermissionScope, type Role } from '../../../contract/permissions.ts'
import { authorize, type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import { type Fragment, pipeline, type Sql } from '../../kernel/db/database.ts'
import { invalid, invalidAll } from '../../kernel/errors.ts'
import { findJson, Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit, type Page } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { markConversationRead, markConversationUnread } from '../messages/write-linkedin-messages.ts'
import { conversationJson } from './conversation-json.ts'

type Filters = Omit<Input<'listConversations'>, 'limit' | 'cursor'>
type View = NonNullable<Filters['view']>

/** Words are searched in this many messages and persons. */
const MAX_FOUND = 1_000
/** Counting stops here; clients show `10,000+`. */
const MAX_COUNT = 10_000

export const listConversations = (
  ctx: Context,
  input: Input<'listConversations'>,
): Promise<Json<Output<'listConversations'>>> =>
  listPage(ctx, 'listConversations', input, page => {
    const { sql, app } = ctx
    const { view = 'all', intent, repId, tag, updatedSince } = page.filters
    const sortedByWaking = ['needs_reply', 'waiting', 'snoozed', 'done']
    const column = updatedSince
      ? 'updated_at'
      : sortedByWaking.includes(view) && !tag
        ? 'sorted_at'
        : 'last_message_at'
    const at = sql.identifier(column)
    const isByOwnReps = authorize(ctx, 'Inbox.ReadInbox') === 'own'
    // The table whose index has the list's order.
    const sorted = tag ? 't' : 'c'
    const rep = sql.identifier(`${sorted}.rep_id`)
    // The subselects hide values from the planner, which would scan by time when most of the conversations have them.
    const select = (condition: Fragment) => sql`
      select c.id, c.${at}
        from ${tag ? sql`conversation_tags t join conversations c on c.account_id = t.account_id and c.id = t.id` : sql`conversations c`}
       where ${sql.identifier(sorted)}.account_id = s.account_id
         ${tag ? sql`and t.tag_id = (select id from tags where account_id = s.account_id and name_key = lower(${tag.normalize()}))` : sql``}
         ${isByOwnReps ? sql`and ${rep} = e.id` : repId ? sql`and ${rep} = (select ${repId}::uuid)` : sql``}
         ${isInView(ctx, view)} ${matchesFilters(ctx, page)} ${condition}
         ${isUpdatedSince(sql, page, 'c.updated_at')}
         ${afterCursor(sql, page, `${sorted}.${column}`, `${sorted}.id`)}
         ${orderAndLimit(sql, page, `${sorted}.${column}`, `${sorted}.id`)}`
    const order = orderAndLimit(sql, page, `c.${column}`, 'c.id')
    // One index range for each intent.
    const ranges = (intent ?? []).map(
      one => sql`(${select(sql.unsafe(`and c.intent = '${one}'`) as unknown as Fragment)})`,
    )
    const conversations =
      ranges.length > 0
        ? sql`select c.* from (${ranges.reduce((all, next) => sql`${all} union all ${next}`)}) c ${order}`
        : select(sql``)
    // Members read the index range of each of their own reps.
    const conversationsOfOwnReps = sql`
      select c.*
        from reps e
       cross join lateral (${conversations}) c
       where e.account_id = s.account_id and e.owned_by_id = ${ctx.userId} ${repId ? sql`and e.id = ${repId}` : sql``}
       ${order}`
    return sql`
      select c.id, api_time(c.${at}) as at, ${conversationJson(sql, app.config, app.now())}
        from (${isByOwnReps ? conversationsOfOwnReps : conversations}) found
        join conversations c on c.account_id = s.account_id and c.id = found.id
       ${order}`
  })

function isInView({ sql, app }: Context, view: View): Fragment {
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

/** Returns the conditions of the filters. The subselects hide values that most of the conversations may have. */
function matchesFilters({ sql }: Context, { filters }: Page<Filters>): Fragment {
  const { channel, campaignId, personId, companyId, assigneeId, unread, since, until, query } = filters
  return sql`
    ${channel ? sql`and c.channel = (select ${channel}::text)` : sql``}
    ${campaignId ? sql`and c.campaign_id = (select ${campaignId}::uuid)` : sql``}
    ${personId ? sql`and c.person_id = (select ${personId}::uuid)` : sql``}
    ${companyId ? sql`and c.person_id = any(array(select id from persons p where p.account_id = s.account_id and p.company_id = ${companyId}))` : sql``}
    ${assigneeId ? sql`and c.assignee_id = (select ${assigneeId}::uuid)` : sql``}
    ${unread ? sql`and c.is_unread` : sql``}
    ${since ? sql`and c.last_message_at >= ${since}::timestamptz` : sql``}
    ${until ? sql`and c.last_message_at < ${until}::timestamptz` : sql``}
    ${query ? sql`and c.id = any(${findByWords(sql, query)})` : sql``}`
}

/** Returns an array of the ids of conversations that contain the words, or whose person does. */
const findByWords = (sql: Sql, query: string): Fragment => sql`
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

export const getConversation = (
  ctx: Context,
  { conversationId }: Input<'getConversation'>,
): Promise<Json<Output<'getConversation'>>> =>
  findJson(
    ctx,
    'conversation',
    ctx.sql`
      select ${conversationJson(ctx.sql, ctx.app.config, ctx.app.now())}
        from conversations c
       where c.account_id = s.account_id and c.id = ${conversationId}
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`c.rep_id`)}`,
  )

export async function getConversationCounts(ctx: Context): Promise<Output<'getConversationCounts'>> {
  const { sql, userId } = ctx
  const count = (condition: Fragment) => sql`
    (select count(*)::integer
       from (select from conversations c
              where c.account_id = s.account_id ${condition} ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`c.rep_id`)}
              limit ${MAX_COUNT}) counted)`
  const countView = (view: View) => count(isInView(ctx, view))
  const [counts] = await sql<Output<'getConversationCounts'>[]>`
    select counts.*
      from ${withAccount(ctx)}
     cross join lateral (
            select ${countView('all')} as "all", ${countView('needs_reply')} as "needsReply",
                   ${countView('waiting')} as waiting, ${countView('drafts')} as drafts,
                   ${countView('needs_approval')} as "needsApproval",
                   ${countView('unconfirmed')} as unconfirmed, ${countView('snoozed')} as snoozed,
                   ${countView('done')} as done, ${count(sql`and c.is_unread`)} as unread,
                   ${count(sql`and c.assignee_id = ${userId} ${isInView(ctx, 'needs_reply')}`)} as "assignedToMe") counts`
  return counts!
}

/** Changes tags, which modules above this one implement; `handlers.ts` passes them in. */
type TagConversation = (
  ctx: Context,
  input: {
    entityType: 'email_thread' | 'linkedin_conversation'
    entityId: string
    tags: string[]
  },
) => Promise<unknown>

export async function updateConversations(
  ctx: Context,
  { conversationIds, addTags, removeTags, ...input }: Input<'updateConversations'>,
  { assignTags, unassignTags }: { assignTags: TagConversation; unassignTags: TagConversation },
): Promise<Json<Output<'updateConversations'>>> {
  const { sql, app, accountId } = ctx
  // Marking as done marks as read.
  const changes = { ...input, isUnread: input.isUnread ?? (input.status === 'done' ? false : undefined) }
  const ids = [...new Set(conversationIds)]
  const conversations = await findConversations(ctx, conversationIds)
  checkSnooze(ctx, changes.snoozedUntil)
  if (changes.assigneeId) await checkAssignee(ctx, changes.assigneeId, conversations)
  // Writers of messages lock threads before conversations, and so do these.
  for (const { id, channel } of conversations) {
    const entity = {
      entityType: channel === 'email' ? ('email_thread' as const) : ('linkedin_conversation' as const),
      entityId: id,
    }
    if (addTags) await assignTags(ctx, { ...entity, tags: addTags })
    if (removeTags) await unassignTags(ctx, { ...entity, tags: removeTags })
    if (channel === 'linkedin' && changes.isUnread !== undefined)
      await (changes.isUnread ? markConversationUnread : markConversationRead)(sql, id)
  }
  await pipeline(
    changeConversations(ctx, ids, changes),
    ...ids.map(id => audit(ctx, 'update', 'conversation', id)),
  )
  const rows = await sql<{ json: string }[]>`
    select ${conversationJson(sql, app.config, app.now())}
      from unnest(${ids}::uuid[]) with ordinality given(id, position)
      join conversations c on c.account_id = ${accountId} and c.id = given.id
     order by given.position`
  return new Json(`{"conversations":[${rows.map(({ json }) => json).join(',')}]}`)
}

type Found = { id: string; channel: 'email' | 'linkedin'; repId: string | null }

/** Returns the conversations in a fixed order, so that requests can't deadlock. */
async function findConversations(ctx: Context, given: readonly string[]): Promise<Found[]> {
  const found = await ctx.sql<Found[]>`
    select id, channel, rep_id as "repId"
      from conversations c
     where account_id = ${ctx.accountId} and id = any(${[...given]}::uuid[])
       and ${isInScope(ctx, 'Inbox.SendMessage', ctx.sql`c.rep_id`)}
     order by id`
  const known = new Set(found.map(({ id }) => id))
  const errors = given.flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          {
            path: `conversationIds.${index}`,
            message: 'must be the ID of a conversation that you can change',
          },
        ],
  )
  if (errors.length > 0) throw invalidAll(errors)
  return found
}

function checkSnooze({ app }: Context, until: string | undefined): void {
  if (until && new Date(until) <= app.now()) throw invalid('snoozedUntil', 'must be in the future')
}

/** Requires that the assignee is a member who can read the conversations. */
async function checkAssignee(
  { sql, accountId }: Context,
  assigneeId: string,
  conversations: readonly Found[],
): Promise<void> {
  const [member] = await sql<{ role: Role; repIds: string[] }[]>`
    select role, array(select id from reps where account_id = m.account_id and owned_by_id = m.user_id) as "repIds"
      from members m
     where account_id = ${accountId} and user_id = ${assigneeId}`
  if (!member) throw invalid('assigneeId', 'must be the ID of a member of this account')
  if (getPermissionScope(member.role, 'Inbox.ReadInbox') === 'all') return
  if (conversations.every(({ repId }) => repId && member.repIds.includes(repId))) return
  throw invalid(
    'assigneeId',
    'must be a member who can read these conversations: this one reads those of their own reps',
  )
}

type Changes = Omit<Input<'updateConversations'>, 'conversationIds' | 'addTags' | 'removeTags'>

function changeConversations(
  { sql, app, accountId }: Context,
  ids: readonly string[],
  { status, snoozedUntil, assigneeId, isUnread }: Changes,
) {
  const isDecided = status !== undefined || snoozedUntil !== undefined
  return sql`
    update conversations c
       set ${
         isDecided
           ? sql`done_at = ${status === 'done' ? app.now() : null}, snoozed_until = ${snoozedUntil ?? null},
                 decided_at = ${app.now()},`
           : sql``
       }
           ${assigneeId === undefined ? sql`` : sql`assignee_id = ${assigneeId},`}
           ${isUnread === undefined ? sql`` : sql`is_unread = ${isUnread},`}
           updated_at = now()
      from (select id from conversations
             where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
             order by id
               for update) locked
     where c.account_id = ${accountId} and c.id = locked.id`
}
