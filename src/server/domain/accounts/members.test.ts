import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createCaller,
  inSession,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('members are listed in pages, newest first, each once', async () => {
  const { call, accountId } = await makeCaller(app)
  for (let n = 0; n < 24; n++) await makeCaller(app, 'member', accountId)
  // Many members joined in the same millisecond; their IDs then decide the order.
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

it('removing a member leaves their reps without an owner, and a new owner can be set', async () => {
  const owner = await makeCaller(app)
  const member = await makeCaller(app, 'member', owner.accountId)
  const { id: repId } = await member.call('createRep', { name: 'Ann' })
  expect(await owner.call('getRep', { repId })).toMatchObject({ ownedById: member.userId })
  await inSession(owner).call('removeMember', { memberId: member.userId })
  expect(await owner.call('getRep', { repId })).not.toHaveProperty('ownedById')
  await owner.call('updateRep', { repId, ownedById: owner.userId })
  expect(await owner.call('getRep', { repId })).toMatchObject({ ownedById: owner.userId })
})

it.each(['admin', 'owner'] as const)(
  'only a session with a recent sign-in can make a member an %s',
  async role => {
    const owner = await makeCaller(app)
    const { userId: memberId } = await makeCaller(app, 'viewer', owner.accountId)
    const elevenMinutesAgo = new Date(app.now().getTime() - 11 * 60_000)
    const unattended = createCaller(app, { ...inSession(owner), authenticatedAt: elevenMinutesAgo })
    const rejections = [
      [createCaller(app, { ...owner, actor: 'token:test' }), { message: /signed in to the web app/ }],
      [createCaller(app, { ...owner, actor: 'oauth:test' }), { message: /signed in to the web app/ }],
      [unattended, { details: [{ path: 'recentSignIn' }] }],
    ] as const
    for (const [{ call }, expected] of rejections) {
      const error = {
        code: 'Forbidden',
        ...('message' in expected ? { message: expect.stringMatching(expected.message) } : expected),
      }
      await expect(call('inviteMember', { email: 'grace@b.example', role })).rejects.toMatchObject(error)
      await expect(call('updateMember', { memberId, role })).rejects.toMatchObject(error)
    }
    expect((await owner.call('listInvitations', {})).data).toEqual([])
    const { call } = inSession(owner)
    expect(await call('inviteMember', { email: 'grace@b.example', role })).toMatchObject({ role })
    expect(await call('updateMember', { memberId, role })).toMatchObject({ role })
  },
)

it('an API token can assign the other roles, by invitation and by update', async () => {
  const owner = await makeCaller(app)
  const { userId: memberId } = await makeCaller(app, 'viewer', owner.accountId)
  const { call } = createCaller(app, { ...owner, actor: 'token:test' })
  for (const role of ['viewer', 'member', 'manager'] as const) {
    expect(await call('inviteMember', { email: 'grace@b.example', role })).toMatchObject({ role })
    expect(await call('updateMember', { memberId, role })).toMatchObject({ role })
  }
})
