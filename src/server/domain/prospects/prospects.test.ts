import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDesk, makeThread } from '../../../../test/support/campaigns/inbox.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

async function makeProspect() {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const { data } = await caller.call('addProspectsToCampaign', {
    campaignId,
    data: [{ email: 'ada@x.example' }],
  })
  await app.owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId}`
  const prospectId = data[0]!.prospectId!
  const set = (fields: object) =>
    app.owner`update prospects set ${app.owner.assignments(fields)} where id = ${prospectId}`
  return { caller, campaignId, prospectId, set }
}

describe('prospects', () => {
  it.each([
    ['by address', 'ada@x.example', true],
    ['by address, without being paused', 'ada@x.example', false],
    ['by domain', 'x.example', true],
    ['by parent domain', 'example.example', false],
    ['by LinkedIn profile', 'linkedin.com/in/ada-next', false],
    ['by phone number', '+442079460123', false],
  ])('are held if they are on the Do Not Contact list %s', async (_what, identifier, isPaused) => {
    const caller = await makeCaller(app)
    const { campaignId } = await makeDesk(caller)
    const steps = [{ subject: 'Hello', body: 'Hello' }]
    await caller.call('setCampaignSteps', { campaignId, steps })
    const email = identifier === 'example.example' ? 'ada@sub.example.example' : 'ada@x.example'
    const { data } = await caller.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email, linkedinUrl: 'linkedin.com/in/ada-next', phone: '+442079460123' }],
    })
    const prospectId = data[0]!.prospectId!
    const read = async () => (await caller.call('getProspect', { prospectId })).next
    expect(await read()).toMatchObject({ step: 1, heldBy: 'campaign_draft' })
    await caller.call('addOptOuts', { identifiers: [{ identifier }], pauseActiveProspects: isPaused })
    expect(await read()).toEqual({ step: 1, stepId: expect.any(String), heldBy: 'do_not_contact' })
    await caller.call('removeOptOut', { identifier })
    expect(await read()).toMatchObject({ heldBy: isPaused ? 'prospect_paused' : 'campaign_draft' })
    await app.owner`update prospects set status = 'opted_out', next_step_at = null where id = ${prospectId}`
    expect(await read()).toEqual({ step: 1, stepId: expect.any(String), heldBy: 'do_not_contact' })
  })

  it('are listed with their person and filtered by person, address, status and intent', async () => {
    const caller = await makeCaller(app)
    const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
    const { data: added } = await caller.call('addProspectsToCampaign', {
      campaignId,
      data: ['ada', 'ben', 'cyd'].map(name => ({
        firstName: name,
        email: `${name}@x.example`,
        ...(name === 'ada' && { company: 'X Ltd' }),
      })),
    })
    const [ada, ben, cyd] = added.map(({ prospectId }) => prospectId!)
    await app.owner`update prospects set status = 'replied', intent = 'interested' where id = ${ada!}`
    await app.owner`update prospects set status = 'replied', intent = 'question' where id = ${ben!}`
    const { data } = await caller.call('listProspects', {})
    const person = data.find(({ id }) => id === ada)!.person
    expect(person).toEqual({
      id: added[0]!.personId,
      firstName: 'ada',
      email: 'ada@x.example',
      company: 'X Ltd',
    })
    const find = async (filters: object) =>
      (await caller.call('listProspects', filters)).data.map(({ id }) => id).sort()
    expect(await find({ personId: person!.id })).toEqual([ada])
    expect(await find({ email: 'BEN@x.example' })).toEqual([ben])
    expect(await find({ status: ['replied'] })).toEqual([ada, ben].sort())
    expect(await find({ status: ['replied', 'pending'], campaignId })).toEqual([ada, ben, cyd].sort())
    expect(await find({ intent: ['question'] })).toEqual([ben])
    expect(await find({ intent: ['question', 'interested'], status: ['replied'] })).toEqual([ada, ben].sort())
    expect(await find({ intent: ['question'], email: 'ada@x.example' })).toEqual([])
    await expect(find({ personId: ada })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringMatching(/personId.*ID of a prospect/),
    })
    await expect(find({ email: 'ada' })).rejects.toMatchObject({ code: 'ValidationError' })
  })

  it('are listed newest first, for all campaigns or one', async () => {
    const { caller, campaignId, prospectId } = await makeProspect()
    const { id: other } = await caller.call('createCampaign', { name: 'Summer' })
    await caller.call('addProspectsToCampaign', { campaignId: other, data: [{ email: 'ben@x.example' }] })
    const all = await caller.call('listProspects', {})
    expect(all.data.map(prospect => prospect.campaignId)).toEqual([other, campaignId])
    expect((await caller.call('listProspects', { campaignId })).data.map(({ id }) => id)).toEqual([
      prospectId,
    ])
  })

  it('are listed with their person and email thread, for a campaign and a status', async () => {
    const caller = await makeCaller(app)
    const desk = await makeDesk(caller)
    const { campaignId, prospectId } = desk
    await caller.call('addProspectsToCampaign', {
      campaignId,
      data: [{ lastName: 'Hopper', email: 'grace@navy.example', company: 'Navy' }],
    })
    const emailThreadId = await makeThread(app, caller, desk)
    const { data } = await caller.call('listCampaignProspects', { campaignId })
    expect(data).toEqual([
      expect.objectContaining({
        status: 'pending',
        person: { id: expect.any(String), lastName: 'Hopper', email: 'grace@navy.example', company: 'Navy' },
      }),
      expect.objectContaining({
        id: prospectId,
        emailThreadId,
        person: expect.objectContaining({ firstName: 'Ada' }),
      }),
    ])
    await caller.call('pauseProspect', { prospectId })
    const paused = await caller.call('listCampaignProspects', { campaignId, status: 'paused' })
    expect(paused.data.map(({ id }) => id)).toEqual([prospectId])
  })

  it.each(['pending', 'active', 'out_of_office'])(
    'are paused from %s and resumed with the same due time',
    async status => {
      const { caller, prospectId, set } = await makeProspect()
      await set({ status })
      const before = await caller.call('getProspect', { prospectId })
      const paused = await caller.call('pauseProspect', { prospectId })
      expect(paused).toMatchObject({ status: 'paused', statusReason: 'manual' })
      expect(paused.nextStepAt).toBeUndefined()
      await expect(caller.call('pauseProspect', { prospectId })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('paused'),
      })
      const resumed = await caller.call('resumeProspect', { prospectId })
      expect(resumed.status).toBe('pending')
      expect(resumed.nextStepAt).toBe(before.nextStepAt)
      expect(resumed.statusReason).toBeUndefined()
    },
  )

  it.each(['replied', 'completed', 'opted_out', 'failed'])(
    'can be neither paused nor resumed once %s',
    async status => {
      const { caller, prospectId, set } = await makeProspect()
      await set({ status })
      for (const operation of ['pauseProspect', 'resumeProspect'] as const) {
        await expect(caller.call(operation, { prospectId })).rejects.toMatchObject({
          code: 'Conflict',
          message: expect.stringContaining(status),
        })
      }
    },
  )

  it('are completed when they are resumed after their last step was sent during the pause', async () => {
    const { caller, campaignId, prospectId, set } = await makeProspect()
    await caller.call('pauseProspect', { prospectId })
    await set({ steps_done: 1, next_step_at: null })
    expect((await caller.call('resumeProspect', { prospectId })).status).toBe('completed')
    expect((await caller.call('getCampaign', { campaignId })).status).toBe('completed')
  })

  it('cannot be resumed while the person is on the Do Not Contact list', async () => {
    const { caller, prospectId } = await makeProspect()
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'x.example' }] })
    expect(await caller.call('getProspect', { prospectId })).toMatchObject({
      status: 'paused',
      statusReason: 'do_not_contact',
    })
    await expect(caller.call('resumeProspect', { prospectId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('x.example'),
    })
    await caller.call('removeOptOut', { identifier: 'x.example' })
    expect((await caller.call('resumeProspect', { prospectId })).status).toBe('pending')
  })
})

describe('several prospects', () => {
  /** Adds three people at one company and one at another to two campaigns. */
  async function makeProspects() {
    const caller = await makeCaller(app)
    const people = ['ada', 'ben', 'cyd', 'dan'].map((name, n) => ({
      ...{
        firstName: name,
        email: n < 3 ? `${name}@x.example` : `${name}@y.example`,
        company: n < 3 ? 'X Ltd' : 'Y Ltd',
      },
    }))
    const add = async (name: string, data: typeof people) => {
      const { id: campaignId } = await caller.call('createCampaign', { name })
      return (await caller.call('addProspectsToCampaign', { campaignId, data })).data
    }
    const added = [...(await add('Spring', people.slice(0, 2))), ...(await add('Summer', people.slice(2)))]
    const [ada, ben, cyd, dan] = added.map(({ prospectId }) => prospectId!) as [
      string,
      string,
      string,
      string,
    ]
    const { companyId } = await caller.call('getPerson', { personId: added[0]!.personId! })
    const getStatus = async (prospectId: string) => (await caller.call('getProspect', { prospectId })).status
    return { caller, ada, ben, cyd, dan, companyId: companyId!, getStatus }
  }
  const getOutcomes = ({ data }: { data: { outcome: string }[] }) => data.map(({ outcome }) => outcome)

  it('are paused and resumed together, with an outcome for each', async () => {
    const { caller, ada, ben, cyd, getStatus } = await makeProspects()
    await app.owner`update prospects set status = 'replied' where id = ${cyd}`
    const prospectIds = [ben, ada, cyd]
    for (const operation of ['pauseProspects', 'resumeProspects'] as const)
      await expect(caller.call(operation, { prospectIds, expectedPeople: 3 })).rejects.toMatchObject({
        code: 'Conflict',
      })
    expect(await getStatus(ada)).toBe('pending')
    const paused = await caller.call('pauseProspects', { prospectIds, expectedPeople: 2 })
    expect(paused).toMatchObject({ total: 3, paused: 2, skipped: 1, inFlight: 0 })
    expect(getOutcomes(paused)).toEqual(['paused', 'paused', 'already_ended'])
    const again = await caller.call('pauseProspects', { prospectIds: [ada] })
    expect(getOutcomes(again)).toEqual(['already_paused'])
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'ada@x.example' }] })
    const resumed = await caller.call('resumeProspects', { prospectIds, expectedPeople: 1 })
    expect(resumed).toMatchObject({ total: 3, resumed: 1, skipped: 2 })
    expect(resumed.data).toMatchObject([
      { prospectId: ben, outcome: 'resumed' },
      { prospectId: ada, outcome: 'do_not_contact', reason: expect.stringContaining('ada@x.example') },
      { prospectId: cyd, outcome: 'not_resumable', reason: expect.stringContaining('replied') },
    ])
    expect([await getStatus(ben), await getStatus(ada)]).toEqual(['pending', 'paused'])
    const { data: log } = await caller.call('listAuditLog', { limit: 100 })
    for (const action of ['pause', 'resume'])
      expect(log.filter(entry => entry.action === action && entry.auditedId === ben)).toHaveLength(1)
  })

  it('can be paused, resumed and stopped by company, in all campaigns', async () => {
    const { caller, companyId, cyd, dan, getStatus } = await makeProspects()
    expect(await caller.call('pauseProspects', { companyId, expectedPeople: 3 })).toMatchObject({ paused: 3 })
    expect([await getStatus(cyd), await getStatus(dan)]).toEqual(['paused', 'pending'])
    expect(await caller.call('pauseProspects', { companyId })).toMatchObject({ total: 0, paused: 0 })
    expect(await caller.call('resumeProspects', { companyId, expectedPeople: 3 })).toMatchObject({
      resumed: 3,
    })
    expect(await caller.call('stopProspects', { companyId, expectedPeople: 3 })).toMatchObject({ stopped: 3 })
    expect([await getStatus(cyd), await getStatus(dan)]).toEqual(['stopped', 'pending'])
  })

  it('are selected by ID or by company, not by both or neither', async () => {
    const { caller, companyId, ada } = await makeProspects()
    for (const input of [{}, { companyId, prospectIds: [ada] }])
      await expect(caller.call('pauseProspects', input)).rejects.toMatchObject({ code: 'ValidationError' })
    await expect(caller.call('pauseProspects', { companyId: ada })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('companyId'),
    })
  })
})
