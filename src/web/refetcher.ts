import type { Query, QueryClient } from '@tanstack/react-query'
import type { OperationName } from '../contract/index.ts'

/** Minimum pause of a query after a read; a list pauses this long for each loaded page. */
const REST_MS = 1_500
/** Minimum pause of a slow query, as a multiple of its duration: a report on millions of emails must not keep the server busy. */
const REST_RATIO = 5
const CHECK_MS = 250

/** Reads the queries of changed operations again: those on screen soon, others when they are shown next. */
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
  /** A query being read may have begun before the change, so it is read again once it has ended. */
  const isResting = (query: Query): boolean => {
    const { fetchStatus, data, dataUpdatedAt } = query.state
    if (fetchStatus === 'fetching') return true
    const pages = (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1
    const tookMs = dataUpdatedAt - (startedAt.get(query) ?? dataUpdatedAt)
    const restMs = Math.max(REST_MS * pages, tookMs * REST_RATIO)
    return query.isActive() && Date.now() - dataUpdatedAt < restMs
  }
  const refetchRested = () => {
    for (const query of pending) {
      if (isResting(query)) continue
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
      timer ??= setInterval(refetchRested, CHECK_MS)
      refetchRested()
    },
  }
}
