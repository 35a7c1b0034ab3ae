import { messageTypes } from '../../../contract/inbox.ts'
import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type JsonFields, jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { isUpdatedSince, listPage } from '../../kernel/page.ts'
import { replyJson } from '../reply-agent/reply-json.ts'
import { linkedinDraftFields } from './draft-objections.ts'
import { selectMessagePage, toKindConditions } from './message-page.ts'

/** Builds the API's JSON for message `m`, which starts with the `more` fields. */
export const linkedinMessageJson = (sql: Sql, more: JsonFields = {}): Fragment => sql`
  ${jsonObject({
    ...more,
    id: uuid('m.id'),
    objectType: 'linkedin_message',
    createdAt: timestamp('m.created_at'),
    updatedAt: timestamp('m.updated_at'),
    text: sql`m.text`,
    type: sql`m.type`,
    status: sql`m.status`,
    conversationId: sql`m.conversation_id`,
    prospectId: uuid('m.prospect_id'),
    repId: uuid('m.rep_id'),
    happenedAt: timestamp('m.happened_at'),
    campaignId: uuid('m.campaign_id'),
    tags: sql`m.tags`,
    linkedinConversationId: uuid('m.conversation_record_id'),
    personName: sql`(
      select nullif(concat_ws(' ', p.first_name, p.last_name), '')
        from (select account_id, person_id from linkedin_conversations
               where account_id = m.account_id and id = m.conversation_record_id limit 1) v
       cross join lateral (select first_name, last_name from persons
                            where account_id = v.account_id and id = v.person_id limit 1) p)`,
    isUnread: sql`nullif(m.is_unread, false)`,
    taskId: sql`case when m.status = 'draft' then (
      select t.id from tasks t
       where t.account_id = m.account_id and t.linkedin_message_id = m.id and t.status = 'open') end`,
    approvalRequest: sql`jsonb_strip_nulls(m.approval_request)`,
    reply: replyJson(sql, 'linkedin'),
  })} as json`

export const listLinkedinMessages = (
  ctx: Context,
  input: Input<'listLinkedinMessages'>,
): Promise<Json<Output<'listLinkedinMessages'>>> =>
  listPage(ctx, 'listLinkedinMessages', withStatus(input), page => {
    const { sql } = ctx
    const { prospectId, campaignId, updatedSince } = page.filters
    return selectMessagePage(ctx, page, {
      table: 'linkedin_messages',
      tagTable: 'linkedin_message_tags',
      timeColumn: updatedSince ? 'updated_at' : 'happened_at',
      json: linkedinMessageJson(sql),
      where: sql`
        ${prospectId ? sql`and m.prospect_id = ${prospectId}` : sql``}
        ${campaignId ? sql`and m.campaign_id = ${campaignId}` : sql``}
        ${isUpdatedSince(sql, page, 'm.updated_at')}`,
      isNarrow: prospectId !== undefined,
      kindConditions: updatedSince ? [] : getKindConditions(ctx, page.filters),
    })
  })

/** Returns a message without checking permissions; the caller must have checked them. */
export const getLinkedinMessage = <T>(ctx: Context, id: string): Promise<Json<T>> =>
  findJson(
    ctx,
    'LinkedIn message',
    ctx.sql`
      select ${linkedinMessageJson(ctx.sql, linkedinDraftFields(ctx.sql))}
        from linkedin_messages m
       where m.account_id = s.account_id and m.id = ${id}`,
  )

type Filters = Omit<Input<'listLinkedinMessages'>, 'limit' | 'cursor'>

/**
 * Returns conditions on the kind of message. Not used with `updatedSince`, so `status` is always set; every index
 * includes it.
 */
function getKindConditions(
  ctx: Context,
  { status, type, unread, prospectId, campaignId, repId, tag }: Filters,
): Fragment[] {
  const { sql } = ctx
  const isAccountWide = !campaignId && !repId && !tag && authorize(ctx, 'Inbox.ReadInbox') === 'all'
  if ((!type && !unread) || isAccountWide || (prospectId && !tag)) {
    return [
      sql`and m.status = ${status!}
          ${type ? sql`and m.type = ${type}` : sql``}
          ${unread ? sql`and m.is_unread` : sql``}`,
    ]
  }
  const names = (type ? [type] : messageTypes).flatMap(each =>
    unread ? [`${each} ${status} unread`] : [`${each} ${status}`, `${each} ${status} unread`],
  )
  return tag && (campaignId || prospectId)
    ? [sql`and m.status = ${status!} and m.kind = any(${names})`]
    : toKindConditions(sql, names)
}

/** Adds the default status, unless a cursor includes one or `updatedSince` selects changes to all messages. */
const withStatus = (input: Input<'listLinkedinMessages'>): Input<'listLinkedinMessages'> =>
  input.cursor === undefined && input.updatedSince === undefined
    ? { ...input, status: input.status ?? 'sent' }
    : input
