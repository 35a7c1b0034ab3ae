import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === 'id' ? undefined : part)))

it('a duplicate is a draft with the same steps, settings and knowledge, and without prospects', async () => {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const { id: assistantId } = await owner.call('createAssistant', {
    name: 'Desk',
    fromNumber: '+442079460018',
  })
  const original = await owner.call('createCampaign', {
    name: 'Spring',
    description: 'For hospitals',
    repIds: [repId],
    settings: { isEvergreen: true, stopCompanyOnReply: true },
    newProspectsPerDay: 20,
    schedule: { windows: [{ days: ['mon'], from: '09:00', to: '17:00' }] },
    steps: [
      { channel: 'linkedin_connect', body: 'Hello {{ firstName }}' },
      { channel: 'linkedin_message', body: 'Hiring?', acceptWithinDays: 9 },
      {
        variants: [
          { subject: 'Hello', body: 'Hi', weight: 2 },
          { subject: 'Good morning', body: 'Hi' },
        ],
      },
      { body: 'Did you see this?' },
      { channel: 'call', call: { assistantId, data: { order: '4711' }, retries: 1 } },
      { channel: 'linkedin_view' },
    ],
  })
  await owner.call('updateCampaignKnowledge', { campaignId: original.id, tone: 'Friendly' })
  await owner.call('addProspectsToCampaign', {
    campaignId: original.id,
    data: [{ firstName: 'Grace', email: 'grace@navy.example' }],
  })
  const copy = await owner.call('duplicateCampaign', { campaignId: original.id })
  expect(withoutIds(copy)).toEqual({
    ...(withoutIds(original) as object),
    name: 'Copy of Spring',
    createdAt: copy.createdAt,
    updatedAt: copy.updatedAt,
  })
  const ids = (campaign: typeof copy) =>
    campaign.steps.flatMap(({ id, variants }) => [id, ...variants.map(variant => variant.id)])
  expect(ids(copy).filter(id => ids(original).includes(id))).toEqual([])
  expect(await owner.call('getCampaignKnowledge', { campaignId: copy.id })).toMatchObject({
    tone: 'Friendly',
  })
  expect((await owner.call('listProspects', { campaignId: copy.id })).data).toEqual([])
  const named = await owner.call('duplicateCampaign', { campaignId: copy.id, name: 'Autumn' })
  expect(named.name).toBe('Autumn')
})
