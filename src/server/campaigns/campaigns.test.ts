import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../test/support/app.ts'

let app: TestApp
let manager: Caller
beforeAll(async () => {
  app = await openTestApp()
  manager = await aCaller(app, 'manager')
})
afterAll(() => app[Symbol.asyncDispose]())

const step = { subject: 'Hello {{ firstName }}', body: 'Is {{ company }} hiring?' }

describe('a campaign', () => {
  it('starts as a draft that holds what it was given, reps in their order', async () => {
    const reps = [
      await manager.call('createRep', { name: 'b' }),
      await manager.call('createRep', { name: 'a' }),
    ]
    const repIds = reps.map(rep => rep.id).reverse()
    const made = await manager.call('createCampaign', {
      name: ' Spring ',
      description: 'First wave',
      repIds,
      settings: { isEvergreen: true },
      steps: [step],
    })
    expect(made).toMatchObject({
      objectType: 'campaign',
      name: 'Spring',
      description: 'First wave',
      status: 'draft',
      isArchived: false,
      repIds,
      settings: { isEvergreen: true, skipActiveElsewhere: false },
      steps: [{ position: 1, channel: 'email', ...step }],
    })
    expect(made.launchedAt).toBeUndefined()
    expect(await manager.call('getCampaign', { campaignId: made.id })).toEqual(made)
  })

  it('changes only what is given', async () => {
    const rep = await manager.call('createRep', { name: 'Ada' })
    const { id: campaignId } = await manager.call('createCampaign', {
      name: 'a',
      description: 'b',
      steps: [step],
    })
    const changed = await manager.call('updateCampaign', {
      campaignId,
      repIds: [rep.id],
      settings: { skipActiveElsewhere: true },
    })
    expect(changed).toMatchObject({
      name: 'a',
      description: 'b',
      repIds: [rep.id],
      settings: { isEvergreen: false, skipActiveElsewhere: true },
      steps: [step],
    })
    const cleared = await manager.call('updateCampaign', { campaignId, description: null, repIds: [] })
    expect(cleared.description).toBeUndefined()
    expect(cleared.repIds).toEqual([])
  })

  it('refuses reps that are not the account’s, naming each', async () => {
    const mine = await manager.call('createRep', { name: 'Mine' })
    const stranger = await aCaller(app, 'manager')
    const theirs = await stranger.call('createRep', { name: 'Theirs' })
    await expect(
      manager.call('createCampaign', { name: 'a', repIds: [mine.id, theirs.id, randomUUIDv7(), mine.id] }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'repIds.1' }, { path: 'repIds.2' }, { path: 'repIds.3' }],
    })
  })

  it('is unknown to another account', async () => {
    const { id: campaignId } = await manager.call('createCampaign', { name: 'Ours' })
    const stranger = await aCaller(app, 'manager')
    const known = { code: 'NotFound', message: 'There is no such campaign.' }
    await expect(stranger.call('getCampaign', { campaignId })).rejects.toMatchObject(known)
    await expect(stranger.call('updateCampaign', { campaignId, name: 'x' })).rejects.toMatchObject(known)
    await expect(stranger.call('setCampaignSteps', { campaignId, steps: [step] })).rejects.toMatchObject(
      known,
    )
    await expect(stranger.call('launchCampaign', { campaignId })).rejects.toMatchObject(known)
  })
})

describe('steps', () => {
  it('keep their id while their place stays', async () => {
    const made = await manager.call('createCampaign', { name: 'a', steps: [step] })
    const changed = await manager.call('setCampaignSteps', {
      campaignId: made.id,
      steps: [{ subject: 'Hi {{ firstName | default: "there" }}', body: '<p>{{ senderName }}</p>' }],
    })
    expect(changed.steps).toEqual([
      {
        id: made.steps[0]!.id,
        position: 1,
        channel: 'email',
        subject: 'Hi {{ firstName | default: "there" }}',
        body: '<p>{{ senderName }}</p>',
      },
    ])
  })

  it('refuse variables that nobody has and templates that cannot be read, naming all', async () => {
    const { id: campaignId } = await manager.call('createCampaign', { name: 'a' })
    const broken = { subject: 'Hello {{ nickname }} of {{ planet.name }}', body: '{% if firstName %}Hi' }
    await expect(manager.call('setCampaignSteps', { campaignId, steps: [broken] })).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringMatching(
        /^steps\.0\.subject: does not know nickname, planet\.name; it may use .*firstName/,
      ),
      details: [
        { path: 'steps.0.subject' },
        { path: 'steps.0.body', message: expect.stringContaining('line 1') },
      ],
    })
    await expect(manager.call('createCampaign', { name: 'b', steps: [broken] })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    expect((await manager.call('getCampaign', { campaignId })).steps).toEqual([])
  })
})

describe('the list', () => {
  it('gives the campaigns of several states as one list, newest first, page by page and back', async () => {
    const owner = await aCaller(app)
    const states = [
      'draft',
      'paused',
      'draft',
      'completed',
      'paused',
      'active',
      'draft',
      'completed',
    ] as const
    const ids: string[] = []
    for (const [index, status] of states.entries()) {
      const { id } = await owner.call('createCampaign', { name: `${index}` })
      ids.push(id)
      await app.owner`
        update campaigns set status = ${status}, launched_at = ${status === 'draft' ? null : new Date()}
         where id = ${id}`
    }
    const wanted = (...status: string[]) =>
      ids.filter((_, index) => status.includes(states[index]!)).reverse()
    const walk = async (input: Parameters<typeof page>[0]) => {
      const found: string[] = []
      let last = await page(input)
      for (;;) {
        found.push(...last.data.map(({ id }) => id))
        if (!last.next) return { found, last }
        last = await page({ cursor: last.next })
      }
    }
    const page = (input: { cursor?: string; limit?: number; status?: (typeof states)[number][] }) =>
      owner.call('listCampaigns', input)
    for (const status of [
      ['draft'],
      ['draft', 'completed'],
      ['active', 'completed', 'paused'],
      ['draft', 'active', 'paused', 'completed', 'draft'],
    ] as (typeof states)[number][][]) {
      const { found, last } = await walk({ status, limit: 2 })
      expect(found).toEqual(wanted(...status))
      if (found.length > 2) {
        const before = await page({ cursor: last.previous! })
        expect(before.data.map(({ id }) => id)).toEqual(found.slice(-last.data.length - 2, -last.data.length))
      }
    }
    expect((await walk({ limit: 3 })).found).toEqual([...ids].reverse())
  })

  it('keeps archived campaigns in', async () => {
    const owner = await aCaller(app)
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Old' })
    await owner.call('archiveCampaign', { campaignId })
    expect((await owner.call('listCampaigns', { status: ['draft'] })).data).toMatchObject([
      { id: campaignId, isArchived: true },
    ])
  })
})
