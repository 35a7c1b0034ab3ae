import type { Input, Output } from '../../../contract/index.ts'
import { type Config, getPublicUrl } from '../../kernel/config.ts'
import { type Context, ownRepsOnly, type Reader } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import type { Json } from '../../kernel/json.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { asUser } from '../accounts/users.ts'

/**
 * Selects the title, text and path of notification `n` as `t`. Reads them from the notification's object, so that they
 * reflect later changes and erasure; they are null if the reader can no longer read the object. Only the texts about
 * problems are stored, because problems are deleted once resolved.
 */
export const notificationTexts = (ctx: Reader): Fragment => ctx.sql`
  left join lateral (
    select coalesce(nullif(concat_ws(' ', p.first_name, p.last_name), ''), p.email, 'Somebody') || ' replied' as title,
           m.subject as text, '/inbox/' || case c.channel when 'linkedin' then 'linkedin/' else '' end || c.id as path
      from conversations c
      left join persons p on p.account_id = c.account_id and p.id = c.person_id
      left join email_messages m on m.account_id = c.account_id and m.id = c.last_received_id
     where n.kind = 'reply' and c.account_id = n.account_id and c.id = n.object_id
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`c.rep_id`)}
    union all
    select 'An email is waiting for your approval', m.subject, '/inbox/' || m.thread_id
      from email_messages m
     where n.object_type = 'email_message' and m.account_id = n.account_id and m.id = n.object_id
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`m.rep_id`)}
    union all
    select 'A LinkedIn message is waiting for your approval', null, '/inbox/linkedin/' || m.conversation_record_id
      from linkedin_messages m
     where n.object_type = 'linkedin_message' and m.account_id = n.account_id and m.id = n.object_id
       ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`m.rep_id`)}
    union all
    select 'A call is waiting for your approval', q.call ->> 'name', '/calls/requests'
      from call_requests q
     where n.object_type = 'call_request' and q.account_id = n.account_id and q.id = n.object_id
       ${ownRepsOnly(ctx, 'Call.ReadCall', ctx.sql`q.rep_id`)}
    union all
    select 'Task: ' || t.title, t.text, '/tasks'
      from tasks t
     where n.kind = 'task' and t.account_id = n.account_id and t.id = n.object_id
       ${ownRepsOnly(ctx, 'Task.ReadTask', ctx.sql`t.rep_id`)}
    union all
    select 'Campaign completed: ' || c.name, null, '/campaigns/' || c.id
      from campaigns c
     where n.kind = 'campaign' and c.account_id = n.account_id and c.id = n.object_id
    union all
    select n.title, n.text, '/' where n.kind = 'problem') t on true`

const notificationJson = (sql: Sql, config: Config): Fragment => sql`
  ${jsonObject({
    id: uuid('n.id'),
    objectType: 'notification',
    createdAt: timestamp('n.created_at'),
    updatedAt: timestamp('n.updated_at'),
    kind: sql`n.kind`,
    title: sql`coalesce(t.title, 'This item is no longer available')`,
    text: sql`nullif(left(t.text, 300), '')`,
    about: sql`json_build_object('objectType', n.object_type, 'id', n.object_id)`,
    url: sql`${getPublicUrl(config)}::text || coalesce(t.path, '/')`,
    readAt: timestamp('n.read_at'),
  })} as json`

export const listNotifications = (
  ctx: Context,
  input: Input<'listNotifications'>,
): Promise<Json<Output<'listNotifications'>>> =>
  listPage(ctx, 'listNotifications', input, page => {
    const { sql } = ctx
    const { unread } = page.filters
    return sql`
      select n.id, api_time(n.created_at) as at, ${notificationJson(sql, ctx.app.config)}
        from (select * from notifications n
               where n.account_id = s.account_id and n.user_id = ${ctx.userId} and n.is_in_app
                 ${unread ? sql`and n.read_at is null` : sql``}
                 ${afterCursor(sql, page, 'n.created_at', 'n.id')}
                 ${orderAndLimit(sql, page, 'n.created_at', 'n.id')}) n
        ${notificationTexts(ctx)}
       ${orderAndLimit(sql, page, 'n.created_at', 'n.id')}`
  })

export async function readNotifications(
  ctx: Context,
  { notificationIds }: Input<'readNotifications'>,
): Promise<Output<'readNotifications'>> {
  const { sql, accountId, userId, app } = ctx
  await asUser(ctx)
  const read = await sql`
    update notifications set read_at = ${app.now()}, updated_at = now()
     where account_id = ${accountId} and user_id = ${userId} and is_in_app and read_at is null
       ${notificationIds ? sql`and id = any(${notificationIds}::uuid[])` : sql``}
 returning id`
  return { count: read.count }
}
