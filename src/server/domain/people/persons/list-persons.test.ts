import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import type { RawInput } from '../../../../contract/index.ts'

let app: TestApp
let owner: Caller
let repId: string
beforeAll(async () => {
  app = await openTestApp()
  owner = await aCaller(app)
  repId = (await owner.call('createRep', { name: 'Grace' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

let people = 0
const aPerson = (more: Partial<RawInput<'createPerson'>> = {}) =>
  owner.call('createPerson', { firstName: 'Ada', email: `ada${++people}@analytical.example`, ...more })
const list = async (filters: RawInput<'listPersons'>) =>
  (await owner.call('listPersons', { limit: 100, ...filters })).data.map(({ id }) => id)

/** Reads the list in pages of one, there and back. */
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
  it('have tags, which are found in any case', async () => {
    const persons = [await aPerson(), await aPerson(), await aPerson()]
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
    const stranger = await aCaller(app)
    await expect(stranger.call('assignTags', tagging(persons[0]!.id, 'Mine'))).rejects.toMatchObject({
      details: [{ path: 'entityId' }],
    })
  })

  it('have an owner', async () => {
    const { id: personId, ownerRepId } = await aPerson({ ownerRepId: repId })
    const { id: otherId } = await aPerson()
    expect(ownerRepId).toBe(repId)
    await owner.call('updatePerson', { personId: otherId, ownerRepId: repId })
    expect(await readPages({ ownerRepId: repId })).toEqual([otherId, personId])
    await owner.call('updatePerson', { personId: otherId, ownerRepId: null })
    expect(await list({ ownerRepId: repId })).toEqual([personId])
    await expect(owner.call('updatePerson', { personId, ownerRepId: personId })).rejects.toMatchObject({
      details: [{ path: 'ownerRepId' }],
    })
  })

  it('are filtered by campaign and status in it, those added last first', async () => {
    const persons = [await aPerson(), await aPerson()]
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

  it('are filtered by time of creation', async () => {
    const { id, createdAt } = await aPerson()
    expect(await list({ createdSince: createdAt })).toContain(id)
    expect(await list({ createdSince: '2100-01-01T00:00:00Z' })).toEqual([])
  })

  it.each<[string, RawInput<'listPersons'>, string]>([
    ['two of the filters that exclude each other', { tag: 'Customer', email: 'x@x.example' }, ''],
    ['a status without a campaign', { prospectStatus: 'paused' }, 'prospectStatus'],
  ])('are not listed by %s', async (_what, filters, path) => {
    await expect(owner.call('listPersons', filters)).rejects.toMatchObject({ details: [{ path }] })
  })
})
