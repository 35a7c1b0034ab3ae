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

/** A campaign with these steps, its owner, and the same user acting through an application. */
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
  return { owner, app: createCaller(app, { ...owner, actor: `oauth:${randomUUIDv7()}` }), campaignId }
}

it('an application cannot trigger calls through a campaign with call steps; a user can', async () => {
  const { owner, app, campaignId } = await makeCampaign('call')
  const { data } = await app.call('addProspectsToCampaign', { campaignId, data: [ada] })
  const refused = { code: 'Forbidden', message: expect.stringContaining('A user has to do this') }
  await expect(app.call('launchCampaign', { campaignId })).rejects.toMatchObject(refused)
  await owner.call('launchCampaign', { campaignId })
  await expect(app.call('addProspectsToCampaign', { campaignId, data: [grace] })).rejects.toMatchObject(
    refused,
  )
  const prospectId = data[0]!.prospectId!
  await app.call('pauseProspect', { prospectId })
  await expect(app.call('resumeProspect', { prospectId })).rejects.toMatchObject(refused)
  await owner.call('resumeProspect', { prospectId })
  await app.call('pauseCampaign', { campaignId })
  await expect(app.call('resumeCampaign', { campaignId })).rejects.toMatchObject(refused)
  expect((await owner.call('resumeCampaign', { campaignId })).status).toBe('active')
})

it('an application has its user’s permissions for campaigns without call steps', async () => {
  const { owner, app, campaignId } = await makeCampaign('task')
  await owner.call('launchCampaign', { campaignId })
  const { added } = await app.call('addProspectsToCampaign', { campaignId, data: [ada, grace] })
  expect(added).toBe(2)
  await app.call('pauseCampaign', { campaignId })
  expect((await app.call('resumeCampaign', { campaignId })).status).toBe('active')
})

it('an application cannot add a call step to a launched campaign', async () => {
  const { owner, app, campaignId } = await makeCampaign('task')
  await app.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  const { data } = await owner.call('listAssistants', {})
  const steps = [{ channel: 'call' as const, call: { assistantId: data[0]!.id } }]
  await expect(app.call('setCampaignSteps', { campaignId, steps })).rejects.toMatchObject({
    code: 'Forbidden',
  })
  expect((await owner.call('getCampaign', { campaignId })).steps).toMatchObject([{ channel: 'task' }])
})

it('an application can pause all sending, and resume it if that starts no calls or undoes its own pause', async () => {
  const { owner, app, campaignId } = await makeCampaign('call')
  await app.call('pauseSending', {})
  expect(await app.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
  await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  await app.call('pauseSending', {})
  expect(await app.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
  await owner.call('pauseSending', {})
  await app.call('pauseSending', {})
  await expect(app.call('resumeSending', {})).rejects.toMatchObject({ code: 'Forbidden' })
  expect(await owner.call('resumeSending', {})).not.toHaveProperty('sendingPausedAt')
})

it('an application cannot change when a launched campaign calls, or whom; it can rename the campaign', async () => {
  const { owner, app: application, campaignId } = await makeCampaign('call')
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  const { personId } = await owner.call('getProspect', { prospectId: data[0]!.prospectId! })
  await application.call('updatePerson', { personId, title: 'Countess' })
  await application.call('updateCampaign', { campaignId, newProspectsPerDay: 5 })
  await owner.call('launchCampaign', { campaignId })
  const refused = { code: 'Forbidden', message: expect.stringContaining('must not start calls') }
  await expect(application.call('updatePerson', { personId, phone: grace.phone })).rejects.toMatchObject(
    refused,
  )
  await app.owner`update prospects set status = 'out_of_office' where campaign_id = ${campaignId}`
  await expect(application.call('updatePerson', { personId, phone: grace.phone })).rejects.toMatchObject(
    refused,
  )
  await expect(
    application.call('updateCampaign', { campaignId, newProspectsPerDay: 9 }),
  ).rejects.toMatchObject(refused)
  expect((await application.call('updateCampaign', { campaignId, name: 'Summer' })).name).toBe('Summer')
  expect((await owner.call('updatePerson', { personId, phone: grace.phone })).phone).toBe(grace.phone)
})

it('an application cannot finish a task that a call may follow', async () => {
  const { owner, app: application, campaignId } = await makeCampaign('task', 'call')
  await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
  await owner.call('launchCampaign', { campaignId })
  await planAll(app)
  const { data } = await owner.call('listTasks', {})
  const { id: taskId } = data[0]!
  const refused = { code: 'Forbidden', message: expect.stringContaining('must not start calls') }
  await expect(application.call('completeTask', { taskId })).rejects.toMatchObject(refused)
  await expect(application.call('skipTask', { taskId })).rejects.toMatchObject(refused)
  expect((await owner.call('completeTask', { taskId })).status).toBe('completed')
})
