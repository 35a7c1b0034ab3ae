import { expect } from 'vitest'
import { type Caller, makeCaller } from '../app.ts'
import { openTestServer, type TestResponse, type TestServer } from '../http/server.ts'
import { makeWorld, type World } from './world.ts'

/** The server that specification tests use: one account with at least one object of each kind, accessed over HTTP. */
export type SpecificationServer = AsyncDisposable & {
  server: TestServer
  caller: Caller
  world: World
  token: string
  get: (path: string) => Promise<TestResponse>
  post: (path: string, body?: unknown) => Promise<TestResponse>
}

export type Item = Record<string, unknown> & { id: string }
export type List = { data: Item[]; hasMore: boolean; next?: string; previous?: string }

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** A Tuesday within London's calling hours. */
export const WORKING_HOURS = '2026-11-24T11:00:00.000Z'
export const NIGHT = '2026-11-24T03:00:00.000Z'

export async function openSpecificationServer(): Promise<SpecificationServer> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await openTestServer())
  server.app.setNow(WORKING_HOURS)
  const caller = await makeCaller(server.app)
  const world = await makeWorld(server.app, caller)
  const token = await server.createToken(caller)
  const all = opened.move()
  return {
    server,
    caller,
    world,
    token,
    get: path => server.request('GET', path, { token }),
    post: (path, body = {}) => server.request('POST', path, { token, body }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Returns the body of a response, which must have status 200. */
export function getBody<T = Item>(response: TestResponse): T {
  expect(response.status, response.text).toBe(200)
  return response.body as T
}

export const getItems = (response: TestResponse): Item[] => getBody<List>(response).data
export const getIds = (response: TestResponse): string[] => getItems(response).map(({ id }) => id)

/** Expects a ValidationError whose first detail is about this field; an empty path is the whole request. */
export function expectInvalid(response: TestResponse, path: string): void {
  expect(response.status, response.text).toBe(400)
  const { error, message, details } = response.body as {
    error: string
    message: string
    details: { path: string; message: string }[]
  }
  expect([error, details[0]?.path]).toEqual(['ValidationError', path])
  expect(message).toBe(path ? `${path}: ${details[0]?.message}` : details[0]?.message)
}

export function expectNotFound(response: TestResponse, object: string): void {
  expect([response.status, response.body]).toEqual([
    404,
    expect.objectContaining({ error: 'NotFound', message: `There is no such ${object}.` }),
  ])
}

/** Expects the default and maximum `limit` of a list, which must have more than 10 and fewer than 100 items. */
export async function expectLimit({ get }: SpecificationServer, path: string): Promise<void> {
  expect(getItems(await get(path)), 'default').toHaveLength(10)
  expect(getItems(await get(`${path}?limit=1`))).toHaveLength(1)
  const { data, hasMore } = getBody<List>(await get(`${path}?limit=100`))
  expect([data.length > 10, hasMore]).toEqual([true, false])
}

/** Expects the cursors to lead to the next page and back, and the pages together to be the whole list. */
export async function expectCursors({ get }: SpecificationServer, path: string): Promise<void> {
  const all = getIds(await get(`${path}?limit=100`))
  const pages: List[] = [getBody<List>(await get(`${path}?limit=4`))]
  while (pages.at(-1)!.next) pages.push(getBody<List>(await get(`${path}?cursor=${pages.at(-1)!.next}`)))
  expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(all)
  const back = getBody<List>(await get(`${path}?cursor=${pages[1]!.previous}`))
  expect(back.data).toEqual(pages[0]!.data)
}

/** Expects the list to be sorted by this field, newest first. */
export async function expectNewestFirst(
  { get }: SpecificationServer,
  path: string,
  field: string,
): Promise<void> {
  const items = getItems(await get(`${path}?limit=100`))
  expect(items.length).toBeGreaterThan(1)
  const keys = items.map(item => `${item[field]} ${item.id}`)
  expect(keys).toEqual(keys.toSorted().reverse())
}
