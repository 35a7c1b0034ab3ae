import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  listTasks,
  makeTaskCampaign,
  planAll,
  type TaskCampaign,
} from '../../../../test/support/campaigns/task-campaign.ts'
import {
  addMembers,
  connectUnipile,
  sendLinkedinInTurn,
  sendLinkedinUntil,
} from '../../../../test/support/linkedin/unipile-reps.ts'
import { messageEvent, UnipileServer } from '../../../../test/support/linkedin/unipile-server.ts'
import type { RawInput } from '../../../contract/index.ts'
import { sendLinkedin } from '../../engine/send/send-linkedin.ts'
import { verifyInboundKey } from './accounts.ts'
import { receiveLinkedinEvent } from './receive-event.ts'
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

const connect = (campaign: TaskCampaign, overrides?: Partial<RawInput<'createLinkedinAccount'>>) =>
  connectUnipile(campaign, unipile, overrides)

/** Creates a campaign that invites members through a rep who is connected to Unipile. */
async function makeInvitationCampaign(count: number, overrides?: Partial<RawInput<'createLinkedinAccount'>>) {
  const campaign = await makeTaskCampaign(app, [connectStep], [])
  const { id: linkedinAccountId } = await connect(campaign, overrides)
  if (count > 0) await addPeople(campaign, count)
  return { ...campaign, linkedinAccountId }
}

const addPeople = (campaign: TaskCampaign, count: number) => addMembers(app, campaign, unipile, count)

const sendUntil = (now: Date) => sendLinkedinUntil(app, now)

const getAccount = async ({ owner }: TaskCampaign) => (await owner.call('listLinkedinAccounts', {})).data[0]!

describe('a LinkedIn account that is changed', () => {
  it('works with its new key and sends queued invitations', async () => {
    const campaign = await makeInvitationCampaign(1, { apiKey: 'a key that was revoked' })
    const { owner, linkedinAccountId } = campaign
    await sendUntil(at(5))
    expect(await getAccount(campaign)).toMatchObject({ status: 'failing' })
    const changed = await owner.call('updateLinkedinAccount', { linkedinAccountId, apiKey: unipile.apiKey })
    expect(changed).toMatchObject({
      ...{ id: linkedinAccountId, status: 'waiting', baseUrl: `${unipile.url}/` },
      providerAccountId: unipile.accountId,
    })
    for (const hidden of ['statusReason', 'secret', 'apiKey']) expect(changed).not.toHaveProperty(hidden)
    await sendUntil(at(70))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
    expect(await getAccount(campaign)).toMatchObject({ status: 'working' })
  })

  it('accepts another base URL and another Unipile account, with the same validation as when connecting', async () => {
    const { owner, linkedinAccountId } = await makeInvitationCampaign(0)
    const update = (change: Omit<RawInput<'updateLinkedinAccount'>, 'linkedinAccountId'>) =>
      owner.call('updateLinkedinAccount', { linkedinAccountId, ...change })
    const { apiKey } = unipile
    expect(await update({ baseUrl: 'https://api2.unipile.com:13222', apiKey })).toMatchObject({
      ...{ baseUrl: 'https://api2.unipile.com:13222/', providerAccountId: unipile.accountId },
    })
    expect(await update({ providerAccountId: 'another', apiKey })).toMatchObject({
      ...{ baseUrl: 'https://api2.unipile.com:13222/', providerAccountId: 'another' },
    })
    for (const baseUrl of ['http://api2.unipile.com', 'https://10.0.0.1', 'nonsense'])
      await expect(update({ baseUrl, apiKey })).rejects.toMatchObject({
        ...{ code: 'ValidationError', details: [{ path: 'baseUrl' }] },
      })
  })

  it('requires the key again for another server or another Unipile account', async () => {
    const campaign = await makeInvitationCampaign(1)
    const { owner, repId, linkedinAccountId } = campaign
    const member = await makeCaller(app, 'member', owner.accountId)
    await owner.call('updateRep', { repId, ownedById: member.userId })
    await using otherServer = await UnipileServer.open()
    for (const change of [
      { baseUrl: otherServer.url },
      { baseUrl: unipile.url.replace('http:', 'https:') },
      { providerAccountId: 'of a colleague' },
      { baseUrl: otherServer.url, providerAccountId: 'of a colleague' },
    ])
      await expect(
        member.call('updateLinkedinAccount', { linkedinAccountId, ...change }),
      ).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: 'apiKey' }] })
    // Other spellings of the same values change nothing.
    const same = { baseUrl: `${unipile.url}/`, providerAccountId: unipile.accountId }
    expect(await member.call('updateLinkedinAccount', { linkedinAccountId, ...same })).toMatchObject(same)
    await sendUntil(at(5))
    expect(unipile.requests).toMatchObject([{ fields: { account_id: unipile.accountId } }])
    expect(otherServer.requests).toEqual([])
  })

  it('cannot be changed if it is a webhook connection or if the user does not own its rep', async () => {
    const campaign = await makeInvitationCampaign(0)
    const { owner, repId, linkedinAccountId } = campaign
    const { id } = await owner.call('createLinkedinAccount', { repId, provider: 'webhook' })
    await expect(
      owner.call('updateLinkedinAccount', { linkedinAccountId: id, apiKey: 'key' }),
    ).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: 'apiKey' }] })
    for (const { call } of [await makeCaller(app), await makeCaller(app, 'member', owner.accountId)])
      await expect(call('updateLinkedinAccount', { linkedinAccountId, apiKey: 'key' })).rejects.toMatchObject(
        { code: 'NotFound' },
      )
  })
})

