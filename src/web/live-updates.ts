import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSession } from './api.ts'
import { liveOperations } from './live-lists.ts'
import { openLiveStream } from './live-stream.ts'
import { openRefetcher } from './refetcher.ts'

/** Keeps the pages current while the account's data changes. */
export function useLiveUpdates(): void {
  const cache = useQueryClient()
  const accountId = useSession().account?.id
  useEffect(() => {
    if (!accountId) return
    const refetcher = openRefetcher(cache)
    const close = openLiveStream(accountId, lists => {
      const names = lists
        ? lists.flatMap(list => liveOperations[list] ?? [])
        : Object.values(liveOperations).flat()
      refetcher.add(new Set(names))
    })
    return () => {
      close()
      refetcher.stop()
    }
  }, [cache, accountId])
}
