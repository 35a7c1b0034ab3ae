import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCaller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const ada = { firstName: 'Ada', email: 'ada@acme.example', phone: '+442079461001' }
const grace = { firstName: 'Grace', email: 'grace@acme.example', phone: '+442079461002' }

/** Creates a campaign with these steps. Returns it with its owner and an application that acts for the owner. */
async function makeCampaign(...channels: ('call' | 'task')[]) {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  const { id: assistantId } = await owner.call('createAssistant', {
    name: 'Desk',
    fromNumber: '+442079460018',
  })
  const steps = channels.map(channel =>
    channel === 'call'
      ? { channel, call: { assistantId } }
      : { channel, body: 'Write a letter to {{ firstName }}' },
  )
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [repId],
    steps,
  })
  return { owner, application: createCaller(app, { ...owner, actor: `oauth:${randomUUIDv7()}` }), campaignId }
}

it('an application cannot trigger calls through a campaign with call steps; a user can', async () => {
  const { owner, application, campaignId } = await makeCampaign('call')
  const { data } = await application.call('addProspectsToCampaign', { campaignId, data: [ada] })
  const forbidden = { code: 'Forbidden', message: expect.stringContaining('A user has to do this') }
  await expect(application.call('launchCampaign', { campaignId })).rejects.toMatchObject(forbidden)
  await owner.call('launchCampaign', { campaignId })
  await expect(
    application.call('addProspectsToCampaign', { campaignId, data: [grace] }),
  ).rejects.toMatchObject(forbidden)
  const prospectId = data[0]!.prospectId!
  await application.call('pauseProspect', { prospectId })
  await expect(application.call('resumeProspect', { prospectId })).rejects.toMatchObject(forbidden)
  await expect(application.call('resumeProspects', { prospectIds: [prospectId] })).rejects.toMatchObject(
    forbidden,
  )
  await owner.call('resumeProspect', { prospectId })
  await application.call('pauseCampaign', { campaignId })
  await expect(application.call('resumeCampaign', { campaignId })).rejects.toMatchObject(forbidden)
  expect((await owner.call('resumeCampaign', { campaignId })).status).toBe('active')
})

it('an application has its user’s permissions for campaigns without call steps', async () => {
  const { owner, application, campaignId } = await makeCampaign('task')
  await owner.call('launchCampaign', { campaignId })
  const { added } = await application.call('addProspectsToCampaign', { campaignId, data: [ada, grace] })
  expect(added).toBe(2)
  await application.call('pauseCampaign', { campaignId })
  expect((await application.call('resumeCampaign', { campaignId })).status).toBe('active')
})

it('an application cannot add a call step to a launched campaign', async () => {
  const { owner, application, campaignId } = await makeCampaign('task')
  await application.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  const { data } = await owner.call('listAssistants', {})
  const steps = [{ channel: 'call' as const, call: { assistantId: data[0]!.id } }]
  await expect(application.call('setCampaignSteps', { campaignId, steps })).rejects.toMatchObject({
    code: 'Forbidden',
  })
  expect((await owner.call('getCampaign', { campaignId })).steps).toMatchObject([{ channel: 'task' }])
})

it('an application can pause all sending, and resume it if no calls start or the pause was its own', async () => {
  const { owner, application, campaignId } = await makeCampaign('call')
  await application.call('pauseSending', {})
  expect(await application.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
  await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  await application.call('pauseSending', {})
  expect(await application.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
  await owner.call('pauseSending', {})
  await application.call('pauseSending', {})
  await expect(application.call('resumeSending', {})).rejects.toMatchObject({ code: 'Forbidden' })
  expect(await owner.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
})

it('a pause belongs to the user whose application paused sending, not to other users of the same client', async () => {
  const { owner, application, campaignId } = await makeCampaign('call')
  await owner.call('launchCampaign', { campaignId })
  await application.call('pauseSending', {})
  // An external identity provider identifies only the client.
  const colleague = createCaller(app, {
    ...(await makeCaller(app, 'admin', owner.accountId)),
    actor: application.actor,
  })
  await expect(colleague.call('resumeSending', {})).rejects.toMatchObject({ code: 'Forbidden' })
  expect(await application.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
})

it('an application cannot change whom a launched campaign calls or when, but can rename it', async () => {
  const { owner, application, campaignId } = await makeCampaign('call')
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  const { personId } = await owner.call('getProspect', { prospectId: data[0]!.prospectId! })
  await application.call('updatePerson', { personId, title: 'Countess' })
  await application.call('updateCampaign', { campaignId, newProspectsPerDay: 5 })
  await owner.call('launchCampaign', { campaignId })
  const forbidden = { code: 'Forbidden', message: expect.stringContaining('must not start calls') }
  await expect(application.call('updatePerson', { personId, phone: grace.phone })).rejects.toMatchObject(
    forbidden,
  )
  await app.owner`update prospects set status = 'out_of_office' where campaign_id = ${campaignId}`
  await expect(application.call('updatePerson', { personId, phone: grace.phone })).rejects.toMatchObject(
    forbidden,
  )
  await expect(
    application.call('updateCampaign', { campaignId, newProspectsPerDay: 9 }),
  ).rejects.toMatchObject(forbidden)
  expect((await application.call('updateCampaign', { campaignId, name: 'Summer' })).name).toBe('Summer')
  expect((await owner.call('updatePerson', { personId, phone: grace.phone })).phone).toBe(grace.phone)
})

it('an application cannot fill in the missing company name of people whom a launched campaign calls', async () => {
  const { owner, application, campaignId } = await makeCampaign('call')
  await owner.call('addProspectsToCampaign', { campaignId, data: [{ ...ada, email: 'ada@babbage.example' }] })
  await owner.call('launchCampaign', { campaignId })
  const { id: personId } = await owner.call('createPerson', { email: 'bo@home.example' })
  const { id: draftId } = await owner.call('createCampaign', { name: 'Summer' })
  const colleague = { email: 'cy@babbage.example', company: 'Babbage' }
  const csv = 'Email,Company\ncy@babbage.example,Babbage\n'
  const forbidden = { code: 'Forbidden', message: expect.stringContaining('must not start calls') }
  for (const fill of [
    () => application.call('createPerson', colleague),
    () => application.call('updatePerson', { personId, company: 'Babbage', website: 'babbage.example' }),
    () => application.call('importPersons', { csv }),
    () => application.call('addProspectsToCampaign', { campaignId: draftId, data: [colleague] }),
  ])
    await expect(fill()).rejects.toMatchObject(forbidden)
  expect((await owner.call('createPerson', colleague)).company).toBe('Babbage')
})

it('an application cannot complete or skip a task that may lead to a call', async () => {
  const { owner, application, campaignId } = await makeCampaign('task', 'call')
  await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  await planAll(app)
  const { data } = await owner.call('listTasks', {})
  const { id: taskId } = data[0]!
  const forbidden = { code: 'Forbidden', message: expect.stringContaining('must not start calls') }
  await expect(application.call('completeTask', { taskId })).rejects.toMatchObject(forbidden)
  await expect(application.call('skipTask', { taskId })).rejects.toMatchObject(forbidden)
  expect((await owner.call('completeTask', { taskId })).status).toBe('completed')
})
