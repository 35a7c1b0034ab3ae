import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Output } from '../../src/contract/index.ts'
import type { Caller } from '../support/app.ts'
import {
  ada,
  listTasks,
  makeTaskCampaign,
  planAll,
  type TaskCampaign,
} from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { messageEvent, relationEvent, toMemberId, UnipileServer } from '../support/linkedin/unipile-server.ts'

let server: TestServer
let unipile: UnipileServer
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  unipile = await UnipileServer.open()
})
afterAll(async () => {
  await unipile[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Later than the creation times of rows, which come from the database's clock. */
const start = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60 * 60_000)
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
beforeEach(() => {
  server.app.setNow(start)
  unipile.profileStatus = undefined
})

const connect = { channel: 'linkedin_connect' } as const
const message = { channel: 'linkedin_message', delay: { amount: 0, unit: 'days' }, body: 'Hiring?' } as const

const postTo = (inboundUrl: string, body: string, headers: Record<string, string>) =>
  server.request('POST', new URL(inboundUrl).pathname, { body, headers })

async function makeWebhook({ owner, repId }: TaskCampaign) {
  const { inboundUrl, secret } = await owner.call('createLinkedinAccount', { repId, provider: 'webhook' })
  const post = (event: object, { signedAt = server.app.now(), by = secret, changed = '' } = {}) => {
    const body = JSON.stringify(event)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign('msg_1', signedAt, body),
    }
    return postTo(inboundUrl, body + changed, headers)
  }
  return { post, secret }
}

const adaUrl = 'https://uk.linkedin.com/in/Ada-Byron/'
const replyEvent = {
  type: 'message.received',
  person: { linkedinUrl: adaUrl },
  happenedAt: at(5).toISOString(),
  conversationId: '2-abc',
  messageId: 'm1',
  text: 'Yes, we are.',
}

describe('a LinkedIn event', () => {
  it('stores a reply and stops the sequence once, even when the event is repeated', async () => {
    const campaign = await makeTaskCampaign(server.app, [connect, message])
    const { post } = await makeWebhook(campaign)
    expect(await post(replyEvent)).toMatchObject({ status: 200, body: { outcome: 'stored' } })
    expect(await post(replyEvent)).toMatchObject({ status: 200, body: { outcome: 'duplicate' } })
    const [prospectId] = campaign.prospectIds
    const { data } = await campaign.owner.call('listLinkedinMessages', { prospectId, unread: true })
    expect(data).toMatchObject([
      { text: 'Yes, we are.', type: 'received', conversationId: '2-abc', repId: campaign.repId },
    ])
    const prospect = await campaign.owner.call('getProspect', { prospectId: prospectId! })
    expect(prospect.status).toBe('replied')
    expect(await listTasks(campaign)).toMatchObject([
      { status: 'cancelled', statusReason: 'prospect_replied' },
    ])
    expect(await campaign.owner.call('markLinkedinConversationRead', { conversationId: '2-abc' })).toEqual({
      read: 1,
    })
    expect(await campaign.owner.call('listLinkedinMessages', { prospectId, unread: true })).toMatchObject({
      data: [],
    })
  })

  it.each([{ text: undefined }, { text: '' }])(
    'stops the sequence when the reply has no text (%o)',
    async noText => {
      const campaign = await makeTaskCampaign(server.app, [connect, message])
      const { post } = await makeWebhook(campaign)
      expect(await post({ ...replyEvent, ...noText })).toMatchObject({ body: { outcome: 'stored' } })
      await expectReplyWithoutText(campaign)
      expect(await post({ ...replyEvent, ...noText, type: 'message.sent' })).toMatchObject({ status: 400 })
    },
  )

  it('counts a reply for the prospect whose sequence it stops, even when a finished prospect started the conversation', async () => {
    const first = await makeTaskCampaign(server.app, [message])
    const { owner, repId, prospectIds } = first
    const { post } = await makeWebhook(first)
    expect(await post({ ...replyEvent, messageId: 'm0', text: 'Yes.' })).toMatchObject({ status: 200 })
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'Autumn', repIds: [repId], steps: [message] },
    })
    const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
    const prospectId = data[0]!.prospectId!
    await owner.call('launchCampaign', { campaignId })
    await planAll(server.app)
    expect(await post(replyEvent)).toMatchObject({ body: { outcome: 'stored' } })
    expect(await owner.call('getProspect', { prospectId })).toMatchObject({ status: 'replied' })
    for (const [id, text] of [
      [prospectIds[0]!, 'Yes.'],
      [prospectId, 'Yes, we are.'],
    ] as const) {
      const messages = await owner.call('listLinkedinMessages', { prospectId: id })
      expect(messages.data.map(each => each.text)).toEqual([text])
    }
    for (const id of [first.campaignId, campaignId])
      expect(await owner.call('getCampaignStats', { campaignId: id })).toMatchObject({ replied: 1 })
  })

  it('reports an accepted invitation, after which the message step continues', async () => {
    const campaign = await makeTaskCampaign(server.app, [connect, message])
    const { post } = await makeWebhook(campaign)
    const [invitation] = await listTasks(campaign)
    await campaign.owner.call('completeTask', { taskId: invitation!.id })
    await planAll(server.app)
    expect(await listTasks(campaign, { status: 'open' })).toEqual([])
    const accepted = {
      type: 'connection.accepted',
      person: { linkedinUrl: adaUrl },
      happenedAt: at(0).toISOString(),
    }
    expect(await post(accepted)).toMatchObject({ status: 200, body: { outcome: 'stored' } })
    await planAll(server.app)
    expect(await listTasks(campaign, { status: 'open' })).toMatchObject([{ channel: 'linkedin_message' }])
  })

  it('completes a task when the rep sends its message directly on LinkedIn', async () => {
    const campaign = await makeTaskCampaign(server.app, [message])
    const { post } = await makeWebhook(campaign)
    const written = { ...replyEvent, type: 'message.sent', text: 'Are you hiring, Ada?' }
    expect(await post(written)).toMatchObject({ body: { outcome: 'stored' } })
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed', text: 'Are you hiring, Ada?' }])
    // Recording the same message manually adds nothing.
    await campaign.owner.call('recordLinkedinMessage', {
      prospectId: campaign.prospectIds[0]!,
      repId: campaign.repId,
      type: 'manual',
      text: 'Are you hiring, Ada?',
    })
    expect((await campaign.owner.call('listLinkedinMessages', {})).data).toHaveLength(1)
  })

  it('completes at most one task: the one with the text of the message, or else the one due first', async () => {
    const campaign = await makeTaskCampaign(server.app, [message])
    const { owner, repId } = campaign
    const { post } = await makeWebhook(campaign)
    for (const [minutes, body] of [
      [1, 'Lunch?'],
      [2, 'Coffee?'],
    ] as const) {
      server.app.setNow(at(minutes))
      const { id: campaignId } = await owner.call('createCampaign', {
        ...{ name: body, repIds: [repId], steps: [{ ...message, body }] },
      })
      await owner.call('addProspectsToCampaign', { campaignId, data: [ada] })
      await owner.call('launchCampaign', { campaignId })
      await planAll(server.app)
    }
    const sent = { ...replyEvent, type: 'message.sent' }
    const listOpen = async () =>
      (await listTasks(campaign, { status: 'open' })).map(({ text }) => text).sort()
    await post({ ...sent, text: 'Coffee? ' })
    expect(await listOpen()).toEqual(['Hiring?', 'Lunch?'])
    await post({ ...sent, messageId: 'm2', text: 'Nice to meet you.' })
    expect(await listOpen()).toEqual(['Lunch?'])
  })

  it('does not complete a task that was created after the message was sent', async () => {
    const campaign = await makeTaskCampaign(server.app, [message])
    const { post } = await makeWebhook(campaign)
    await server.app.owner`
      update tasks set created_at = ${at(10)} where account_id = ${campaign.owner.accountId}`
    const sent = { ...replyEvent, type: 'message.sent', text: 'Hiring?' }
    expect(await post(sent)).toMatchObject({ body: { outcome: 'stored' } })
    expect(await listTasks(campaign)).not.toMatchObject([{ status: 'completed' }])
    const [prospectId] = campaign.prospectIds
    expect(await campaign.owner.call('getProspect', { prospectId: prospectId! })).toMatchObject({
      ...{ status: 'paused', statusReason: 'manual_linkedin' },
    })
  })

  it('is rejected and not stored when unsigned, modified after signing, or too old', async () => {
    const campaign = await makeTaskCampaign(server.app, [connect])
    const { post } = await makeWebhook(campaign)
    const otherSecret = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`
    for (const wrong of [{ by: otherSecret }, { changed: ' ' }, { signedAt: at(-6) }, { signedAt: at(6) }])
      expect(await post(replyEvent, wrong)).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect(await campaign.owner.call('listLinkedinMessages', {})).toMatchObject({ data: [] })
  })

  it('is rejected when it is invalid and ignored for unknown people', async () => {
    const { post } = await makeWebhook(await makeTaskCampaign(server.app, [connect]))
    expect(await post({ ...replyEvent, person: {} })).toMatchObject({ status: 400 })
    expect(await post({ ...replyEvent, type: 'nonsense' })).toMatchObject({ status: 400 })
    const unknownEvent = { ...replyEvent, person: { linkedinUrl: 'https://linkedin.com/in/nobody-here' } }
    expect(await post(unknownEvent)).toMatchObject({ status: 200, body: { outcome: 'ignored' } })
  })
})

const connectUnipile = async ({ owner, repId }: Pick<TaskCampaign, 'owner' | 'repId'>) => {
  const { inboundUrl, secret } = await owner.call('createLinkedinAccount', {
    ...{ repId, provider: 'unipile', baseUrl: unipile.url },
    ...{ apiKey: unipile.apiKey, providerAccountId: unipile.accountId },
  })
  return (event: object, by = secret) =>
    postTo(inboundUrl, JSON.stringify(event), { 'overture-secret': by, 'content-type': 'application/json' })
}

/** Expects that the campaign's prospect has replied with a voice message, image or file. */
async function expectReplyWithoutText({ owner, prospectIds }: TaskCampaign) {
  const prospectId = prospectIds[0]!
  expect(await owner.call('getProspect', { prospectId })).toMatchObject({ status: 'replied' })
  expect(await owner.call('listLinkedinMessages', { prospectId })).toMatchObject({
    data: [{ type: 'received', text: '[Voice message, image or file]' }],
  })
}

const getAccount = async ({ owner }: TaskCampaign) => (await owner.call('listLinkedinAccounts', {})).data[0]

/** Creates a campaign whose prospect can only be identified by a profile request to Unipile. */
async function makeCampaignWithoutNames(member: number) {
  const publicIdentifier = `unnamed-${member}`
  unipile.members.push({ memberId: toMemberId(member), publicIdentifier })
  const campaign = await makeTaskCampaign(
    server.app,
    [connect, message],
    [{ linkedinUrl: `linkedin.com/in/${publicIdentifier}` }],
  )
  return { campaign, post: await connectUnipile(campaign) }
}

describe('callbacks from Unipile', () => {
  it('are rejected without the secret, and mark the account as failing when the user must act', async () => {
    const campaign = await makeTaskCampaign(server.app, [connect])
    const post = await connectUnipile(campaign)
    expect((await post(messageEvent(unipile, { member: 1, n: 1, at: at(1) }), 'whsec_wrong')).status).toBe(
      401,
    )
    await post({
      AccountStatus: { account_id: unipile.accountId, account_type: 'LINKEDIN', message: 'CREDENTIALS' },
    })
    expect(await getAccount(campaign)).toMatchObject({
      status: 'failing',
      statusReason: expect.stringContaining('CREDENTIALS'),
    })
    await post({ AccountStatus: { account_id: unipile.accountId, account_type: 'LINKEDIN', message: 'OK' } })
    expect(await getAccount(campaign)).toMatchObject({ status: 'working' })
  })

  it.each([401, 408, 429, 500])(
    'get 503 until Unipile can identify the sender, so that a repeated callback loses no reply (%i)',
    async status => {
      const { campaign, post } = await makeCampaignWithoutNames(2000 + status)
      const event = messageEvent(unipile, { member: 2000 + status, n: 1, at: at(1) })
      unipile.profileStatus = status
      expect(await post(event)).toMatchObject({ status: 503, body: { error: 'ServiceUnavailable' } })
      expect(await getAccount(campaign)).toMatchObject(
        status === 401
          ? { status: 'failing', statusReason: expect.stringContaining('Unipile rejected the request') }
          : { status: 'waiting' },
      )
      unipile.profileStatus = undefined
      expect(await post(event)).toMatchObject({ status: 200, body: { outcome: 'stored' } })
      const prospect = await campaign.owner.call('getProspect', { prospectId: campaign.prospectIds[0]! })
      expect(prospect.status).toBe('replied')
      expect(await getAccount(campaign)).toMatchObject({ status: 'working' })
    },
  )

  it('are ignored when LinkedIn has no such member or the account has no such prospect', async () => {
    const { campaign, post } = await makeCampaignWithoutNames(1001)
    unipile.members.push({ memberId: toMemberId(1003), publicIdentifier: 'a-stranger' })
    for (const member of [1002, 1003])
      expect(await post(messageEvent(unipile, { member, n: 1, at: at(1) }))).toMatchObject({
        status: 200,
        body: { outcome: 'ignored' },
      })
    expect(await campaign.owner.call('listLinkedinMessages', {})).toMatchObject({ data: [] })
  })

  it.each([null, ' '])('stop the sequence when the reply has no text (%o)', async text => {
    const member = text === null ? 1006 : 1007
    const { campaign, post } = await makeCampaignWithoutNames(member)
    const event = messageEvent(unipile, { member, n: 1, at: at(1) })
    const own = messageEvent(unipile, { member, n: 2, isOwn: true, at: at(2) })
    expect(await post({ ...event, message: text })).toMatchObject({ body: { outcome: 'stored' } })
    expect(await post({ ...own, message: text })).toMatchObject({ body: { outcome: 'ignored' } })
    await expectReplyWithoutText(campaign)
  })

  it('need no API key when the member is known, and do not clear the error of a rejected key', async () => {
    const { campaign, post } = await makeCampaignWithoutNames(1004)
    const postMessage = (n: number) => post(messageEvent(unipile, { member: 1004, n, at: at(n) }))
    expect(await postMessage(1)).toMatchObject({ body: { outcome: 'stored' } })
    unipile.profileStatus = 401
    expect((await post(messageEvent(unipile, { member: 1005, n: 1, at: at(1) }))).status).toBe(503)
    expect(await postMessage(2)).toMatchObject({ status: 200, body: { outcome: 'stored' } })
    expect(await getAccount(campaign)).toMatchObject({ status: 'failing' })
  })

  it('produce the same conversations when 500 arrive shuffled and repeated', async () => {
    const people = Array.from({ length: 20 }, (_, n) => n)
    for (const n of people) unipile.members.push({ memberId: toMemberId(n), publicIdentifier: `member-${n}` })
    const events = people.flatMap(member => [
      relationEvent(unipile, unipile.members.find(({ memberId }) => memberId === toMemberId(member))!),
      ...Array.from({ length: 24 }, (_, n) =>
        messageEvent(unipile, { member, n, isOwn: n % 3 === 0, at: at(1 + n * 7 + member) }),
      ),
    ])
    expect(events).toHaveLength(500)
    const run = async (order: typeof events, concurrency: number) => {
      const profiles = people.map(n => ({ linkedinUrl: `linkedin.com/in/member-${n}` }))
      const campaign = await makeTaskCampaign(server.app, [connect, message], profiles)
      const post = await connectUnipile(campaign)
      server.app.setNow(at(300))
      const queue = [...order]
      const postAll = async () => {
        for (let event = queue.shift(); event; event = queue.shift())
          expect(await post(event)).toMatchObject({
            status: 200,
            body: { outcome: expect.stringMatching(/stored|duplicate/) },
          })
      }
      await Promise.all(Array.from({ length: concurrency }, postAll))
      server.app.setNow(start)
      return readConversations(campaign.owner)
    }
    const ordered = await run(events, 1)
    const doubled = [...events, ...events.filter((_, n) => n % 4 === 0)]
    const shuffled = doubled
      .map((event, n) => ({ event, key: (n * 7919) % doubled.length }))
      .sort((a, b) => a.key - b.key)
    expect(
      await run(
        shuffled.map(({ event }) => event),
        6,
      ),
    ).toEqual(ordered)
    expect(ordered.messages).toHaveLength(480)
  })
})

/** Returns an account's conversations, without the IDs and arrival times of messages. */
async function readConversations(owner: Caller) {
  const messages: Output<'listLinkedinMessages'>['data'] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const page = await owner.call('listLinkedinMessages', cursor ? { cursor } : { limit: 100 })
    messages.push(...page.data)
    cursor = page.next
  }
  const unread = await owner.call('listLinkedinMessages', { unread: true, limit: 100 })
  const prospects = await owner.call('listProspects', { limit: 100 })
  return {
    messages: messages
      .map(({ text, type, conversationId, happenedAt }) => `${conversationId} ${happenedAt} ${type} ${text}`)
      .sort(),
    unread: unread.data.length,
    statuses: prospects.data.map(({ status }) => status),
  }
}
