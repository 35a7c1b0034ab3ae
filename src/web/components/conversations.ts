import type { Output } from '../../contract/index.ts'

export type Conversation = Output<'listConversations'>['data'][number]

export const getPersonName = ({ person }: Conversation): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || 'Unknown contact'

/** Returns the page of a conversation. */
export const getConversationPath = ({ emailThreadId, linkedinConversationId }: Conversation): string =>
  emailThreadId ? `/inbox/${emailThreadId}` : `/inbox/linkedin/${linkedinConversationId}`

/** The operations that a change of a conversation affects. */
export const conversationReads = ['listConversations', 'getConversation', 'getConversationCounts'] as const
