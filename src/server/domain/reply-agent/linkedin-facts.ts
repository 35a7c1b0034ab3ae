import type { Sql } from '../../kernel/db/database.ts'
import type { ClaimedReply } from './claim-replies.ts'
import { MAX_EARLIER_MESSAGES, type ReplyFacts, stripOptOutLinks } from './reply-facts.ts'

/** Facts about a reply on LinkedIn and its conversation. */
export type LinkedinFacts = ReplyFacts & { campaignId: string | null; repId: string; personId: string }

/**
 * Finds the facts of a claimed reply; undefined when the claim is void. Excludes messages from before the person became
 * a prospect.
 */
export async function findLinkedinFacts(
  tx: Sql,
  { messageId, epoch }: ClaimedReply,
): Promise<LinkedinFacts | undefined> {
  const [facts] = await tx<LinkedinFacts[]>`
    select 'linkedin' as channel, c.id as "threadId", c.rep_id as "repId", c.person_id as "personId",
           q.id as "prospectId", q.campaign_id as "campaignId", '' as subject, m.text as "newText", null as sender, m.happened_at as "sentAt",
           p.name as "repName", h.first_name as "firstName", y.name as company,
           json_build_object('offer', k.offer, 'answers', k.answers, 'nextStep', k.next_step, 'tone', k.tone) as knowledge,
           (select coalesce(json_agg(e order by e.happened_at, e.id), '[]')
              from (select o.id, o.happened_at, o.type <> 'received' as "isOurs", o.text
                      from linkedin_messages o
                     where o.account_id = m.account_id and o.conversation_record_id = c.id and o.status = 'sent'
                       and o.id <> m.id and o.happened_at >= q.created_at
                     order by o.happened_at desc, o.id desc
                     limit ${MAX_EARLIER_MESSAGES}) e) as earlier
      from agent_replies r
      join linkedin_messages m on m.account_id = r.account_id and m.id = r.linkedin_message_id
      join linkedin_conversations c on c.account_id = m.account_id and c.id = m.conversation_record_id
      left join campaign_knowledge k on k.account_id = r.account_id and k.campaign_id = r.campaign_id
      left join reps p on p.account_id = c.account_id and p.id = c.rep_id
      left join prospects q on q.account_id = m.account_id and q.id = m.prospect_id
      left join persons h on h.account_id = c.account_id and h.id = c.person_id
      left join companies y on y.account_id = h.account_id and y.id = h.company_id
     where r.account_id = current_account_id() and r.message_id = ${messageId} and r.epoch = ${epoch}
       and r.state = 'pending'`
  return (
    facts && {
      ...facts,
      earlier: facts.earlier.map(({ isOurs, text }) => ({ isOurs, text: stripOptOutLinks(text) })),
    }
  )
}

/** Returns whether the conversation continued after the reply. */
export async function hasConversationContinued(tx: Sql, { messageId }: ClaimedReply): Promise<boolean> {
  const [newer] = await tx`
    select
      from linkedin_messages m
      join linkedin_messages o on o.account_id = m.account_id and o.conversation_record_id = m.conversation_record_id
     where m.account_id = current_account_id() and m.id = ${messageId} and o.status = 'sent'
       and (o.happened_at, o.id) > (m.happened_at, m.id)
     limit 1`
  return newer !== undefined
}
