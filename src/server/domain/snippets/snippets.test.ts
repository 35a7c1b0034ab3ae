import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type Desk, makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { maxSnippets } from '../../../contract/snippets.ts'

let app: TestApp
let manager: Caller
let member: Caller
let desk: Desk
beforeAll(async () => {
  app = await openTestApp()
  const owner = await makeCaller(app)
  manager = await makeCaller(app, 'manager', owner.accountId)
  member = await makeCaller(app, 'member', owner.accountId)
  desk = await makeDesk(owner, member.userId)
  await owner.call('createCustomField', { key: 'plan', label: 'Plan', type: 'text' })
  await owner.call('updateRep', { repId: desk.repId, signature: '<b>Grace</b>, Acme' })
})
afterAll(() => app[Symbol.asyncDispose]())

const names = async (caller: Caller, filters: object = {}) =>
  (await caller.call('listSnippets', { limit: 100, ...filters })).data.map(({ name }) => name)
const render = async (text: string) => {
  const { id: snippetId } = await member.call('createSnippet', { name: 'Rendered', text })
  const { rendered } = await member.call('getSnippet', { snippetId, personId: desk.personId })
  await member.call('deleteSnippet', { snippetId })
  return rendered
}

describe('a snippet', () => {
  it('is seen only by its author, or by the account if it is shared', async () => {
    const own = await member.call('createSnippet', { name: 'Own', text: 'Hi' })
    const shared = await manager.call('createSnippet', { name: 'Ours', text: 'Hello', isShared: true })
    expect([own.isShared, shared.isShared]).toEqual([false, true])
    expect(await names(member)).toEqual(['Ours', 'Own'])
    expect(await names(member, { isShared: false })).toEqual(['Own'])
    expect(await names(manager)).toEqual(['Ours'])
    for (const attempt of [
      () => manager.call('getSnippet', { snippetId: own.id }),
      () => manager.call('updateSnippet', { snippetId: own.id, name: 'Mine' }),
      () => manager.call('deleteSnippet', { snippetId: own.id }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'NotFound' })
    await member.call('deleteSnippet', { snippetId: own.id })
    await manager.call('deleteSnippet', { snippetId: shared.id })
    expect(await names(member)).toEqual([])
  })

  it('can be shared, and changed or deleted once shared, only by those who may edit campaigns', async () => {
    const own = await member.call('createSnippet', { name: 'Own', text: 'Hi' })
    const shared = await manager.call('createSnippet', { name: 'Ours', text: 'Hello', isShared: true })
    for (const attempt of [
      () => member.call('createSnippet', { name: 'Ours', text: 'Hi', isShared: true }),
      () => member.call('updateSnippet', { snippetId: own.id, isShared: true }),
      () => member.call('updateSnippet', { snippetId: shared.id, text: 'Mine' }),
      () => member.call('updateSnippet', { snippetId: shared.id, isShared: false }),
      () => member.call('deleteSnippet', { snippetId: shared.id }),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining('Campaign.EditCampaign'),
      })
    await manager.call('updateSnippet', { snippetId: shared.id, isShared: false })
    expect(await names(member)).toEqual(['Own'])
    expect(await names(manager)).toEqual(['Ours'])
    await member.call('deleteSnippet', { snippetId: own.id })
    await manager.call('deleteSnippet', { snippetId: shared.id })
  })

  it('is found by words in its name and text', async () => {
    await member.call('createSnippet', { name: 'Book a call', text: 'Thursday?' })
    await member.call('createSnippet', { name: 'Café', text: 'Let us meet' })
    expect(await names(member, { query: 'cafe meet' })).toEqual(['Café'])
    expect(await names(member, { query: 'thursday' })).toEqual(['Book a call'])
    expect(await names(member, { query: 'friday' })).toEqual([])
  })

  it('must be a valid template with known variables', async () => {
    for (const text of ['Hi {{ nickname }}', 'Hi {{ firstName', '{Hi|Hello'])
      await expect(member.call('createSnippet', { name: 'Wrong', text })).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path: 'text' }],
      })
  })

  it('is deleted when its author leaves the account', async () => {
    const leaver = await makeCaller(app, 'member', manager.accountId)
    const { id } = await leaver.call('createSnippet', { name: 'Own', text: 'Hi' })
    const admin = await makeCaller(app, 'admin', manager.accountId)
    await admin.call('removeMember', { memberId: leaver.userId })
    expect(await app.owner`select from snippets where id = ${id}`).toHaveLength(0)
  })

  it('cannot be created beyond the limit', async () => {
    const author = await makeCaller(app, 'manager', manager.accountId)
    await app.owner`
      insert into snippets (account_id, id, owner_id, name, text)
      select ${author.accountId}, new_id(), ${author.userId}, 'Own', 'Hi' from generate_series(2, ${maxSnippets})`
    await author.call('createSnippet', { name: 'The last', text: 'Hi' })
    const another = author.call('createSnippet', { name: 'Too many', text: 'Hi' })
    await expect(another).rejects.toMatchObject({ code: 'Conflict' })
    await author.call('createSnippet', { name: 'Shared', text: 'Hi', isShared: true })
  })
})

