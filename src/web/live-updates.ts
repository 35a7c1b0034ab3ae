import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { OperationName } from '../contract/index.ts'
import { useSession } from './api.ts'
import { liveOperations } from './live-lists.ts'
import { openLiveStream } from './live-stream.ts'

/** How long a query rests after it was read; a list rests as long for each page that it has loaded. */
const REST_MS = 1_500
const CHECK_MS = 250

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

/** Reads the queries of changed operations again: those on screen soon, others when they are shown next. */
function openRefetcher(cache: QueryClient) {
  const pending = new Set<Query>()
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const refetchRested = () => {
    for (const query of pending) {
      if (isResting(query)) continue
      pending.delete(query)
      void cache.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    if (pending.size === 0) stop()
  }
  return {
    stop,
    add: (names: Set<OperationName>) => {
      const changed = cache
        .getQueryCache()
        .findAll({ predicate: ({ queryKey: [name] }) => names.has(name as OperationName) })
      for (const query of changed) pending.add(query)
      timer ??= setInterval(refetchRested, CHECK_MS)
      refetchRested()
    },
  }
}

/** A query being read may have begun before the change, so it is read again once it has ended. */
function isResting(query: Query): boolean {
  const { fetchStatus, data, dataUpdatedAt } = query.state
  if (fetchStatus === 'fetching') return true
  const pages = (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1
  return query.isActive() && Date.now() - dataUpdatedAt < REST_MS * pages
}
