import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
let manager: Caller
beforeAll(async () => {
  app = await openTestApp()
  manager = await makeCaller(app, 'manager')
})
afterAll(() => app[Symbol.asyncDispose]())

const step = { subject: 'Hello {{ firstName }}', body: 'Is {{ company }} hiring?' }
const storedStep = { position: 1, channel: 'email', thread: 'new', variants: [{ ...step, weight: 1 }] }

describe('a campaign', () => {
  it('is created as a draft with the given fields, its reps in the given order', async () => {
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
      settings: {
        isEvergreen: true,
        skipActiveElsewhere: false,
        stopCompanyOnReply: false,
        holdRiskyAddresses: false,
      },
      steps: [storedStep],
    })
    expect(made.launchedAt).toBeUndefined()
    expect(await manager.call('getCampaign', { campaignId: made.id })).toEqual(made)
  })

  it('changes only the given fields', async () => {
    const rep = await manager.call('createRep', { name: 'Ada' })
    const { id: campaignId } = await manager.call('createCampaign', {
      name: 'a',
      description: 'b',
      steps: [step],
    })
    const changed = await manager.call('updateCampaign', {
      campaignId,
      repIds: [rep.id],
      settings: { skipActiveElsewhere: true, stopCompanyOnReply: true },
    })
    expect(changed).toMatchObject({
      name: 'a',
      description: 'b',
      repIds: [rep.id],
      settings: {
        isEvergreen: false,
        skipActiveElsewhere: true,
        stopCompanyOnReply: true,
        holdRiskyAddresses: false,
      },
      steps: [storedStep],
    })
    const cleared = await manager.call('updateCampaign', { campaignId, description: null, repIds: [] })
    expect(cleared.description).toBeUndefined()
    expect(cleared.repIds).toEqual([])
  })

  it('rejects reps of other accounts, with an error for each', async () => {
    const ownRep = await manager.call('createRep', { name: 'Mine' })
    const stranger = await makeCaller(app, 'manager')
    const otherRep = await stranger.call('createRep', { name: 'Theirs' })
    await expect(
      manager.call('createCampaign', {
        name: 'a',
        repIds: [ownRep.id, otherRep.id, randomUUIDv7(), ownRep.id],
      }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'repIds.1' }, { path: 'repIds.2' }, { path: 'repIds.3' }],
    })
  })

  it('is unknown to another account', async () => {
    const { id: campaignId } = await manager.call('createCampaign', { name: 'Ours' })
    const stranger = await makeCaller(app, 'manager')
    const notFound = { code: 'NotFound', message: 'There is no such campaign.' }
    await expect(stranger.call('getCampaign', { campaignId })).rejects.toMatchObject(notFound)
    await expect(stranger.call('updateCampaign', { campaignId, name: 'x' })).rejects.toMatchObject(notFound)
    await expect(stranger.call('setCampaignSteps', { campaignId, steps: [step] })).rejects.toMatchObject(
      notFound,
    )
    await expect(stranger.call('launchCampaign', { campaignId })).rejects.toMatchObject(notFound)
  })
})

