import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import {
  expectInvalid,
  getBody,
  type List,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'
import type { World } from '../support/contract/world.ts'

const lists = Object.values<Operation>(operations)
  .filter(({ input }) => 'cursor' in input.shape)
  .map(({ path }) => path)

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
afterAll(() => specified[Symbol.asyncDispose]())

it.each(lists)('8.page-size: must be an integer from 1 to 100 and is never adjusted (%s)', async list => {
  const path = list.replace(/\{(\w+)\}/, (_, name) => String(specified.world[name as keyof World]))
  for (const limit of ['0', '101', '-1', '1.5', '1e1', '', 'ten', '1&limit=2']) {
    expectInvalid(await specified.get(`${path}?limit=${limit}`), 'limit')
  }
  for (const limit of ['1', '100']) {
    expect((await specified.get(`${path}?limit=${limit}`)).status).toBe(200)
  }
})

it('8.pagination-1: needs neither cursor nor limit for the first page', async () => {
  expect(getBody<List>(await specified.get('/campaigns')).data).toHaveLength(5)
})

it('8.pagination-3: returns the next page for the next cursor while hasMore is true', async () => {
  const { get } = specified
  const all = getBody<List>(await get('/campaigns')).data
  let page = getBody<List>(await get('/campaigns?limit=3'))
  expect([page.data, page.hasMore]).toEqual([all.slice(0, 3), true])
  page = getBody<List>(await get(`/campaigns?cursor=${page.next}`))
  expect([page.data, page.hasMore, page.next]).toEqual([all.slice(3), false, undefined])
})

it('8.pagination-4: returns the identical previous page for the previous cursor', async () => {
  const { get } = specified
  const first = getBody<List>(await get('/campaigns?limit=2'))
  const second = getBody<List>(await get(`/campaigns?cursor=${first.next}`))
  const again = getBody<List>(await get(`/campaigns?cursor=${second.previous}`))
  expect([again.data, again.hasMore, again.previous]).toEqual([first.data, true, undefined])
})
