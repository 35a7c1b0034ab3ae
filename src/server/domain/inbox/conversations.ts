import type { Input, Output } from '../../../contract/index.ts'
import { getPermissionScope, type Role } from '../../../contract/permissions.ts'
import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import { type Fragment, pipeline } from '../../kernel/db/database.ts'
import { conflict, invalid, invalidAll } from '../../kernel/errors.ts'
import { findJson, Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit } from '../../kernel/page.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { markConversationRead, markConversationUnread } from '../messages/write-linkedin-messages.ts'
import { findByWords, isInView, isTagged, matchesFilters } from './conversation-filters.ts'
import { conversationJson } from './conversation-json.ts'

export const listConversations = (
  ctx: Context,
  input: Input<'listConversations'>,
): Promise<Json<Output<'listConversations'>>> =>
  listPage(ctx, 'listConversations', input, newestFirst => {
    const { sql, app } = ctx
    const { view = 'all', intent, repId, tag, query, updatedSince, order: direction } = newestFirst.filters
    const page = { ...newestFirst, isAscending: newestFirst.isAscending || direction === 'asc' }
    const viewsSortedByWaking = ['needs_reply', 'waiting', 'snoozed', 'done']
    const column = updatedSince
      ? 'updated_at'
      : viewsSortedByWaking.includes(view) && !tag
        ? 'sorted_at'
        : 'last_message_at'
    const timeColumn = sql.identifier(column)
    const isByOwnReps = authorize(ctx, 'Inbox.ReadInbox') === 'own'
    // The table whose index has the list's order.
    const sortedTable = tag ? 't' : 'c'
    const rep = sql.identifier(`${sortedTable}.rep_id`)
    // The subselects hide values from PostgreSQL's planner, which would scan by time when most conversations have them.
    const select = (condition: Fragment) => sql`
      select c.id, c.${timeColumn}
        from ${tag ? sql`conversation_tags t join conversations c on c.account_id = t.account_id and c.id = t.id` : sql`conversations c`}
       where ${sql.identifier(sortedTable)}.account_id = s.account_id
         ${tag ? sql`and ${isTagged(sql, tag)}` : sql``}
         ${isByOwnReps ? sql`and ${rep} = e.id` : repId ? sql`and ${rep} = (select ${repId}::uuid)` : sql``}
         ${isInView(ctx, view)} ${matchesFilters(sql, page.filters)} ${query ? sql`and c.id = any((select ids from words)::uuid[])` : sql``} ${condition}
         ${isUpdatedSince(sql, page, 'c.updated_at')}
         ${afterCursor(sql, page, `${sortedTable}.${column}`, `${sortedTable}.id`)}
         ${orderAndLimit(sql, page, `${sortedTable}.${column}`, `${sortedTable}.id`)}`
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
      ${query ? sql`with words as materialized (${findByWords(ctx, query, page.filters)})` : sql``}
      select c.id, api_time(c.${timeColumn}) as at, ${conversationJson(sql, app.config, app.now())}
        from (${isByOwnReps ? conversationsOfOwnReps : conversations}) found
        join conversations c on c.account_id = s.account_id and c.id = found.id
       ${order}`
  })

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

/** A function from a higher layer that changes tags; `handlers.ts` passes it in. */
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
  { conversationIds, addTags, removeTags, expectedLastMessageIds, ...input }: Input<'updateConversations'>,
  { assignTags, unassignTags }: { assignTags: TagConversation; unassignTags: TagConversation },
): Promise<Json<Output<'updateConversations'>>> {
  const { sql, app, accountId } = ctx
  // Marking a conversation as done also marks it as read.
  const changes = { ...input, isUnread: input.isUnread ?? (input.status === 'done' ? false : undefined) }
  const ids = [...new Set(conversationIds)]
  const conversations = await findConversations(ctx, conversationIds)
  checkSnooze(ctx, changes.snoozedUntil)
  if (changes.assigneeId) await checkAssignee(ctx, changes.assigneeId, conversations)
  // Locks threads before conversations, as writers of messages do.
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
  if (expectedLastMessageIds) await requireNoNewReply(ctx, ids, expectedLastMessageIds)
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

type FoundConversation = { id: string; channel: 'email' | 'linkedin'; repId: string | null }

/** Returns the conversations in a fixed order, so that requests can't deadlock. */
async function findConversations(ctx: Context, given: readonly string[]): Promise<FoundConversation[]> {
  const found = await ctx.sql<FoundConversation[]>`
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

/** Throws Conflict when the last message of a conversation is a reply that the caller has not seen. */
async function requireNoNewReply(
  { sql, accountId }: Context,
  ids: readonly string[],
  seenIds: readonly string[],
): Promise<void> {
  const locked = await sql<{ hasNewReply: boolean }[]>`
    select last_message_id = last_received_id and last_message_id <> all(${[...seenIds]}::uuid[]) as "hasNewReply"
      from conversations
     where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
     order by id
       for update`
  if (locked.some(({ hasNewReply }) => hasNewReply))
    throw conflict(
      'A new reply has arrived. Read it before you change the conversation. Nothing was changed.',
    )
}

function checkSnooze({ app }: Context, until: string | undefined): void {
  if (until && new Date(until) <= app.now()) throw invalid('snoozedUntil', 'must be in the future')
}

/** Requires that the assignee is a member who can read the conversations. */
async function checkAssignee(
  { sql, accountId }: Context,
  assigneeId: string,
  conversations: readonly FoundConversation[],
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
    'must be a member who can read these conversations: this member can read only those of their own reps. Nothing was changed',
  )
}

type Changes = Pick<Input<'updateConversations'>, 'status' | 'snoozedUntil' | 'assigneeId' | 'isUnread'>

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
