import type { Input, Output } from '../../../contract/index.ts'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { requireKnownIds } from '../../kernel/id-filters.ts'
import { findByWords, isInView, isTagged, matchesFilters } from './conversation-filters.ts'

/** Counting stops here; clients show `10,000+`. */
const MAX_COUNT = 10_000

export async function getConversationCounts(
  ctx: Context,
  filters: Input<'getConversationCounts'>,
): Promise<Output<'getConversationCounts'>> {
  const { sql, userId } = ctx
  const { intent, repId, tag, query } = filters
  const isCounted = sql`
    ${matchesFilters(sql, filters)}
    ${query ? sql`and c.id = any(found.ids)` : sql``}
    ${intent ? sql`and c.intent in (${toLiterals(sql, intent)})` : sql``}
    ${repId ? sql`and c.rep_id = (select ${repId}::uuid)` : sql``}
    ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`c.rep_id`)}`
  const count = (condition: Fragment) => sql`
    (select count(*)::integer
       from (select from ${tag ? sql`tagged` : sql`conversations`} c
              where c.account_id = s.account_id ${condition} ${isCounted}
              limit ${MAX_COUNT}) counted)`
  const inView = (view: Parameters<typeof isInView>[1]) => count(isInView(ctx, view))
  const [counts] = await sql<Output<'getConversationCounts'>[]>`
    select counts.*
      from ${withAccount(ctx)}
     ${query ? sql`cross join lateral (${findByWords(ctx, query, filters)} offset 0) found` : sql``}
     cross join lateral (
            ${tag ? withTagged(ctx, tag) : sql``}
            select ${inView('all')} as "all", ${inView('needs_reply')} as "needsReply",
                   ${inView('waiting')} as waiting, ${inView('drafts')} as drafts,
                   ${inView('needs_approval')} as "needsApproval",
                   ${inView('unconfirmed')} as unconfirmed, ${inView('snoozed')} as snoozed,
                   ${inView('done')} as done, ${count(sql`and c.is_unread`)} as unread,
                   ${count(sql`and c.assignee_id = ${userId} ${isInView(ctx, 'needs_reply')}`)} as "assignedToMe") counts`
  if (counts!.all === 0) await requireKnownIds(ctx, filters)
  return counts!
}

/** Returns the intents as literals, so that PostgreSQL's planner knows how many conversations have them. */
const toLiterals = (sql: Sql, intents: readonly ReplyIntent[]): Fragment =>
  sql.unsafe(intents.map(intent => `'${intent}'`).join(', ')) as unknown as Fragment

/**
 * Returns a CTE with the conversations that have a tag, each looked up once for all counts; `offset 0` keeps
 * PostgreSQL's planner from reading all other conversations.
 */
const withTagged = (ctx: Context, tag: string): Fragment => ctx.sql`
  with tagged as materialized (
    select c.*
      from conversation_tags t
     cross join lateral (
           select account_id, person_id, campaign_id, rep_id, id, channel, intent, state, snoozed_until, assignee_id,
                  last_message_at, has_drafts, needs_approval, has_unconfirmed, is_unread
             from conversations where account_id = t.account_id and id = t.id offset 0) c
     where t.account_id = s.account_id and ${isTagged(ctx.sql, tag)}
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`t.rep_id`)}
     order by t.last_message_at desc, t.id desc
     limit ${MAX_COUNT})`
