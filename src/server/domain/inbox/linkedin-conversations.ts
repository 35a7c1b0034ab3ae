import type { Input, Output } from '../../../contract/index.ts'
import { type Context, ownRepsOnly } from '../../kernel/context.ts'
import { jsonObject, timestamp, uuid } from '../../kernel/db/json-object.ts'
import { invalid } from '../../kernel/errors.ts'
import { findJson, type Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { markConversationRead } from '../messages/write-linkedin-messages.ts'
import { linkedinMessageJson } from './linkedin-messages.ts'

const MAX_MESSAGES = 200

/** Returns a conversation with its messages, which belong to the same rep, so one permission check covers both. */
export const getLinkedinConversation = (
  ctx: Context,
  { linkedinConversationId }: Input<'getLinkedinConversation'>,
): Promise<Json<Output<'getLinkedinConversation'>>> => {
  const { sql } = ctx
  return findJson(
    ctx,
    'LinkedIn conversation',
    sql`
      select ${jsonObject({
        id: uuid('v.id'),
        objectType: 'linkedin_conversation',
        createdAt: timestamp('v.created_at'),
        updatedAt: timestamp('v.updated_at'),
        conversationId: sql`v.conversation_id`,
        prospectId: uuid('v.prospect_id'),
        campaignId: uuid('v.campaign_id'),
        repId: uuid('v.rep_id'),
        repName: sql`(select name from reps where account_id = v.account_id and id = v.rep_id)`,
        personId: uuid('v.person_id'),
        personName: sql`nullif(concat_ws(' ', p.first_name, p.last_name), '')`,
        linkedinUrl: sql`p.linkedin_url`,
        tags: sql`v.tags`,
        messages: sql`(
                 select coalesce(json_agg(latest.json::json order by latest.happened_at, latest.id), '[]')
                   from (select m.id, m.happened_at, ${linkedinMessageJson(sql)}
                           from linkedin_messages m
                          where m.account_id = v.account_id and m.conversation_record_id = v.id
                          order by m.happened_at desc, m.id desc
                          limit ${MAX_MESSAGES}) latest)`,
      })} as json
        from linkedin_conversations v
        left join persons p on p.account_id = v.account_id and p.id = v.person_id
       where v.account_id = s.account_id and v.id = ${linkedinConversationId}
         ${ownRepsOnly(ctx, 'Inbox.ReadInbox', sql`v.rep_id`)}`,
  )
}

export async function markLinkedinConversationRead(
  ctx: Context,
  { conversationId }: Input<'markLinkedinConversationRead'>,
): Promise<Output<'markLinkedinConversationRead'>> {
  const { sql, accountId } = ctx
  const [conversation] = await sql<{ id: string }[]>`
    select id
      from linkedin_conversations c
     where account_id = ${accountId} and conversation_id = ${conversationId}
       and ${isInScope(ctx, 'Inbox.SendMessage', sql`c.rep_id`)}
       for update`
  if (!conversation)
    throw invalid('conversationId', 'must be the ID of a LinkedIn conversation that you can change')
  const read = await markConversationRead(sql, conversation.id)
  if (read > 0) await audit(ctx, 'read', 'linkedin_conversation', conversation.id)
  return { read }
}
