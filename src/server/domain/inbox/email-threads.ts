import type { Input, Output } from '../../../contract/index.ts'
import { type Context, ownRepsOnly } from '../../kernel/context.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { emailMessageJson } from './email-messages.ts'

const MAX_MESSAGES = 200

/** A thread and its messages belong to the same rep, so one permission check covers both. */
export const getEmailThread = (
  ctx: Context,
  { emailThreadId }: Input<'getEmailThread'>,
): Promise<Json<Output<'getEmailThread'>>> => {
  const { sql } = ctx
  return findJson(
    ctx,
    'email thread',
    sql`
      select json_strip_nulls(json_build_object(
               'id', t.id,
               'objectType', 'email_thread',
               'createdAt', api_time(t.created_at),
               'updatedAt', api_time(t.updated_at),
               'subject', t.subject,
               'personId', coalesce((select r.person_id from prospects r
                                      where r.account_id = t.account_id and r.id = t.prospect_id), t.person_id),
               'prospectId', t.prospect_id,
               'campaignId', t.campaign_id,
               'repId', t.rep_id,
               'tags', t.tags,
               'messages', (
                 select coalesce(json_agg(latest.json::json order by latest.sent_at, latest.id), '[]')
                   from (select m.id, m.sent_at, ${emailMessageJson(sql)}
                           from email_messages m
                          where m.account_id = t.account_id and m.thread_id = t.id
                          order by m.sent_at desc, m.id desc
                          limit ${MAX_MESSAGES}) latest)))::text as json
        from email_threads t
       where t.account_id = s.account_id and t.id = ${emailThreadId}
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`t.rep_id`)}`,
  )
}