describe('a rendered snippet', () => {
  it('contains the values of the person and of the rep who writes', async () => {
    await member.call('updatePerson', { personId: desk.personId, custom: { plan: 'Team' } })
    expect(await render('Hi {{ firstName }}, your plan is {{ plan }}. {{ repName }}')).toEqual({
      text: 'Hi Ada, your plan is Team. Grace Hopper',
      missing: [],
    })
    await member.call('updatePerson', { personId: desk.personId, custom: { plan: null } })
  })

  it('names missing values and never leaves them blank', async () => {
    expect(await render('Hi {{ firstName }}, how is {{ company }}? And {{ plan }}?')).toEqual({
      text: 'Hi Ada, how is [company]? And [plan]?',
      missing: ['company', 'plan'],
    })
    expect(await render('Hi {{ jobTitle | default: "there" }}')).toEqual({ text: 'Hi there', missing: [] })
  })

  it('escapes values, and contains the signature as HTML only if the text is HTML', async () => {
    await member.call('updatePerson', { personId: desk.personId, lastName: '<i>B</i>' })
    expect((await render('<p>Hi {{ lastName }}</p>{{ signature }}'))!.text).toBe(
      '<p>Hi &lt;i&gt;B&lt;/i&gt;</p><b>Grace</b>, Acme',
    )
    expect((await render('Hi {{ lastName }}, {{ signature }}'))!.text).toBe('Hi <i>B</i>, Grace, Acme')
  })

  it('always uses the same spintax option for a person', async () => {
    const { id: snippetId } = await member.call('createSnippet', { name: 'Spin', text: '{Hi|Hello|Hey}' })
    const read = async () =>
      (await member.call('getSnippet', { snippetId, personId: desk.personId })).rendered!.text
    const texts = [await read(), await read(), await read()]
    expect(['Hi', 'Hello', 'Hey']).toContain(texts[0])
    expect(new Set(texts).size).toBe(1)
  })

  it('treats the variable of a deleted custom field as missing', async () => {
    const admin = await makeCaller(app, 'admin', manager.accountId)
    const field = await admin.call('createCustomField', { key: 'old', label: 'Old', type: 'text' })
    const { id: snippetId } = await member.call('createSnippet', { name: 'Old', text: 'About {{ old }}' })
    await admin.call('deleteCustomField', { customFieldId: field.id })
    const { rendered } = await member.call('getSnippet', { snippetId, personId: desk.personId })
    expect(rendered).toEqual({ text: 'About [old]', missing: ['old'] })
  })

  it('is included with every snippet of a list and of its further pages', async () => {
    const caller = await makeCaller(app, 'member', manager.accountId)
    for (const name of ['One', 'Two'])
      await caller.call('createSnippet', { name, text: `${name}, {{ firstName }}` })
    const first = await caller.call('listSnippets', {
      ...{ isShared: false, personId: desk.personId, repId: desk.repId, limit: 1 },
    })
    const second = await caller.call('listSnippets', { cursor: first.next! })
    expect([...first.data, ...second.data].map(({ rendered }) => rendered)).toEqual([
      { text: 'Two, Ada', missing: [] },
      { text: 'One, Ada', missing: [] },
    ])
  })

  it('requires a person of the account', async () => {
    const personId = randomUUIDv7()
    await expect(member.call('listSnippets', { personId })).rejects.toMatchObject({
      code: 'NotFound',
      details: [{ path: 'personId' }],
    })
  })
})
