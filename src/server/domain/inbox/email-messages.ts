import { messageStatuses, messageTypes } from '../../../contract/inbox.ts'
import type { Input, Output } from '../../../contract/index.ts'
import { authorize, type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { type JsonFields, jsonb, jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { afterCursor, isUpdatedSince, listPage, orderAndLimit, type Page } from '../../kernel/page.ts'
import { replyJson } from '../reply-agent/reply-json.ts'
import { emailDraftFields, isOutdatedField } from './draft-objections.ts'
import { selectMessagePage, toKindConditions } from './message-page.ts'

/** Number of characters of a message's HTML that are searched for images. */
const IMAGE_SEARCH_LENGTH = 100_000

/** Builds the API's JSON of message `m`, which starts with the `more` fields. */
export const emailMessageJson = (sql: Sql, more: JsonFields = {}): Fragment => sql`
  ${jsonObject({
    ...more,
    id: uuid('m.id'),
    objectType: 'email_message',
    createdAt: timestamp('m.created_at'),
    updatedAt: timestamp('m.updated_at'),
    emailThreadId: uuid('m.thread_id'),
    subject: sql`m.subject`,
    body: sql`m.body`,
    from: jsonb('m.sender'),
    replyTo: sql`m.reply_to`,
    type: sql`m.type`,
    status: sql`m.status`,
    prospectId: uuid('m.prospect_id'),
    repId: uuid('m.rep_id'),
    recipients: jsonb('m.recipients'),
    sentAt: timestamp('m.sent_at'),
    sendAt: sql`case when m.delivery_status = 'queued' then (
      select api_time(e.due_at)
        from email_sends e
       where e.account_id = m.account_id and e.message_id = m.id and e.state = 'queued') end`,
    campaignId: uuid('m.campaign_id'),
    tags: sql`m.tags`,
    deliveryStatus: sql`m.delivery_status`,
    deliveryReason: sql`m.delivery_reason`,
    approvalRequest: sql`jsonb_strip_nulls(m.approval_request)`,
    receivedKind: sql`m.received_kind`,
    newText: sql`m.new_text`,
    hasHtml: sql`case when m.html is not null or m.body_format = 'html' then true end`,
    hasRemoteImages: sql`case when strpos(left(case when m.body_format = 'html' then m.body else m.html end, ${IMAGE_SEARCH_LENGTH}), ' src="http') > 0 then true end`,
    reply: replyJson(sql, 'email'),
    attachments: jsonb('m.attachments'),
  })} as json`

type Filters = Omit<Input<'listEmailMessages'>, 'limit' | 'cursor'>

export const listEmailMessages = (
  ctx: Context,
  input: Input<'listEmailMessages'>,
): Promise<Json<Output<'listEmailMessages'>>> =>
  listPage(ctx, 'listEmailMessages', input, page => {
    const { sql } = ctx
    const { emailThreadId, campaignId, prospectId, deliveryStatus, updatedSince } = page.filters
    if (deliveryStatus) return selectUnconfirmedPage(ctx, page)
    return selectMessagePage(ctx, page, {
      table: 'email_messages',
      tagTable: 'email_message_tags',
      timeColumn: updatedSince ? 'updated_at' : 'sent_at',
      json: emailMessageJson(sql, page.filters.status === 'draft' ? isOutdatedField(sql) : {}),
      where: sql`
        ${emailThreadId ? sql`and m.thread_id = ${emailThreadId}` : sql``}
        ${prospectId ? sql`and m.prospect_id = ${prospectId}` : sql``}
        ${campaignId ? sql`and m.campaign_id = ${campaignId}` : sql``}
        ${isUpdatedSince(sql, page, 'm.updated_at')}`,
      isNarrow: isNarrow(page.filters),
      kindConditions: getKindConditions(ctx, page.filters),
    })
  })

/**
 * Selects a page of unconfirmed messages. They are few and have an index of their own, so the other filters need none.
 */
function selectUnconfirmedPage(ctx: Context, page: Page<Filters>): Fragment {
  const { sql } = ctx
  const { emailThreadId, campaignId, prospectId, repId, status, type, tag } = page.filters
  return sql`
    select m.id, api_time(m.sent_at) as at, ${emailMessageJson(sql)}
      from email_messages m
     where m.account_id = s.account_id and m.delivery_status = 'unconfirmed'
       ${emailThreadId ? sql`and m.thread_id = ${emailThreadId}` : sql``}
       ${campaignId ? sql`and m.campaign_id = ${campaignId}` : sql``}
       ${prospectId ? sql`and m.prospect_id = ${prospectId}` : sql``}
       ${repId ? sql`and m.rep_id = ${repId}` : sql``}
       ${status ? sql`and m.status = ${status}` : sql``}
       ${type ? sql`and m.type = ${type}` : sql``}
       ${page.filters.onlyLastMessagePerThread ? sql`and m.is_last` : sql``}
       ${tag ? sql`and m.tags && array(select g.name from tags g where g.account_id = s.account_id and g.name_key = lower(${tag.normalize()}))` : sql``}
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`m.rep_id`)}
       ${afterCursor(sql, page, 'm.sent_at', 'm.id')}
       ${orderAndLimit(sql, page, 'm.sent_at', 'm.id')}`
}

/** Returns conditions on the kind of message. Each thread has both a last sent message and a last draft. */
function getKindConditions(ctx: Context, filters: Filters): Fragment[] {
  const { sql } = ctx
  const { type, campaignId, repId, tag, onlyLastMessagePerThread: isLast } = filters
  const status = isLast ? (filters.status ?? 'sent') : filters.status
  const isAccountWide = !campaignId && !repId && !tag && authorize(ctx, 'Inbox.ReadInbox') === 'all'
  if (!type && !status) return []
  // A filter by type alone or status alone has an index, which costs less than merging ranges. The subselects hide the
  // values from PostgreSQL's planner: for a value that most messages have, the planner would scan the index by time
  // instead, past all messages with other values.
  if (isAccountWide && !(type && status)) {
    return [
      sql`${type ? sql`and m.type = (select ${type}::text)` : sql``}
          ${status ? sql`and m.status = (select ${status}::text)` : sql``}
          ${isLast ? sql`and m.is_last` : sql``}`,
    ]
  }
  const names = kinds
    .filter(kind => (!status || kind.status === status) && (!type || kind.type === type))
    .filter(kind => !isLast || kind.isLast)
    .map(kind => kind.name)
  // Separate ranges would not help: there are few messages, or no index covers tag, campaign and kind.
  return isNarrow(filters) || (tag && campaignId)
    ? [sql`and m.kind = any(${names})`]
    : toKindConditions(sql, names)
}

const isNarrow = ({ emailThreadId, prospectId }: Filters): boolean => Boolean(emailThreadId || prospectId)

/** The values of the column `kind`. */
const kinds = messageTypes.flatMap(type =>
  [...messageStatuses, null].flatMap(status =>
    [true, false]
      .filter(isLast => (type !== 'received' || status === 'sent') && (status !== null || !isLast))
      .map(isLast => ({
        type,
        status,
        isLast,
        name: `${type} ${status ?? 'unsent'}${isLast ? ' last' : ''}`,
      })),
  ),
)

export const getEmailMessage = (
  ctx: Context,
  { emailMessageId }: Input<'getEmailMessage'>,
): Promise<Json<Output<'getEmailMessage'>>> =>
  findJson(
    ctx,
    'email message',
    ctx.sql`
      select ${emailMessageJson(ctx.sql, emailDraftFields(ctx.sql))}
        from email_messages m
       where m.account_id = s.account_id and m.id = ${emailMessageId}
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`m.rep_id`)}`,
  )
