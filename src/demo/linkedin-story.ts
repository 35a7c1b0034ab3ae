import { createHash } from 'node:crypto'
import type { NewConversation, NewLinkedinMessage } from '../server/inbox/write-linkedin-messages.ts'
import { findProspect, type Prospect } from './cast.ts'
import type { LinkedinConversation } from './linkedin-conversations.ts'
import type { Rows, Teller } from './teller.ts'

export type LinkedinThread = NewConversation & {
  id: string
  tags: string[]
  messages: (NewLinkedinMessage & { id: string; isOnItsWay: boolean })[]
}

export const tellLinkedin = (
  { id, at }: Teller,
  prospects: readonly Prospect[],
  conversations: readonly LinkedinConversation[],
): LinkedinThread[] =>
  conversations.map(({ campaign, with: slug, tags = [], turns }) => {
    const prospect = findProspect(prospects, slug, campaign)
    const conversationRecordId = id('conversation', campaign, slug)
    return {
      id: conversationRecordId,
      conversationId: providerIdOf(conversationRecordId),
      personId: prospect.personId,
      prospectId: prospect.id,
      campaignId: id('campaign', campaign),
      repId: id('rep', prospect.rep.key),
      tags,
      messages: turns.map(
        ({ type, text, isDraft, isOnItsWay = false, isUnread = false, ...turn }, index) => ({
          id: id('linkedin', campaign, slug, String(index)),
          conversationRecordId,
          text,
          type,
          status: isDraft ? 'draft' : 'sent',
          isUnread,
          isOnItsWay,
          happenedAt: at(...turn.at),
        }),
      ),
    }
  })

/** What is sent by the rep's own hand. */
export const taskRows = ({ accountId, id }: Teller, conversations: readonly LinkedinThread[]): Rows =>
  conversations.flatMap(conversation =>
    conversation.messages
      .filter(({ isOnItsWay }) => isOnItsWay)
      .map(message => ({
        id: id('task', message.id),
        account_id: accountId,
        rep_id: conversation.repId!,
        campaign_id: conversation.campaignId!,
        prospect_id: conversation.prospectId!,
        person_id: conversation.personId!,
        linkedin_message_id: message.id,
        channel: 'linkedin_message',
        text: message.text,
        due_at: message.happenedAt,
        created_at: message.happenedAt,
        updated_at: message.happenedAt,
      })),
  )

/** As LinkedIn names conversations. */
const providerIdOf = (recordId: string): string =>
  `2-${createHash('sha256').update(recordId).digest('base64url').slice(0, 32)}==`
