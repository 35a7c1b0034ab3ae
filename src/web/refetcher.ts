import type { Query, QueryClient } from '@tanstack/react-query'
import type { OperationName } from '../contract/index.ts'

/** Minimum pause of a query after a read; a list pauses this long for each loaded page. */
const MIN_PAUSE_MS = 1_500
/**
 * Minimum pause of a slow query, as a multiple of its duration: a report on millions of emails must not keep the server
 * busy.
 */
const PAUSE_RATIO = 5
const CHECK_MS = 250

/** Refetches the queries of changed operations: those on screen soon, others when they are shown next. */
export function openRefetcher(cache: QueryClient) {
  const pending = new Set<Query>()
  const startedAt = new WeakMap<Query, number>()
  let timer: ReturnType<typeof setInterval> | undefined
  const unsubscribe = cache.getQueryCache().subscribe(event => {
    if (event.type === 'updated' && event.action.type === 'fetch') startedAt.set(event.query, Date.now())
  })
  const stopTimer = () => {
    clearInterval(timer)
    timer = undefined
  }
  /** Reports whether a query must wait. A running query may predate the change, so it is repeated once it ends. */
  const isPaused = (query: Query): boolean => {
    const { fetchStatus, data, dataUpdatedAt } = query.state
    if (fetchStatus === 'fetching') return true
    const pages = (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1
    const durationMs = dataUpdatedAt - (startedAt.get(query) ?? dataUpdatedAt)
    const pauseMs = Math.max(MIN_PAUSE_MS * pages, durationMs * PAUSE_RATIO)
    return query.isActive() && Date.now() - dataUpdatedAt < pauseMs
  }
  const refetchDue = () => {
    for (const query of pending) {
      if (isPaused(query)) continue
      pending.delete(query)
      void cache.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    if (pending.size === 0) stopTimer()
  }
  return {
    stop: () => {
      unsubscribe()
      stopTimer()
    },
    add: (names: Set<OperationName>) => {
      const changed = cache
        .getQueryCache()
        .findAll({ predicate: ({ queryKey: [name] }) => names.has(name as OperationName) })
      for (const query of changed) pending.add(query)
      timer ??= setInterval(refetchDue, CHECK_MS)
      refetchDue()
    },
  }
}
