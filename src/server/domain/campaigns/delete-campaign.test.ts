import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeTaskCampaign } from '../../../../test/support/campaigns/task-campaign.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

async function makeDraft() {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [repId],
    steps: [{ channel: 'linkedin_message', body: 'Hi {{ firstName }}' }],
  })
  const { data } = await owner.call('addProspectsToCampaign', {
    campaignId,
    data: [{ firstName: 'Grace', linkedinUrl: 'linkedin.com/in/grace-hopper' }],
  })
  return { owner, repId, campaignId, ...data[0]! }
}

it('deletes a draft with its prospects, and keeps the people', async () => {
  const { owner, campaignId, prospectId, personId } = await makeDraft()
  await owner.call('updateCampaignKnowledge', { campaignId, tone: 'Friendly' })
  expect(await owner.call('deleteCampaign', { campaignId })).toEqual({ ok: true })
  await expect(owner.call('getCampaign', { campaignId })).rejects.toMatchObject({ code: 'NotFound' })
  await expect(owner.call('getProspect', { prospectId: prospectId! })).rejects.toMatchObject({
    code: 'NotFound',
  })
  expect(await owner.call('getPerson', { personId: personId! })).toMatchObject({ firstName: 'Grace' })
})

it('rejects deleting a campaign that was launched, even when it is paused', async () => {
  const { owner, campaignId } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
  await owner.call('pauseCampaign', { campaignId })
  await expect(owner.call('deleteCampaign', { campaignId })).rejects.toMatchObject({
    code: 'Conflict',
    message: expect.stringContaining('Archive it instead'),
  })
})

it('rejects deleting a draft whose prospects have messages, and deletes nothing', async () => {
  const { owner, repId, campaignId, prospectId } = await makeDraft()
  const message = { repId, prospectId: prospectId!, type: 'received' as const, text: 'Hello?' }
  await owner.call('recordLinkedinMessage', message)
  await expect(owner.call('deleteCampaign', { campaignId })).rejects.toMatchObject({ code: 'Conflict' })
  expect((await owner.call('getCampaign', { campaignId })).steps).toHaveLength(1)
})

it('the database itself deletes no launched campaign, and no prospect that a task refers to', async () => {
  const { owner, campaignId } = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
  for (const table of ['campaigns', 'prospects']) {
    const deleted = await app.db.app.begin(async tx => {
      await tx`select set_config('app.account_id', ${owner.accountId}, true)`
      return tx`delete from ${tx.identifier(table)} where account_id = ${owner.accountId}`
    })
    expect(deleted.count, table).toBe(0)
  }
  expect((await owner.call('getCampaign', { campaignId })).status).toBe('active')
})
