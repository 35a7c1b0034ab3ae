import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import type { RawInput } from '../../../../contract/index.ts'

let app: TestApp
let owner: Caller
let repId: string
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  repId = (await owner.call('createRep', { name: 'Grace' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

let personCount = 0
const makePerson = (more: Partial<RawInput<'createPerson'>> = {}) =>
  owner.call('createPerson', { firstName: 'Ada', email: `ada${++personCount}@analytical.example`, ...more })
const list = async (filters: RawInput<'listPersons'>) =>
  (await owner.call('listPersons', { limit: 100, ...filters })).data.map(({ id }) => id)

/** Reads the list forward and backward, one row per page. */
async function readPages(filters: RawInput<'listPersons'>): Promise<string[]> {
  const ids: string[] = []
  let page = await owner.call('listPersons', { ...filters, limit: 1 })
  for (;;) {
    ids.push(...page.data.map(({ id }) => id))
    if (!page.next) break
    page = await owner.call('listPersons', { cursor: page.next })
  }
  const back: string[] = page.data.map(({ id }) => id)
  while (page.previous) {
    page = await owner.call('listPersons', { cursor: page.previous })
    back.unshift(...page.data.map(({ id }) => id))
  }
  expect(back).toEqual(ids)
  return ids
}

describe('persons', () => {
  it('have tags, which are matched regardless of case', async () => {
    const persons = [await makePerson(), await makePerson(), await makePerson()]
    const tagging = (entityId: string, ...tags: string[]) => ({
      entityType: 'person' as const,
      entityId,
      tags,
    })
    for (const { id } of persons) await owner.call('assignTags', tagging(id, 'Customer'))
    expect(await owner.call('assignTags', tagging(persons[0]!.id, 'customer', 'Partner'))).toEqual({
      tags: ['Customer', 'Partner'],
    })
    expect((await owner.call('getPerson', { personId: persons[0]!.id })).tags).toEqual([
      'Customer',
      'Partner',
    ])
    const newestFirst = persons.map(({ id }) => id).reverse()
    expect(await readPages({ tag: 'CUSTOMER' })).toEqual(newestFirst)
    expect(await list({ tag: 'Customer', query: persons[1]!.email! })).toEqual([persons[1]!.id])
    await owner.call('unassignTags', tagging(persons[2]!.id, 'Customer'))
    expect(await list({ tag: 'Customer' })).toEqual(newestFirst.slice(1))
    expect((await owner.call('getPerson', { personId: persons[2]!.id })).tags).toBeUndefined()
    expect(await list({ tag: 'Nobody has it' })).toEqual([])
    const stranger = await makeCaller(app)
    await expect(stranger.call('assignTags', tagging(persons[0]!.id, 'Mine'))).rejects.toMatchObject({
      details: [{ path: 'entityId' }],
    })
  })

  it('are found by the intent of their replies', async () => {
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Replies' })
    const persons = [await makePerson(), await makePerson(), await makePerson()]
    const { data } = await owner.call('addProspectsToCampaign', {
      ...{ campaignId, data: persons.map(({ email }) => ({ email: email! })) },
    })
    const setIntent = (index: number, intent: string) =>
      app.owner`update prospects set intent = ${intent} where id = ${data[index]!.prospectId!}`
    await setIntent(0, 'interested')
    await setIntent(1, 'question')
    const [first, second] = persons.map(({ id }) => id)
    expect(await list({ intent: ['interested'] })).toEqual([first])
    expect((await readPages({ intent: ['interested', 'question'], campaignId })).toSorted()).toEqual(
      [first, second].toSorted(),
    )
    expect(await list({ intent: ['question'], query: persons[0]!.email! })).toEqual([])
  })

  it('have an owner', async () => {
    const { id: personId, ownerRepId } = await makePerson({ ownerRepId: repId })
    const { id: otherId } = await makePerson()
    expect(ownerRepId).toBe(repId)
    await owner.call('updatePerson', { personId: otherId, ownerRepId: repId })
    expect(await readPages({ ownerRepId: repId })).toEqual([otherId, personId])
    await owner.call('updatePerson', { personId: otherId, ownerRepId: null })
    expect(await list({ ownerRepId: repId })).toEqual([personId])
    await expect(owner.call('updatePerson', { personId, ownerRepId: personId })).rejects.toMatchObject({
      details: [{ path: 'ownerRepId' }],
    })
  })

  it('are filtered by campaign and prospect status, most recently added first', async () => {
    const persons = [await makePerson(), await makePerson()]
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: persons[1]!.email! }],
    })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: persons[0]!.email! }] })
    expect(await readPages({ campaignId })).toEqual([persons[0]!.id, persons[1]!.id])
    await owner.call('pauseProspect', { prospectId: (data[0] as { prospectId: string }).prospectId })
    expect(await list({ campaignId, prospectStatus: 'paused' })).toEqual([persons[1]!.id])
    expect(await list({ campaignId, query: persons[0]!.email! })).toEqual([persons[0]!.id])
  })

  it('are filtered by creation time', async () => {
    const { id, createdAt } = await makePerson()
    expect(await list({ createdSince: createdAt })).toContain(id)
    expect(await list({ createdSince: '2100-01-01T00:00:00Z' })).toEqual([])
  })

  it('are filtered by the domain of their email address', async () => {
    const { id } = await makePerson({ email: 'grace@navy.example' })
    await makePerson({ email: 'grace@ships.navy.example' })
    expect(await readPages({ domain: 'Navy.example' })).toEqual([id])
    await expect(list({ domain: 'no domain' })).rejects.toMatchObject({ details: [{ path: 'domain' }] })
  })

  it('are filtered by the value of a custom field', async () => {
    await owner.call('createCustomField', { label: 'Fleet', key: 'fleet', type: 'number' })
    const large = [await makePerson({ custom: { fleet: 40 } }), await makePerson({ custom: { fleet: 40 } })]
    await makePerson({ custom: { fleet: 4 } })
    expect(await readPages({ custom: 'fleet: 40' })).toEqual(large.map(({ id }) => id).reverse())
    expect(await list({ custom: 'fleet:40', query: large[0]!.email! })).toEqual([large[0]!.id])
    expect(await list({ custom: 'fleet:41' })).toEqual([])
    for (const custom of ['fleet', 'fleet:', 'fleet:many', 'size:40']) {
      await expect(list({ custom })).rejects.toMatchObject({
        details: [{ path: expect.stringMatching(/^custom/) }],
      })
    }
  })

  it('are excluded on request when they are on the Do Not Contact list', async () => {
    const tags = ['Blocked test']
    const persons = [
      await makePerson(),
      await makePerson({ email: 'someone@blocked.example' }),
      await makePerson(),
    ]
    for (const { id } of persons) await owner.call('assignTags', { entityType: 'person', entityId: id, tags })
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: persons[0]!.email! }, { identifier: 'blocked.example' }],
    })
    expect(await readPages({ tag: tags[0], excludeOptedOut: true })).toEqual([persons[2]!.id])
  })

  it('are sorted by name in both directions, with every filter', async () => {
    const tag = 'Sort test'
    const persons = [
      await makePerson({ firstName: 'bob', lastName: 'Stone' }),
      await makePerson({ firstName: 'Émile', lastName: 'Zola' }),
      await makePerson({ firstName: 'Ada', lastName: 'Byron' }),
      await makePerson({ firstName: 'Ada', lastName: 'Byron' }),
      await makePerson({ firstName: undefined, email: 'carl@known.example' }),
    ]
    for (const { id } of persons)
      await owner.call('assignTags', { entityType: 'person', entityId: id, tags: [tag] })
    const [bob, emile, ada, otherAda, carl] = persons.map(({ id }) => id)
    const byName = [ada, otherAda, bob, carl, emile]
    expect(await readPages({ tag, sort: 'name' })).toEqual(byName)
    expect(await readPages({ tag, sort: 'name', order: 'desc' })).toEqual(byName.toReversed())
    expect(await readPages({ domain: 'known.example', sort: 'name' })).toEqual([carl])
    expect(await readPages({ query: 'stone', sort: 'name' })).toEqual([bob])
    const all = await readPages({ sort: 'name' })
    expect(new Set(all).size).toBe(all.length)
    expect(all.toSorted()).toEqual((await readPages({})).toSorted())
  })

  it.each<[string, RawInput<'listPersons'>, string]>([
    [
      'a sort order that conflicts with the filter by last contact',
      { lastContactedAfter: '2026-01-01T00:00:00Z', sort: 'name' },
      'sort',
    ],
    ['two filters that exclude each other', { tag: 'Customer', email: 'x@x.example' }, ''],
    ['a prospect status but no campaign', { prospectStatus: 'paused' }, 'prospectStatus'],
  ])('cannot be listed with %s', async (_what, filters, path) => {
    await expect(owner.call('listPersons', filters)).rejects.toMatchObject({ details: [{ path }] })
  })
})

