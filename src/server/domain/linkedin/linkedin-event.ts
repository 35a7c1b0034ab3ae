import type { Member } from './members.ts'

/** What happened on a rep's LinkedIn, whoever tells it. */
export type LinkedinEvent =
  | {
      type: 'message.received' | 'message.sent'
      member: Member
      happenedAt: Date
      text: string
      conversationId?: string | undefined
      chatId?: string | undefined
      messageId?: string | undefined
      ownMemberId?: string | undefined
    }
  | { type: 'connection.accepted'; member: Member; happenedAt: Date }
  /** The provider tells in what state the connected account is, in its own word. */
  | { type: 'account'; state: string }
