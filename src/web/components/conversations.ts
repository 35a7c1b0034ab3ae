import type { Output } from '../../contract/index.ts'
import { formatNumber } from '../ui/time.tsx'

export type Conversation = Output<'listConversations'>['data'][number]

export const getPersonName = ({ person }: Conversation): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || 'Unknown contact'

/** Returns the name of the person, or how many conversations these are. */
export const nameConversations = ([first, ...others]: Conversation[]): string => {
  if (others.length > 0) return `${formatNumber(others.length + 1)} conversations`
  return first?.person ? getPersonName(first) : 'the conversation'
}

/** Returns the page of a conversation. */
export const getConversationPath = ({ emailThreadId, linkedinConversationId }: Conversation): string =>
  emailThreadId ? `/inbox/${emailThreadId}` : `/inbox/linkedin/${linkedinConversationId}`

/** The operations that a change of a conversation affects. */
export const conversationReads = ['listConversations', 'getConversation', 'getConversationCounts'] as const
