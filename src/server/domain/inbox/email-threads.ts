import type { Input, Output } from '../../../contract/index.ts'
import { type Context, ownRepsOnly } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { senderEmail } from '../mailboxes/stored-aliases.ts'
import { emailMessageJson } from './email-messages.ts'

const MAX_MESSAGES = 200

/** Selects the mailbox that replies in thread `t` are sent from, by the rules of `findSendingMailbox`. */
const selectSender = (sql: Sql): Fragment => sql`
  (select json_build_object('name', coalesce(b.sender_name, r.name), 'email', ${senderEmail(sql)})
     from mailboxes b
     join reps r on r.account_id = b.account_id and r.id = b.rep_id
    where b.account_id = t.account_id and (b.id = t.mailbox_id or b.rep_id = t.rep_id)
      and b.status = 'active' and b.removed_at is null
    order by b.id is not distinct from t.mailbox_id desc, b.created_at, b.id
    limit 1)`

/** Returns a thread with its messages, including those of reps from whom the thread's rep has taken over. */
export const getEmailThread = (
  ctx: Context,
  { emailThreadId }: Input<'getEmailThread'>,
): Promise<Json<Output<'getEmailThread'>>> => {
  const { sql } = ctx
  return findJson(
    ctx,
    'email thread',
    sql`
      select ${jsonObject({
        id: uuid('t.id'),
        objectType: 'email_thread',
        createdAt: timestamp('t.created_at'),
        updatedAt: timestamp('t.updated_at'),
        subject: sql`t.subject`,
        personId: sql`coalesce((select r.person_id from prospects r
                                      where r.account_id = t.account_id and r.id = t.prospect_id), t.person_id)`,
        prospectId: uuid('t.prospect_id'),
        campaignId: uuid('t.campaign_id'),
        repId: uuid('t.rep_id'),
        sender: selectSender(sql),
        tags: sql`t.tags`,
        messages: sql`(
                 select coalesce(json_agg(latest.json::json order by latest.sent_at, latest.id), '[]')
                   from (select m.id, m.sent_at, ${emailMessageJson(sql)}
                           from email_messages m
                          where m.account_id = t.account_id and m.thread_id = t.id
                          order by m.sent_at desc, m.id desc
                          limit ${MAX_MESSAGES}) latest)`,
      })} as json
        from email_threads t
       where t.account_id = s.account_id and t.id = ${emailThreadId}
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`t.rep_id`)}`,
  )
}
