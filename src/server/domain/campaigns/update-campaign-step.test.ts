import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDueCampaign } from '../../../../test/support/campaigns/due-campaign.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'

let app: TestApp
let owner: Caller
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const steps = [
  { subject: 'Loger', body: 'Our loger' },
  { delay: { amount: 2, unit: 'days' as const }, variants: [{ body: 'A' }, { body: 'B', weight: 3 }] },
  { channel: 'call' as const, call: { retries: 1, data: { about: 'loger' } } },
  { channel: 'linkedin_connect' as const },
]

const makeCampaign = () => owner.call('createCampaign', { name: 'Spring', steps })

describe('a change to one step', () => {
  it('keeps its other fields, the other steps and all IDs', async () => {
    const { id: campaignId, steps: before } = await makeCampaign()
    const [first, second, call] = before as [(typeof before)[0], (typeof before)[0], (typeof before)[0]]
    await owner.call('updateCampaignStep', { campaignId, stepId: first.id, body: 'Our logger' })
    await owner.call('updateCampaignStep', { campaignId, stepId: first.id, subject: 'Logger' })
    await owner.call('updateCampaignStep', {
      ...{ campaignId, stepId: second.id, delay: { amount: 5, unit: 'hours' } },
      variants: [{ id: second.variants[1]!.id.toUpperCase(), body: 'C' }],
    })
    const changed = await owner.call('updateCampaignStep', {
      campaignId,
      stepId: call.id,
      call: { retries: 4 },
    })
    expect(changed.steps).toEqual([
      { ...first, variants: [{ ...first.variants[0], subject: 'Logger', body: 'Our logger' }] },
      {
        ...second,
        delay: { amount: 5, unit: 'hours' },
        variants: [second.variants[0], { ...second.variants[1], body: 'C' }],
      },
      { ...call, call: { ...call.call, retries: 4 } },
      before[3],
    ])
  })

  it('adds a note to an invitation, and turns the first email of a thread into a reply', async () => {
    const { id: campaignId, steps: before } = await makeCampaign()
    const invited = await owner.call('updateCampaignStep', { campaignId, stepId: before[3]!.id, body: 'Hi' })
    expect(invited.steps[3]!.variants).toMatchObject([{ body: 'Hi' }])
    const { id: stepId, variants } = before[1]!
    const subjects = variants.map(({ id }) => ({ id, subject: 'New' }))
    await owner.call('updateCampaignStep', { campaignId, stepId, thread: 'new', variants: subjects })
    const reply = await owner.call('updateCampaignStep', {
      ...{ campaignId, stepId, thread: 'same', variants: variants.map(({ id }) => ({ id, subject: null })) },
    })
    expect(reply.steps[1]).toEqual(before[1])
  })

  it('is checked against the rules of all steps, and errors name the field as given', async () => {
    const { id: campaignId, steps: before } = await makeCampaign()
    const [first, second] = before as [(typeof before)[0], (typeof before)[0]]
    const expectRejection = (input: object) =>
      expect(owner.call('updateCampaignStep', { campaignId, stepId: first.id, ...input })).rejects
    await expectRejection({ body: '{{ nickname }}' }).toMatchObject({
      details: [{ path: 'variants.0.body', message: expect.stringContaining('unknown variable') }],
    })
    await expectRejection({ subject: null }).toMatchObject({ details: [{ path: '' }] })
    await expectRejection({ stepId: second.id, body: 'C' }).toMatchObject({ details: [{ path: 'variants' }] })
    await expectRejection({ variants: [{ id: randomUUID(), body: 'C' }] }).toMatchObject({
      details: [{ path: 'variants.0.id' }],
    })
    await expectRejection({ stepId: randomUUID(), body: 'C' }).toMatchObject({ code: 'NotFound' })
    expect((await owner.call('getCampaign', { campaignId })).steps).toEqual(before)
  })

  it('changes the queued emails of an active campaign', async () => {
    const { owner, campaignId } = await makeDueCampaign(app, 1)
    await planOnce(app)
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('updateCampaignStep', { campaignId, stepId: steps[0]!.id, body: 'Corrected' })
    await planOnce(app)
    const { data } = await owner.call('listEmailMessages', { campaignId })
    expect(data).toMatchObject([{ body: expect.stringContaining('Corrected') }])
  })
})
