import { describe, expect, it } from 'vitest'
import type { Context } from './context.ts'
import { deriveKeys } from './crypto.ts'
import { type PageRow, parsePage, toPageResponse } from './page.ts'

const ctx = { app: { keys: deriveKeys('a secret for pages') }, accountId: 'acme' } as Context

type Filters = { status?: string | undefined }
type Input = Filters & { limit?: number; cursor?: string }
type Body = { data: number[]; hasMore: boolean; next?: string; previous?: string }

/** Returns a page of the numbers 5 to 1, newest first. Like a list's SQL, reads one row more than the page holds. */
function listNumbers(input: Input, from = ctx, operation = 'listNumbers'): Body {
  const page = parsePage(from, operation, input)
  const isForward = page.direction === 'next'
  const numbers = isForward ? [5, 4, 3, 2, 1] : [1, 2, 3, 4, 5]
  const isBeyond = (n: number) => {
    if (!page.position) return true
    const at = Number(page.position.at)
    return (isForward ? n < at : n > at) || (page.position.isIncluded && n === at)
  }
  const rows = numbers
    .filter(isBeyond)
    .slice(0, page.limit + 1)
    .map((n): PageRow => ({ id: `id${n}`, at: String(n), json: String(n) }))
  return JSON.parse(toPageResponse(from, page, rows).text)
}

describe('a page', () => {
  it.each<[what: string, input: Input, data: number[], hasMore: boolean]>([
    ['has all rows of a short list without a limit', {}, [5, 4, 3, 2, 1], false],
    ['has as many rows as its limit', { limit: 2 }, [5, 4], true],
    ['has no next page when it ends exactly at its limit', { limit: 5 }, [5, 4, 3, 2, 1], false],
  ])('%s', (_what, input, data, hasMore) => {
    const page = listNumbers(input)
    expect(page).toMatchObject({ data, hasMore })
    expect([page.next !== undefined, page.previous]).toEqual([hasMore, undefined])
  })

  it('is followed by the next one and preceded by the previous one, with the limit of the first', () => {
    const first = listNumbers({ limit: 2 })
    const second = listNumbers({ cursor: first.next! })
    const third = listNumbers({ cursor: second.next! })
    expect([second.data, third.data, third.hasMore, third.next]).toEqual([[3, 2], [1], false, undefined])
    expect(listNumbers({ cursor: third.previous! }).data).toEqual([3, 2])
    expect(listNumbers({ cursor: second.previous! })).toMatchObject({ data: [5, 4], hasMore: true })
    expect(listNumbers({ cursor: second.previous! }).previous).toBeUndefined()
  })

  it('accepts a new limit together with a cursor', () => {
    const { next } = listNumbers({ limit: 2 })
    expect(listNumbers({ cursor: next!, limit: 3 }).data).toEqual([3, 2, 1])
  })

  it('keeps its position when its rows were deleted', () => {
    const page = parsePage(ctx, 'listNumbers', { cursor: listNumbers({ limit: 2 }).next! })
    const empty: Body = JSON.parse(toPageResponse(ctx, page, []).text)
    expect(empty).toMatchObject({ data: [], hasMore: false })
    expect(listNumbers({ cursor: empty.previous! }).data).toEqual([5, 4])
  })
})

describe('a cursor', () => {
  const { next } = listNumbers({ limit: 2, status: 'active' })
  const foreign = { ...ctx, accountId: 'navy' } as Context

  it.each<[what: string, filters: Filters]>([
    ['the filter it began with', { status: 'active' }],
    ['no filter', {}],
    ['a filter left undefined', { status: undefined }],
  ])('is accepted with %s', (_what, filters) => {
    expect(listNumbers({ cursor: next!, ...filters }).data).toEqual([3, 2])
  })

  it.each<[name: string, list: () => unknown, message: RegExp]>([
    [
      'when a filter has changed',
      () => listNumbers({ cursor: next!, status: 'paused' }),
      /Filters must not change between pages/,
    ],
    ['by another list', () => listNumbers({ cursor: next! }, ctx, 'listOthers'), /cursor/],
    ['in another account', () => listNumbers({ cursor: next! }, foreign), /cursor/],
    ['when a byte was changed', () => listNumbers({ cursor: `${next!.slice(0, -1)}-` }), /cursor/],
    ['when it is arbitrary text', () => listNumbers({ cursor: 'cursor' }), /cursor/],
  ])('is rejected %s', (_case, list, message) => {
    expect(list).toThrow(message)
  })
})
