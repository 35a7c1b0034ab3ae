import { createHash } from 'node:crypto'
import type {
  NewConversation,
  NewLinkedinMessage,
} from '../server/domain/messages/write-linkedin-messages.ts'
import { findProspect, type Prospect } from './cast.ts'
import type { Invitation } from './invitations.ts'
import type { LinkedinConversation } from './linkedin-conversations.ts'
import { type Step, stepsOf } from './steps.ts'
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
        ...{ step_id: null, variant_id: null, status: 'open', ended_at: null },
        channel: 'linkedin_message',
        text: message.text,
        due_at: message.happenedAt,
        created_at: message.happenedAt,
        updated_at: message.happenedAt,
      })),
  )

/** What the steps of the LinkedIn campaign asked their reps to do, and what still waits. */
export const stepTaskRows = (
  teller: Teller,
  prospects: readonly Prospect[],
  invitations: readonly Invitation[],
): Rows =>
  invitations.flatMap(({ with: slug, invitedAt, messagedAt, isOpen }) => {
    const { accountId, id, at } = teller
    const prospect = findProspect(prospects, slug, 'linkedin')
    const { person, company, campaign, rep } = prospect
    const [connect, message] = stepsOf(teller, campaign)
    const task = (step: Step, doneAt: Date | null, dueAt: Date) => ({
      ...{ id: id('task', step.id, slug), account_id: accountId, rep_id: id('rep', rep.key) },
      ...{
        campaign_id: id('campaign', campaign.key),
        prospect_id: prospect.id,
        person_id: prospect.personId,
      },
      ...{ linkedin_message_id: null, step_id: step.id, variant_id: step.variants[0]!.id },
      ...{ status: doneAt ? 'completed' : 'open', ended_at: doneAt, channel: step.channel },
      text: step.variants[0]!.body.replaceAll('{{ firstName }}', person[0]).replaceAll(
        '{{ company }}',
        company.name,
      ),
      ...{ due_at: dueAt, created_at: dueAt, updated_at: doneAt ?? dueAt },
    })
    const [invited, messaged] = [invitedAt, messagedAt].map(time => (time ? at(...time) : null))
    return [
      ...(invited || isOpen ? [task(connect!, invited!, at(10, '07:45'))] : []),
      ...(messaged || (isOpen && invited) ? [task(message!, messaged!, messaged ?? at(2, '06:30'))] : []),
    ]
  })

export const connectionRows = (
  { accountId, id, at }: Teller,
  prospects: readonly Prospect[],
  invitations: readonly Invitation[],
): Rows =>
  invitations.flatMap(({ with: slug, invitedAt, acceptedAt }) => {
    if (!invitedAt) return []
    const { personId, rep } = findProspect(prospects, slug, 'linkedin')
    return [
      {
        ...{ account_id: accountId, rep_id: id('rep', rep.key), person_id: personId },
        ...{ invited_at: at(...invitedAt), accepted_at: acceptedAt ? at(...acceptedAt) : null },
      },
    ]
  })

/** As LinkedIn names conversations. */
const providerIdOf = (recordId: string): string =>
  `2-${createHash('sha256').update(recordId).digest('base64url').slice(0, 32)}==`
