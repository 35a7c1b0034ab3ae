import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'

let app: TestApp
let owner: Caller
let personId: string
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  personId = (await owner.call('createPerson', { email: 'ada@analytical.example' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a note', () => {
  it('records its author, is visible to the whole account and appears in the person’s timeline', async () => {
    const member = await makeCaller(app, 'member', owner.accountId)
    const viewer = await makeCaller(app, 'viewer', owner.accountId)
    const note = await member.call('createNote', { personId, text: ' Met at a fair.\nLikes looms. ' })
    expect(note).toMatchObject({
      personId,
      text: 'Met at a fair.\nLikes looms.',
      authorId: member.userId,
      author: 'member',
    })
    expect((await viewer.call('listNotes', { personId })).data).toEqual([note])
    expect((await viewer.call('getPersonTimeline', { personId })).data).toMatchObject([
      { type: 'note', id: note.id, text: 'Met at a fair. Likes looms.', title: 'member' },
    ])
    await expect(viewer.call('createNote', { personId, text: 'Mine' })).rejects.toMatchObject({
      code: 'Forbidden',
    })
  })

  it('can be changed and deleted', async () => {
    const { id: noteId } = await owner.call('createNote', { personId, text: 'Call in May' })
    expect(await owner.call('updateNote', { noteId, text: 'Call in June' })).toMatchObject({
      text: 'Call in June',
    })
    await owner.call('deleteNote', { noteId })
    for (const attempt of [
      () => owner.call('updateNote', { noteId, text: 'Call in July' }),
      () => owner.call('deleteNote', { noteId }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('is found by words, regardless of case and accents', async () => {
    const { id } = await owner.call('createNote', { personId, text: 'Prefers the Café Zürich' })
    const find = async (query: string) =>
      (await owner.call('listNotes', { personId, query })).data.map(each => each.id)
    expect(await find('zurich cafe')).toEqual([id])
    expect(await find('zurich bar')).toEqual([])
  })

  it('belongs to a person of the account who was not erased, and has at most 10,000 characters', async () => {
    const stranger = await makeCaller(app)
    await expect(stranger.call('createNote', { personId, text: 'Hi' })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await expect(stranger.call('listNotes', { personId })).rejects.toMatchObject({ code: 'NotFound' })
    await expect(owner.call('createNote', { personId, text: 'x'.repeat(10_001) })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    const { id: erasedId } = await owner.call('createPerson', { email: 'eve@moss.example' })
    await owner.call('createNote', { personId: erasedId, text: 'Erase me' })
    await owner.call('erasePerson', { personId: erasedId, expectedPerson: 'eve@moss.example' })
    await expect(owner.call('createNote', { personId: erasedId, text: 'Again' })).rejects.toMatchObject({
      code: 'NotFound',
    })
  })
})
