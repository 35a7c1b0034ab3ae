import type { Output } from '../../contract/index.ts'
import { formatNumber } from '../ui/time.tsx'

export type Conversation = Output<'listConversations'>['data'][number]

export const getContactName = ({ person }: Conversation): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || 'Unknown contact'

/** Returns the name of the person, or the number of conversations if there are several. */
export const describeConversations = ([first, ...others]: Conversation[]): string => {
  if (others.length > 0) return `${formatNumber(others.length + 1)} conversations`
  return first?.person ? getContactName(first) : 'the conversation'
}

/** Returns the path of a conversation's page. */
export const getConversationPath = ({ emailThreadId, linkedinConversationId }: Conversation): string =>
  emailThreadId ? `/inbox/${emailThreadId}` : `/inbox/linkedin/${linkedinConversationId}`

/** Operations that a change to a conversation affects. */
export const conversationReads = ['listConversations', 'getConversation', 'getConversationCounts'] as const