describe('the last contact of persons', () => {
  const at = (day: number) => `2026-03-${String(day).padStart(2, '0')}T09:00:00.000Z`

  it('sorts and filters persons, with those never contacted as the earliest', async () => {
    await using quiet = await openTestApp()
    const user = await makeCaller(quiet)
    const { id: repId } = await user.call('createRep', { name: 'Grace' })
    const { id: campaignId } = await user.call('createCampaign', { name: 'Spring', repIds: [repId] })
    const persons: string[] = []
    for (const day of [3, 1, 2, undefined]) {
      const { data } = await user.call('addProspectsToCampaign', {
        campaignId,
        data: [{ linkedinUrl: `https://www.linkedin.com/in/person-${persons.length}` }],
      })
      const { prospectId } = data[0] as { prospectId: string }
      persons.push((await user.call('getProspect', { prospectId })).personId)
      if (!day) continue
      const messages = [
        { type: 'manual', happenedAt: at(day) },
        { type: 'received', happenedAt: at(10 - day) },
      ] as const
      for (const message of messages)
        await user.call('recordLinkedinMessage', { prospectId, repId, text: 'Hello', ...message })
    }
    const read = async (filters: RawInput<'listPersons'>) =>
      (await user.call('listPersons', filters)).data.map(({ id }) => persons.indexOf(id))
    expect(await read({ sort: 'lastContactedAt' })).toEqual([0, 2, 1, 3])
    expect(await read({ sort: 'lastContactedAt', order: 'asc' })).toEqual([3, 1, 2, 0])
    expect(await read({ sort: 'lastRepliedAt' })).toEqual([1, 2, 0, 3])
    expect(await read({ lastContactedBefore: at(2) })).toEqual([1, 3])
    expect(await read({ lastContactedAfter: at(2) })).toEqual([0, 2])
    expect(await read({ lastContactedAfter: at(2), lastContactedBefore: at(3) })).toEqual([2])
    const days = Math.floor((quiet.now().getTime() - Date.parse(at(2))) / 86_400_000)
    expect(await read({ notContactedForDays: days })).toEqual([2, 1, 3])
    expect(await read({ contactedWithinDays: days + 1 })).toEqual([0, 2])
    expect(await user.call('getPerson', { personId: persons[0]! })).toMatchObject({
      lastContactedAt: at(3),
      lastRepliedAt: at(7),
    })
  })
})
