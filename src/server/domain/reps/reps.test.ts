import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a rep', () => {
  it('is owned by the member who created it, or by the given member', async () => {
    const admin = await makeCaller(app, 'admin')
    const member = await makeCaller(app, 'member', admin.accountId)
    expect((await admin.call('createRep', { name: 'Ada' })).ownedById).toBe(admin.userId)
    expect((await admin.call('createRep', { name: 'Ben', ownedById: member.userId })).ownedById).toBe(
      member.userId,
    )
  })

  it('keeps its signature until it is cleared with null', async () => {
    const admin = await makeCaller(app, 'admin')
    const { id: repId } = await admin.call('createRep', { name: 'Ada', signature: 'Ada\nAcme' })
    expect((await admin.call('updateRep', { repId, name: 'Ada Byron' })).signature).toBe('Ada\nAcme')
    expect((await admin.call('updateRep', { repId, signature: '<b>Ada</b>' })).signature).toBe('<b>Ada</b>')
    expect((await admin.call('updateRep', { repId, signature: null })).signature).toBeUndefined()
  })

  it('keeps the text, links and images of a formatted signature, but nothing that can run', async () => {
    const admin = await makeCaller(app, 'admin')
    const formatted =
      '<p><strong>Ada</strong><br /><em>Acme</em> <a href="https://acme.example">site</a></p>' +
      '<img src="https://acme.example/logo.png" alt="Acme" />'
    const { id: repId, signature } = await admin.call('createRep', { name: 'Ada', signature: formatted })
    expect(signature).toBe(formatted)
    const store = async (signature: string) => (await admin.call('updateRep', { repId, signature })).signature
    expect(await store('<p onclick="x()">Ada<script>x()</script><img src="x" onerror="x()"></p>')).toBe(
      '<p>Ada<img src="x" /></p>',
    )
    expect(await store('<a href="javascript:x()">Ada</a><iframe src="https://evil.example"></iframe>')).toBe(
      '<a>Ada</a>',
    )
    expect(await store('<p style="position:fixed;background:url(//evil.example)">Ada</p>')).toBe('<p>Ada</p>')
    expect(await store('<style>p{}</style><br>')).toBe('<br />')
    expect(await store('5 < 6 & <x>')).toBe('5 < 6 & <x>')
  })

  it('can be changed by a member only if the member owns it', async () => {
    const admin = await makeCaller(app, 'admin')
    const member = await makeCaller(app, 'member', admin.accountId)
    const own = await member.call('createRep', { name: 'Mine' })
    const other = await admin.call('createRep', { name: 'Theirs' })
    expect((await member.call('updateRep', { repId: own.id, name: 'Still mine' })).name).toBe('Still mine')
    await expect(member.call('updateRep', { repId: other.id, name: 'Taken' })).rejects.toMatchObject({
      code: 'Forbidden',
      message: 'Your role has Rep.EditRep only for your own reps, and this rep is not one of them.',
    })
    await expect(member.call('createRep', { name: 'X', ownedById: admin.userId })).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('this rep would belong to another member'),
    })
  })

  it('cannot be owned by a user who is not a member of the account', async () => {
    const admin = await makeCaller(app, 'admin')
    const stranger = await makeCaller(app, 'admin')
    await expect(admin.call('createRep', { name: 'X', ownedById: stranger.userId })).rejects.toMatchObject({
      code: 'ValidationError',
    })
  })

  it('is listed newest first, in pages that can be read in both directions', async () => {
    const admin = await makeCaller(app)
    const reps: { id: string; name: string; createdAt: string }[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) reps.push(await admin.call('createRep', { name }))
    // Two may have been created in the same millisecond.
    const newest = reps
      .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
      .map(({ name }) => name)
    const pages = [newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)].map(page => page.join(''))
    const names = (page: { data: { name: string }[] }) => page.data.map(rep => rep.name).join('')
    const first = await admin.call('listReps', { limit: 2 })
    const second = await admin.call('listReps', { cursor: first.next })
    const third = await admin.call('listReps', { cursor: second.next })
    expect([first, second, third].map(names)).toEqual(pages)
    expect([first, second, third].map(page => page.hasMore)).toEqual([true, true, false])
    expect(first.previous).toBeUndefined()
    const back = await admin.call('listReps', { cursor: third.previous })
    expect(names(back)).toBe(pages[1])
    expect(names(await admin.call('listReps', { cursor: back.previous }))).toBe(pages[0])
  })
})
