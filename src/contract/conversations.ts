import { z } from 'zod'
import { messageTypes } from './inbox.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  flag,
  id,
  pageInput,
  pageSchema,
  searchQuery,
  text,
  time,
  timeInput,
  withChangeFilter,
} from './page.ts'
import { personInBrief } from './prospects.ts'
import { replyIntents } from './reply-agent.ts'

export const conversationViews = [
  'all',
  'needs_reply',
  'waiting',
  'drafts',
  'needs_approval',
  'unconfirmed',
  'snoozed',
  'done',
] as const
export const conversationChannels = ['email', 'linkedin'] as const
export const conversationStatuses = ['open', 'snoozed', 'done'] as const

const tag = 'Inbox'

export const conversation = z
  .object({
    ...base('conversation'),
    channel: z.enum(conversationChannels),
    emailThreadId: id.optional(),
    linkedinConversationId: id.optional(),
    subject: z.string().optional().describe('Subject of an email thread'),
    personId: id.optional(),
    person: personInBrief.optional().describe('The person, in brief'),
    prospectId: id.optional(),
    campaign: z.object({ id, name: z.string() }).optional(),
    rep: z.object({ id, name: z.string() }).optional(),
    lastMessage: z
      .object({
        id,
        direction: z.enum(['in', 'out']),
        type: z.enum(messageTypes),
        at: time,
        text: z.string().describe('Beginning of the message, without quoted text'),
      })
      .describe('The last message sent or received; a draft if there is none'),
    intent: z.enum(replyIntents).optional().describe('Intent of the last reply that was classified'),
    needsReply: z
      .boolean()
      .describe(
        'Whether the last message, apart from automatic replies and campaign messages, is from the person and is not an opt-out, and nobody has marked the conversation as done',
      ),
    isUnread: z.boolean(),
    status: z.enum(conversationStatuses),
    snoozedUntil: time.optional(),
    assignee: z
      .object({ id, name: z.string() })
      .optional()
      .describe('Member the conversation is assigned to'),
    tags: z.array(z.string()),
    draftIds: z.array(id).optional().describe('Drafts, newest first; absent if none'),
    needsApproval: z.literal(true).optional().describe('A draft needs approval by a person'),
    unconfirmedIds: z
      .array(id)
      .optional()
      .describe('Emails that may or may not have been delivered and await a decision; absent if none'),
    url: z.string().describe('Page in the web app'),
  })
  .meta({ id: 'Conversation' })

const filters = {
  channel: z.enum(conversationChannels).optional().describe('Only conversations on this channel'),
  intent: z
    .array(z.enum(replyIntents))
    .min(1)
    .max(replyIntents.length)
    .optional()
    .describe('Only conversations with one of these intents'),
  campaignId: id.optional().describe('Only conversations of this campaign'),
  repId: id.optional().describe('Only conversations of this rep'),
  personId: id.optional().describe('Only conversations with this person'),
  companyId: id.optional().describe('Only conversations with people at this company'),
  assigneeId: id.optional().describe('Only conversations assigned to this member'),
  unassigned: flag.describe('Only conversations that are not assigned'),
  unread: flag.describe('Only unread conversations'),
  tag: text(100).optional().describe('Only conversations with this tag'),
  query: searchQuery
    .optional()
    .describe(
      'Words in messages, or in the name, email address or company of the person; common words are found only in the last messages of the 1,000 latest conversations',
    ),
  since: timeInput.optional().describe('Only conversations with their last message at or after this time'),
  until: timeInput.optional().describe('Only conversations with their last message before this time'),
}

export const listConversations = operation({
  method: 'GET',
  path: '/inbox/conversations',
  summary: 'List conversations',
  description:
    'Lists email threads and LinkedIn conversations that contain more than campaign messages. In `needs_reply` and `waiting`, conversations that wake from a snooze are sorted by their wake time.',
  tag,
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      view: z
        .enum(conversationViews)
        .optional()
        .describe(
          "`needs_reply`: awaiting your reply; `waiting`: awaiting the person's reply, or your reply is queued; both exclude snoozed conversations. `drafts`: with a draft; `needs_approval`: with a draft that an assistant wants to send; `unconfirmed`: with an email that awaits a decision. Defaults to `all`",
        ),
      ...filters,
      order: z
        .enum(['asc', 'desc'])
        .optional()
        .describe('Order by the last message: `asc` for the oldest first. Defaults to `desc`'),
    }),
  ),
  output: pageSchema(conversation, 'Conversation'),
})

const count = z.int().min(0).max(10_000)

export const getConversationCounts = operation({
  method: 'GET',
  path: '/inbox/conversations/counts',
  summary: 'Count the conversations of each view',
  description:
    'Counts the conversations that match the filters, up to 10,000 in each view. With `tag`, counts only among the 10,000 latest conversations.',
  tag,
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject(filters),
  output: z
    .object({
      all: count,
      needsReply: count,
      waiting: count,
      drafts: count,
      needsApproval: count,
      unconfirmed: count,
      snoozed: count,
      done: count,
      unread: count,
      assignedToMe: count.describe('Conversations assigned to you that need a reply'),
    })
    .meta({ id: 'ConversationCounts' }),
})

const idInput = z.strictObject({ conversationId: id.describe('Conversation ID') })

export const getConversation = operation({
  method: 'GET',
  path: '/inbox/conversations/{conversationId}',
  summary: 'Get a conversation',
  description:
    'Returns the conversation without its messages, which `getEmailThread` and `getLinkedinConversation` return.',
  tag,
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: idInput,
  output: conversation,
})

const tagNames = z.array(text(100)).min(1).max(50).optional()

export const updateConversations = operation({
  method: 'PATCH',
  path: '/inbox/conversations',
  summary: 'Update conversations',
  description:
    'Marks up to 100 conversations as done, open, read or unread, or snoozes, assigns or tags them. Conversations marked as done are also marked as read. If one update fails, none is applied. A new reply, or a message that you send later, reopens a conversation.',
  tag,
  extension: true,
  permission: 'Inbox.SendMessage',
  input: z
    .strictObject({
      conversationIds: z.array(id).min(1).max(100).describe('Conversation IDs'),
      status: z
        .enum(['open', 'done'])
        .optional()
        .describe('`open` reopens a conversation that is done, and ends a snooze'),
      snoozedUntil: timeInput.optional().describe('Snoozes the conversations until this time'),
      assigneeId: id.nullish().describe('Member to assign the conversations to; null for nobody'),
      isUnread: z.boolean().optional().describe('Whether to mark the conversations as unread'),
      addTags: tagNames.describe('Tag names; creates tags that do not exist yet'),
      removeTags: tagNames.describe('Tag names'),
      expectedLastMessageIds: z
        .array(id)
        .max(100)
        .optional()
        .describe('IDs of the last messages that you have seen. `Conflict` if a newer reply has arrived'),
    })
    .refine(
      ({ conversationIds, expectedLastMessageIds, ...changes }) =>
        Object.values(changes).some(value => value !== undefined),
      {
        message: 'must contain a change',
      },
    )
    .refine(({ status, snoozedUntil }) => status === undefined || snoozedUntil === undefined, {
      path: ['snoozedUntil'],
      message: 'must not be combined with `status`',
    }),
  output: z.object({
    conversations: z.array(conversation).describe('Conversations in the order of `conversationIds`'),
  }),
  example: {
    input: { conversationIds: ['01980000-0000-7000-8000-000000000001'], status: 'done' },
  },
})
