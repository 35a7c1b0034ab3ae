import type { LinkedinMember } from './members.ts'

/** The text stored for a received message that has none. */
export const NO_TEXT = '[Voice message, image or file]'

/** An event on a rep’s LinkedIn account, from any provider. */
export type LinkedinEvent =
  | {
      type: 'message.received' | 'message.sent'
      member: LinkedinMember
      happenedAt: Date
      text: string
      conversationId?: string | undefined
      chatId?: string | undefined
      messageId?: string | undefined
      ownMemberId?: string | undefined
    }
  | { type: 'connection.accepted'; member: LinkedinMember; happenedAt: Date }
  /** The provider’s name for the state of the connected account. */
  | { type: 'account'; state: string }