const disconnectedReason =
  "The rep's LinkedIn account was disconnected. Complete this task yourself, or skip it."

describe('a LinkedIn account that is disconnected', () => {
  it('leaves its queued tasks to the rep, with a reason', async () => {
    const campaign = await makeInvitationCampaign(2)
    const { owner, linkedinAccountId } = campaign
    await owner.call('deleteLinkedinAccount', { linkedinAccountId })
    const tasks = await listTasks(campaign)
    expect(tasks).toMatchObject(Array(2).fill({ status: 'open', statusReason: disconnectedReason }))
    for (const task of tasks) expect(task).not.toHaveProperty('sentBy')
    await sendUntil(at(60))
    expect(unipile.requests).toEqual([])
    expect(await owner.call('completeTask', { taskId: tasks[0]!.id })).toMatchObject({ status: 'completed' })
  })

  it('cannot be deleted while an invitation is being sent; the result is recorded', async () => {
    const campaign = await makeInvitationCampaign(1)
    const { owner, linkedinAccountId } = campaign
    app.setNow(at(5))
    const [claim] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
    await expect(owner.call('deleteLinkedinAccount', { linkedinAccountId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('being sent'),
    })
    expect((await listTasks(campaign))[0]).not.toHaveProperty('statusReason')
    await sendLinkedin(app, claim!)
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
    await owner.call('deleteLinkedinAccount', { linkedinAccountId })
    expect((await owner.call('listLinkedinAccounts', {})).data).toEqual([])
  })

  it('leaves a task that was queued at the same time to the rep', async () => {
    const campaign = await makeInvitationCampaign(1)
    await app.owner`delete from linkedin_accounts where rep_id = ${campaign.repId}`
    await sendUntil(at(5))
    expect(await listTasks(campaign)).toMatchObject([
      { status: 'open', statusReason: expect.stringMatching(/^It was not sent: .*disconnected/) },
    ])
  })

  it("keeps counting earlier sends toward the rep's caps after the rep reconnects", async () => {
    const campaign = await makeInvitationCampaign(20)
    await addPeople(campaign, 10)
    await sendLinkedinInTurn(app, at(10 * 60))
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

describe('the chats of a rep', () => {
  /**
   * Creates a chat that the other person began; `sendReply` returns the path of the request that sends the rep's reply.
   */
  async function makeChat() {
    const campaign = await makeTaskCampaign(app, [connectStep], [])
    const { id: linkedinAccountId, inboundUrl, secret } = await connect(campaign)
    const n = unipile.members.length
    await addPeople(campaign, 1)
    const { owner, repId } = campaign
    const [task] = await listTasks(campaign)
    const { prospectId } = task!
    let received = 0
    const receiveMessage = (overrides: object = {}) => {
      const event = { ...messageEvent(unipile, { member: n, n: ++received, at: at(received) }), ...overrides }
      const { accountId, id } = verifyInboundKey(app.keys, new URL(inboundUrl).pathname.split('/').at(-1)!)!
      const call = { accountId, id, headers: { 'overture-secret': secret } }
      return receiveLinkedinEvent(app, { ...call, body: Buffer.from(JSON.stringify(event)) })
    }
    const sendReply = async () => {
      const { id: linkedinMessageId } = await owner.call('createLinkedinDraft', {
        ...{ prospectId, repId, text: 'Thursday suits me.' },
      })
      await owner.call('sendLinkedinDraft', { linkedinMessageId })
      await sendUntil(app.now())
      return decodeURIComponent(unipile.requests.at(-1)!.path)
    }
    expect(await receiveMessage()).toMatchObject({ outcome: 'stored' })
    expect(await sendReply()).toBe(`/chats/chat of ${n}/messages`)
    return { ...campaign, linkedinAccountId, receiveMessage, sendReply }
  }

  it.each([
    [
      'is replaced by another',
      ({ owner, linkedinAccountId }: Awaited<ReturnType<typeof makeChat>>) =>
        owner.call('updateLinkedinAccount', {
          ...{ linkedinAccountId, providerAccountId: 'another', apiKey: unipile.apiKey },
        }),
    ],
    [
      'was disconnected and connected again',
      async (chat: Awaited<ReturnType<typeof makeChat>>) => {
        await chat.owner.call('deleteLinkedinAccount', { linkedinAccountId: chat.linkedinAccountId })
        await connect(chat, { providerAccountId: 'another' })
      },
    ],
  ])(
    'are not reused when the account %s: the next message starts a new chat, which later messages use',
    async (_, change) => {
      const chat = await makeChat()
      await change(chat)
      expect(await chat.sendReply()).toBe('/chats')
      const opened = `chat-${unipile.requests.length}`
      expect(unipile.requests.at(-1)).toMatchObject({ fields: { account_id: 'another' } })
      expect(await chat.sendReply()).toBe(`/chats/${opened}/messages`)
    },
  )

  it('store a message that Overture sent once, and its sequence continues, even if the pair has a newer conversation without a chat', async () => {
    const chat = await makeChat()
    const { owner, repId, receiveMessage } = chat
    const n = unipile.members.length - 1
    const linkedinUrl = `https://www.linkedin.com/in/someone-${n}`
    const profileUrl = 'https://www.linkedin.com/in/grace-hopper'
    const columns = 'CONVERSATION ID,FROM,SENDER PROFILE URL,RECIPIENT PROFILE URLS,DATE,CONTENT'
    await owner.call('importLinkedinMessages', {
      ...{ repId, profileUrl },
      csv: `${columns}\n2-other,Grace,${profileUrl},${linkedinUrl},2026-01-02 10:00:00 UTC,An InMail\n`,
    })
    const text = 'Hiring?'
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'Autumn', repIds: [repId] },
      steps: [
        { channel: 'linkedin_message', body: text },
        { channel: 'task', delay: { amount: 1, unit: 'days' }, body: 'Check.' },
      ],
    })
    const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [{ linkedinUrl }] })
    await owner.call('launchCampaign', { campaignId })
    await planAll(app)
    await sendLinkedinInTurn(app, at(60))
    const sent = messageEvent(unipile, { ...{ member: n, n: 2, isOwn: true, text }, at: app.now() })
    const message_id = `sent-${unipile.requests.length}`
    expect(await receiveMessage({ ...sent, message_id })).toMatchObject({ outcome: 'duplicate' })
    const [added] = data
    expect(await owner.call('getProspect', { prospectId: added!.prospectId! })).toMatchObject({
      status: 'active',
    })
  })

  it('are replaced by the chats in the latest event', async () => {
    const chat = await makeChat()
    expect(await chat.receiveMessage({ chat_id: 'another chat' })).toMatchObject({ outcome: 'stored' })
    expect(await chat.sendReply()).toBe('/chats/another chat/messages')
  })
})
