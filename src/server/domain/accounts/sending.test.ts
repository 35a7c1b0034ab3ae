import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeMailCampaign, openWorker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a pause of all sending', () => {
  it('is shown on the account with its reason until sending is resumed', async () => {
    const manager = await makeCaller(app, 'manager')
    const paused = await manager.call('pauseSending', { reason: 'Wrong price' })
    const { name } = await manager.call('getMe', {}).then(({ user }) => user)
    expect(paused).toMatchObject({ sendingPauseReason: 'Wrong price', sendingPausedBy: name, inFlight: 0 })
    const again = await manager.call('pauseSending', { reason: 'Another' })
    expect(again).toMatchObject({
      sendingPausedAt: paused.sendingPausedAt,
      sendingPauseReason: 'Wrong price',
    })
    const resumed = await manager.call('resumeSending', {})
    await manager.call('resumeSending', {})
    const owner = await makeCaller(app, 'owner', manager.accountId)
    const { data: entries } = await owner.call('listAuditLog', {})
    expect(entries.map(({ action }) => action)).toEqual(['resume sending', 'pause sending'])
    expect(resumed).not.toHaveProperty('sendingPausedAt')
    expect(resumed).not.toHaveProperty('sendingPauseReason')
    expect(resumed).not.toHaveProperty('sendingPausedBy')
    const member = await makeCaller(app, 'member', manager.accountId)
    await expect(member.call('pauseSending', {})).rejects.toMatchObject({ code: 'Forbidden' })
  })

  it('holds every step and draft of the account, and none of another account', async () => {
    await using server = await ScriptedSmtp.open()
    const campaign = await makeMailCampaign(app, [server], 2)
    const other = await makeMailCampaign(app, [server], 1)
    const { owner } = campaign
    await owner.call('pauseSending', {})
    await using worker = openWorker(app)
    await worker.work()
    expect(server.transfers).toHaveLength(1)
    expect((await other.messages())[0]).toMatchObject({ status: 'sent' })
    const [{ id: prospectId } = {}] = await campaign.prospects()
    const { next } = await owner.call('getProspect', { prospectId: prospectId! })
    expect(next).toMatchObject({ step: 1, heldBy: 'sending_paused' })
    await owner.call('resumeSending', {})
    await worker.work()
    expect(server.transfers).toHaveLength(3)
  })
})
