import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import { aTaskCampaign, type TaskCampaign, tasksOf } from '../../../test/support/task-campaign.ts'
import { addMembers, connectUnipile, sendLinkedinUntil } from '../../../test/support/unipile-reps.ts'
import { UnipileServer } from '../../../test/support/unipile-server.ts'
import type { RawInput } from '../../contract/index.ts'
import { sendLinkedin } from '../engine/send-linkedin.ts'
import { claimLinkedinSends } from './sends.ts'

let app: TestApp
let unipile: UnipileServer
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  unipile = await UnipileServer.open()
})
afterAll(async () => {
  await unipile[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const start = new Date('2026-11-23T09:00:00.000Z')
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
beforeEach(() => {
  app.setNow(start)
  unipile.fault = undefined
  unipile.requests.length = 0
})

const connectStep = { channel: 'linkedin_connect' } as const

const connect = (campaign: TaskCampaign, more?: Partial<RawInput<'createLinkedinAccount'>>) =>
  connectUnipile(campaign, unipile, more)

/** People that Unipile knows are to be invited by a rep whose LinkedIn is connected there. */
async function invitations(count: number, more?: Partial<RawInput<'createLinkedinAccount'>>) {
  const campaign = await aTaskCampaign(app, [connectStep], [])
  const { id: linkedinAccountId } = await connect(campaign, more)
  if (count > 0) await addPeople(campaign, count)
  return { ...campaign, linkedinAccountId }
}

const addPeople = (campaign: TaskCampaign, count: number) => addMembers(app, campaign, unipile, count)

const sendUntil = (now: Date) => sendLinkedinUntil(app, now)

const accountOf = async ({ owner }: TaskCampaign) => (await owner.call('listLinkedinAccounts', {})).data[0]!

describe('a LinkedIn account that is changed', () => {
  it('works on with its new key, and what waited for it is sent', async () => {
    const campaign = await invitations(1, { apiKey: 'a key that was revoked' })
    const { owner, linkedinAccountId } = campaign
    await sendUntil(at(5))
    expect(await accountOf(campaign)).toMatchObject({ status: 'failing' })
    const changed = await owner.call('updateLinkedinAccount', { linkedinAccountId, apiKey: unipile.apiKey })
    expect(changed).toMatchObject({
      ...{ id: linkedinAccountId, status: 'waiting', baseUrl: `${unipile.url}/` },
      providerAccountId: unipile.accountId,
    })
    for (const hidden of ['statusReason', 'secret', 'apiKey']) expect(changed).not.toHaveProperty(hidden)
    await sendUntil(at(70))
    expect(await tasksOf(campaign)).toMatchObject([{ status: 'completed' }])
    expect(await accountOf(campaign)).toMatchObject({ status: 'working' })
  })

  it('takes another address and another account of Unipile, each checked as when it was connected', async () => {
    const { owner, linkedinAccountId } = await invitations(0)
    const update = (change: Omit<RawInput<'updateLinkedinAccount'>, 'linkedinAccountId'>) =>
      owner.call('updateLinkedinAccount', { linkedinAccountId, ...change })
    expect(await update({ baseUrl: 'https://api2.unipile.com:13222' })).toMatchObject({
      ...{ baseUrl: 'https://api2.unipile.com:13222/', providerAccountId: unipile.accountId },
    })
    expect(await update({ providerAccountId: 'another' })).toMatchObject({
      ...{ baseUrl: 'https://api2.unipile.com:13222/', providerAccountId: 'another' },
    })
    for (const baseUrl of ['http://api2.unipile.com', 'https://10.0.0.1', 'nonsense'])
      await expect(update({ baseUrl })).rejects.toMatchObject({ code: 'ValidationError' })
  })

  it('has nothing to change when it is connected by webhook, and is reached by whom its rep belongs to alone', async () => {
    const campaign = await invitations(0)
    const { owner, repId, linkedinAccountId } = campaign
    const { id } = await owner.call('createLinkedinAccount', { repId, provider: 'webhook' })
    await expect(
      owner.call('updateLinkedinAccount', { linkedinAccountId: id, apiKey: 'key' }),
    ).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: 'apiKey' }] })
    for (const { call } of [await aCaller(app), await aCaller(app, 'member', owner.accountId)])
      await expect(call('updateLinkedinAccount', { linkedinAccountId, apiKey: 'key' })).rejects.toMatchObject(
        { code: 'NotFound' },
      )
  })
})

const byHand = 'Its LinkedIn account was disconnected. Do it yourself, or skip it.'

describe('a LinkedIn account that is disconnected', () => {
  it('leaves what it was to send to the rep, who is told so', async () => {
    const campaign = await invitations(2)
    const { owner, linkedinAccountId } = campaign
    await owner.call('deleteLinkedinAccount', { linkedinAccountId })
    const tasks = await tasksOf(campaign)
    expect(tasks).toMatchObject(Array(2).fill({ status: 'open', statusReason: byHand }))
    for (const task of tasks) expect(task).not.toHaveProperty('sentBy')
    await sendUntil(at(60))
    expect(unipile.requests).toEqual([])
    expect(await owner.call('completeTask', { taskId: tasks[0]!.id })).toMatchObject({ status: 'completed' })
  })

  it('stays while something is under way, whose end is recorded', async () => {
    const campaign = await invitations(1)
    const { owner, linkedinAccountId } = campaign
    app.setNow(at(5))
    const [claim] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
    await expect(owner.call('deleteLinkedinAccount', { linkedinAccountId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('being sent'),
    })
    expect((await tasksOf(campaign))[0]).not.toHaveProperty('statusReason')
    await sendLinkedin(app, claim!)
    expect(await tasksOf(campaign)).toMatchObject([{ status: 'completed' }])
    await owner.call('deleteLinkedinAccount', { linkedinAccountId })
    expect((await owner.call('listLinkedinAccounts', {})).data).toEqual([])
  })

  it('leaves to the rep, too, what was queued at that very moment', async () => {
    const campaign = await invitations(1)
    await app.owner`delete from linkedin_accounts where rep_id = ${campaign.repId}`
    await sendUntil(at(5))
    expect(await tasksOf(campaign)).toMatchObject([
      { status: 'open', statusReason: expect.stringMatching(/^It was not sent: .*disconnected/) },
    ])
  })

  it('counts for the caps of its rep once they are connected anew', async () => {
    const campaign = await invitations(20)
    await addPeople(campaign, 10)
    await sendUntil(at(10 * 60))
    expect(unipile.requests).toHaveLength(25)
    const { owner, linkedinAccountId } = campaign
    await owner.call('deleteLinkedinAccount', { linkedinAccountId })
    await connect(campaign)
    await addPeople(campaign, 1)
    await sendUntil(at(20 * 60))
    expect(unipile.requests).toHaveLength(25)
    await sendUntil(at(35 * 60))
    expect(unipile.requests).toHaveLength(26)
  })
})
