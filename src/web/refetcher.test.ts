import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openRefetcher } from './refetcher.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Shows a query for a minute while its data changes every second, and returns the number of reads. */
async function countReads(durationMs: number): Promise<number> {
  const cache = new QueryClient()
  const refetcher = openRefetcher(cache)
  let reads = 0
  const query = new QueryObserver(cache, {
    queryKey: ['getReport'],
    queryFn: async () => {
      reads++
      await new Promise(resolve => setTimeout(resolve, durationMs))
      return reads
    },
  })
  const hide = query.subscribe(() => {})
  for (let second = 0; second < 60; second++) {
    refetcher.add(new Set(['getReport']))
    await vi.advanceTimersByTimeAsync(1_000)
  }
  refetcher.stop()
  hide()
  cache.clear()
  return reads
}

it('refetches changed data within 2 seconds', async () => {
  expect(await countReads(50)).toBeGreaterThanOrEqual(30)
})

it('pauses longer between reads of a slow query', async () => {
  const reads = await countReads(1_000)
  expect(reads).toBeGreaterThan(1)
  expect(reads).toBeLessThanOrEqual(12)
})
