import { afterAll, beforeAll, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('members come by pages, newest first, each of them once', async () => {
  const { call, accountId } = await aCaller(app)
  for (let n = 0; n < 24; n++) await aCaller(app, 'member', accountId)
  // Many that joined in the same millisecond: then the id decides.
  await app.owner`
    update members set created_at = '2026-11-01'::timestamptz + (get_byte(sha256(user_id::text::bytea), 0) % 4) * interval '1 ms'
     where account_id = ${accountId}`
  const expected = await app.owner<{ id: string }[]>`
    select user_id as id from members where account_id = ${accountId} order by created_at desc, user_id desc`
  let page = await call('listMembers', {})
  expect(page).toMatchObject({ hasMore: true, next: expect.any(String) })
  expect(page.previous).toBeUndefined()
  const pages = [page.data]
  while (page.next) {
    page = await call('listMembers', { cursor: page.next })
    pages.push(page.data)
  }
  expect(page.hasMore).toBe(false)
  expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
  expect(pages.flat().map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  const back = await call('listMembers', { cursor: page.previous! })
  expect(back.data).toEqual(pages[1])
})
