import type { RawInput } from '../../../contract/index.ts'

export type Only = { only?: 'unanswered' }

/** What the inbox lists: each thread by its last message. */
export const threadsOf = ({ only }: Only): RawInput<'listEmailMessages'> => ({
  onlyLastMessagePerThread: true,
  ...(only && { type: 'received' }),
})