describe('steps', () => {
  it('keep their ID if their position is unchanged', async () => {
    const made = await manager.call('createCampaign', { name: 'a', steps: [step] })
    const changed = await manager.call('setCampaignSteps', {
      campaignId: made.id,
      steps: [{ subject: 'Hi {{ firstName | default: "there" }}', body: '<p>{{ senderName }}</p>' }],
    })
    expect(changed.steps).toEqual([
      {
        ...made.steps[0],
        variants: [
          {
            ...made.steps[0]!.variants[0],
            subject: 'Hi {{ firstName | default: "there" }}',
            body: '<p>{{ senderName }}</p>',
          },
        ],
      },
    ])
  })

  it('default to three business days in the same thread, and can be set as they were returned', async () => {
    const made = await manager.call('createCampaign', { name: 'a', steps: [step, { body: 'Well?' }, step] })
    expect(made.steps.map(({ delay, thread }) => [delay, thread])).toEqual([
      [{ amount: 0, unit: 'minutes' }, 'new'],
      [{ amount: 3, unit: 'business_days' }, 'same'],
      [{ amount: 3, unit: 'business_days' }, 'new'],
    ])
    const steps = made.steps
    expect((await manager.call('setCampaignSteps', { campaignId: made.id, steps })).steps).toEqual(steps)
  })

  it.each([
    [[{ body: 'Hi' }], 'steps.0: must have a subject'],
    [[{ ...step, thread: 'same' }], 'steps.0: must have a subject'],
    [[step, { ...step, thread: 'same' }], 'steps.1: must not have a subject'],
    [[step, { body: 'Hi', thread: 'new' }], 'steps.1: must have a subject in each variant'],
    [[{ subject: 'Hi' }], 'steps.0.body: is required'],
    [[{ ...step, variants: [step] }], 'steps.0: must have subject and body'],
    [[{ variants: [{ ...step, weight: 0 }] }], 'steps.0.variants: must include a variant'],
    [
      [{ variants: [step, { subject: '{{ x }}', body: 'Hi' }] }],
      'steps.0.variants.1.subject: unknown variable x',
    ],
    [[{ ...step, position: 2 }], 'steps.0.position: must be 1:'],
    [[{ ...step, id: randomUUIDv7() }], 'steps.0.id: must be the ID of an existing'],
    [Array(31).fill(step), 'steps: '],
  ] as const)('are rejected with a reason for %j', async (steps, message) => {
    const { id: campaignId } = await manager.call('createCampaign', { name: 'a' })
    const given = { campaignId, steps: steps as never }
    await expect(manager.call('setCampaignSteps', given)).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringContaining(message),
    })
  })

  it('are rejected with an error for each unknown variable and invalid template', async () => {
    const { id: campaignId } = await manager.call('createCampaign', { name: 'a' })
    const broken = { subject: 'Hello {{ nickname }} of {{ planet.name }}', body: '{% if firstName %}Hi' }
    await expect(manager.call('setCampaignSteps', { campaignId, steps: [broken] })).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringMatching(
        /^steps\.0\.subject: unknown variable nickname, planet\.name; allowed variables: .*firstName/,
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

  it('are rejected with more than 10,000 Liquid tags and spintax options in total', async () => {
    const variants = (step: number) =>
      Array.from({ length: 10 }, (_, n) => ({
        subject: 'a',
        body: `${step} ${n} ${'{{ firstName }}'.repeat(190)}`,
      }))
    const steps = (count: number) =>
      Array.from({ length: count }, (_, step) => ({ variants: variants(step) }))
    await expect(manager.call('createCampaign', { name: 'd', steps: steps(6) })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'steps', message: expect.stringContaining('more than 10000') }],
    })
    await expect(manager.call('createCampaign', { name: 'd', steps: steps(5) })).resolves.toBeDefined()
  })

  it.each([
    ['Hi {Ann|Ben', 'line 1, column 4: starts a choice that is never closed'],
    ['{Hi {{ nickname }}|Hello}', 'unknown variable nickname'],
    ['{{% if title %}Hi|Hello{% endif %}}', 'line 1'],
    ['{Hi|{% if title %}Hello}', 'line 1'],
  ])('are rejected for invalid spintax such as %j', async (body, message) => {
    const steps = [{ subject: '{a|b}', body }]
    await expect(manager.call('createCampaign', { name: 'c', steps })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'steps.0.body', message: expect.stringContaining(message) }],
    })
  })
})

describe('the list', () => {
  it('returns campaigns of several statuses, newest first, page by page and back', async () => {
    const owner = await makeCaller(app)
    const statuses = [
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
    for (const [index, status] of statuses.entries()) {
      const { id } = await owner.call('createCampaign', { name: `${index}` })
      ids.push(id)
      await app.owner`
        update campaigns set status = ${status}, launched_at = ${status === 'draft' ? null : new Date()}
         where id = ${id}`
    }
    const expected = (...status: string[]) =>
      ids.filter((_, index) => status.includes(statuses[index]!)).reverse()
    const walk = async (input: Parameters<typeof page>[0]) => {
      const found: string[] = []
      let last = await page(input)
      for (;;) {
        found.push(...last.data.map(({ id }) => id))
        if (!last.next) return { found, last }
        last = await page({ cursor: last.next })
      }
    }
    const page = (input: { cursor?: string; limit?: number; status?: (typeof statuses)[number][] }) =>
      owner.call('listCampaigns', input)
    for (const status of [
      ['draft'],
      ['draft', 'completed'],
      ['active', 'completed', 'paused'],
      ['draft', 'active', 'paused', 'completed', 'draft'],
    ] as (typeof statuses)[number][][]) {
      const { found, last } = await walk({ status, limit: 2 })
      expect(found).toEqual(expected(...status))
      if (found.length > 2) {
        const before = await page({ cursor: last.previous! })
        expect(before.data.map(({ id }) => id)).toEqual(found.slice(-last.data.length - 2, -last.data.length))
      }
    }
    expect((await walk({ limit: 3 })).found).toEqual([...ids].reverse())
  })

  it('includes archived campaigns', async () => {
    const owner = await makeCaller(app)
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Old' })
    await owner.call('archiveCampaign', { campaignId })
    expect((await owner.call('listCampaigns', { status: ['draft'] })).data).toMatchObject([
      { id: campaignId, isArchived: true },
    ])
  })
})
