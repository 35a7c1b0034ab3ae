import type { RawInput } from '../../../contract/index.ts'

export type Only = { only?: 'unanswered' }

/** What the inbox lists: each thread by its last message. */
export const toListEmailMessagesInput = ({ only }: Only): RawInput<'listEmailMessages'> => ({
  onlyLastMessagePerThread: true,
  ...(only && { type: 'received' }),
})

export type LinkedinSearch = { only?: 'unread' | 'drafts' }

/** What the LinkedIn inbox goes through: messages, of which each conversation shows its newest. */
export const toListLinkedinMessagesInput = ({ only }: LinkedinSearch): RawInput<'listLinkedinMessages'> => ({
  ...(only === 'unread' && { unread: true }),
  ...(only === 'drafts' && { status: 'draft' }),
})
