import type { RawInput } from '../../../contract/index.ts'

// Separate from the pages, so that the router can prefetch without loading them.

export type InboxSearch = { only?: 'unanswered' }

/** Lists each thread by its last message. */
export const toListEmailMessagesInput = ({ only }: InboxSearch): RawInput<'listEmailMessages'> => ({
  onlyLastMessagePerThread: true,
  ...(only && { type: 'received' }),
})

export type LinkedinSearch = { only?: 'unread' | 'drafts' }

/** Lists messages; the page shows the newest of each conversation. */
export const toListLinkedinMessagesInput = ({ only }: LinkedinSearch): RawInput<'listLinkedinMessages'> => ({
  ...(only === 'unread' && { unread: true }),
  ...(only === 'drafts' && { status: 'draft' }),
})
