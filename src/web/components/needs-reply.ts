import { useOperation, usePermission } from '../api.ts'

const MAX_COUNT = 99
const POLL_MS = 60_000

/** Returns the number of conversations that need a reply, as in `3` or `99+`; undefined when there are none. */
export function useNeedsReplyCount(): string | undefined {
  const canRead = usePermission('Inbox.ReadInbox')
  const { data } = useOperation(
    'getConversationCounts',
    {},
    { fallbackIntervalMs: POLL_MS, isEnabled: canRead },
  )
  if (!data?.needsReply) return undefined
  return data.needsReply > MAX_COUNT ? `${MAX_COUNT}+` : String(data.needsReply)
}
