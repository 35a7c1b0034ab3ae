import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Conversation, getConversationPath } from '../../components/conversations.ts'

/** Lets the page's own requests go first, and skips conversations while someone moves quickly through the list. */
const DELAY_MS = 300

/** Loads the conversation below the open one, or the first of the list, so that it opens immediately. */
export function usePrefetchNext(listed: Conversation[] | undefined, openId: string | undefined): void {
  const router = useRouter()
  const next = listed?.[listed.findIndex(({ id }) => id === openId) + 1]
  const path = next && getConversationPath(next)
  useEffect(() => {
    if (!path) return
    const timer = setTimeout(() => void router.preloadRoute({ to: path as '/inbox' }), DELAY_MS)
    return () => clearTimeout(timer)
  }, [router, path])
}
