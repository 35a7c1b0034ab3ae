import { createHash } from 'node:crypto'
import type {
  NewConversation,
  NewLinkedinMessage,
} from '../../server/domain/messages/write-linkedin-messages.ts'
import type { LinkedinConversation } from '../data/linkedin-conversations.ts'
import type { Invitation } from '../data/linkedin-invitations.ts'
import { findProspect, type SeedProspect } from './prospects.ts'
import type { Rows, SeedContext } from './seed-context.ts'
import { buildSteps, type Step } from './steps.ts'

export type SeedLinkedinConversation = NewConversation & {
  id: string
  tags: string[]
  messages: (NewLinkedinMessage & { id: string; hasTask: boolean })[]
}

export const buildLinkedinConversations = (
  { id, at }: SeedContext,
  prospects: readonly SeedProspect[],
  conversations: readonly LinkedinConversation[],
): SeedLinkedinConversation[] =>
  conversations.map(({ campaign, with: slug, tags = [], turns }) => {
    const prospect = findProspect(prospects, slug, campaign)
    const conversationRecordId = id('conversation', campaign, slug)
    return {
      id: conversationRecordId,
      conversationId: toProviderId(conversationRecordId),
      personId: prospect.personId,
      prospectId: prospect.id,
      campaignId: id('campaign', campaign),
      repId: id('rep', prospect.rep.key),
      tags,
      messages: turns.map(({ type, text, isDraft, hasTask = false, isUnread = false, ...turn }, index) => ({
        id: id('linkedin', campaign, slug, String(index)),
        conversationRecordId,
        text,
        type,
        status: isDraft ? 'draft' : 'sent',
        isUnread,
        hasTask,
        happenedAt: at(...turn.at),
      })),
    }
  })

/** Returns the rep's tasks to send drafts by hand. */
export const taskRows = (
  { accountId, id }: SeedContext,
  conversations: readonly SeedLinkedinConversation[],
): Rows =>
  conversations.flatMap(conversation =>
    conversation.messages
      .filter(({ hasTask }) => hasTask)
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

/** Returns the tasks of the LinkedIn campaign's steps, completed and open. */
export const stepTaskRows = (
  seed: SeedContext,
  prospects: readonly SeedProspect[],
  invitations: readonly Invitation[],
): Rows =>
  invitations.flatMap(({ with: slug, invitedAt, messagedAt, isOpen }) => {
    const { accountId, id, at } = seed
    const prospect = findProspect(prospects, slug, 'linkedin')
    const { person, company, campaign, rep } = prospect
    const [connect, message] = buildSteps(seed, campaign)
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
  { accountId, id, at }: SeedContext,
  prospects: readonly SeedProspect[],
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

/** Returns an ID in LinkedIn's format for conversations. */
const toProviderId = (recordId: string): string =>
  `2-${createHash('sha256').update(recordId).digest('base64url').slice(0, 32)}==`
