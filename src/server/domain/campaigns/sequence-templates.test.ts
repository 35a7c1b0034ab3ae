import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { sequenceTemplateIds } from '../../../contract/campaigns.ts'

let app: TestApp
let owner: Caller
let repId: string
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 Row', optOutLine: 'Reply stop.' })
  repId = (await makeDesk(owner)).repId
})
afterAll(() => app[Symbol.asyncDispose]())

it.each(sequenceTemplateIds)(
  'the template %s is listed, previews without a warning, and cannot be launched before its placeholders are replaced',
  async template => {
    const { data } = await owner.call('listSequenceTemplates', {})
    const listed = data.find(({ id }) => id === template)!
    const { id: campaignId, steps } = await owner.call('createCampaign', {
      ...{ name: listed.name, repIds: [repId], template },
    })
    expect(steps.map(({ variants }) => variants[0]?.body)).toEqual(listed.steps.map(({ body }) => body))
    const people = [{ email: 'ada@a.example' }, { firstName: 'Ada', company: 'Navy', email: 'ada@a.example' }]
    for (const { id: stepId, channel } of steps)
      for (const person of people) {
        const { warnings } = await owner.call('previewCampaign', { campaignId, stepId, person })
        expect(
          warnings.filter(({ code }) => code !== 'no_linkedin_url'),
          channel,
        ).toEqual([])
      }
    await expect(owner.call('launchCampaign', { campaignId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('double brackets'),
    })
    for (const { id: stepId, variants } of steps)
      for (const { subject, body } of variants)
        await owner.call('updateCampaignStep', {
          ...{ campaignId, stepId, body: body.replaceAll(/\[\[.*?\]\]/g, 'our words') },
          ...(subject && { subject: subject.replaceAll(/\[\[.*?\]\]/g, 'our words') }),
        })
    expect(await owner.call('launchCampaign', { campaignId })).toMatchObject({
      status: 'active',
      recipients: 0,
    })
  },
)

it('a launched campaign accepts no step with a placeholder, whether it is active or paused', async () => {
  const step = { subject: 'Hello', body: 'Hi' }
  const { id: campaignId, steps } = await owner.call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId], steps: [step], settings: { isEvergreen: true } },
  })
  const body = 'Try [[your product]]'
  const refused = {
    code: 'Conflict',
    message: expect.stringMatching(/not changed: step 1 has text in double brackets/),
    details: [{ path: 'steps.0' }],
  }
  await owner.call('launchCampaign', { campaignId })
  for (const operation of ['pauseCampaign', 'resumeCampaign'] as const) {
    await expect(
      owner.call('setCampaignSteps', { campaignId, steps: [{ ...step, body }] }),
    ).rejects.toMatchObject(refused)
    await expect(
      owner.call('updateCampaignStep', { campaignId, stepId: steps[0]!.id, body }),
    ).rejects.toMatchObject(refused)
    await owner.call(operation, { campaignId })
  }
  expect((await owner.call('getCampaign', { campaignId })).steps).toEqual(steps)
})

it('a campaign starts from a template or from steps, not from both', async () => {
  const given = { name: 'Spring', template: 'lost_deal', steps: [{ subject: 'Hello', body: 'Hi' }] } as const
  await expect(owner.call('createCampaign', { ...given, steps: [...given.steps] })).rejects.toMatchObject({
    code: 'ValidationError',
    details: [{ path: 'template' }],
  })
})
