import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
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
import {
  toMemberId,
  type UnipileFault,
  UnipileServer,
} from '../../../../test/support/linkedin/unipile-server.ts'
import { randomFrom } from '../../../../test/support/random.ts'
import { claimLinkedinSends, markRequested, queueLinkedinSends } from '../../domain/linkedin/sends.ts'
import { inAccount } from '../../kernel/context.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'
import { sendLinkedin } from './send-linkedin.ts'

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
beforeEach(async () => {
  await app.owner`delete from linkedin_sends where state in ('queued', 'claimed')`
  app.setNow(start)
  unipile.fault = undefined
  unipile.duringWrite = undefined
  unipile.retryAfter = 120
  unipile.requests.length = 0
})

const connect = { channel: 'linkedin_connect', body: 'Hi {{ firstName | default: "there" }}' } as const
const message = { channel: 'linkedin_message', delay: { amount: 0, unit: 'days' }, body: 'Hiring?' } as const

/** Creates a campaign whose rep has a connected LinkedIn account, with people that Unipile knows. */
async function makeConnectedCampaign(
  count = 1,
  steps = [connect, message] as Parameters<typeof makeTaskCampaign>[1],
) {
  const campaign = await makeTaskCampaign(app, steps, [], {})
  await connectUnipile(campaign, unipile)
  await addPeople(campaign, count)
  return campaign
}

const addPeople = (campaign: TaskCampaign, count: number) => addMembers(app, campaign, unipile, count)

const sendUntil = (now: Date) => sendLinkedinUntil(app, now)
const sendInTurn = (until: Date) => sendLinkedinInTurn(app, until)

/** Adds another campaign of the rep with `count` people. */
async function addCampaign({ owner, repId }: TaskCampaign, step: typeof message, count: number) {
  const { id: campaignId } = await owner.call('createCampaign', {
    ...{ name: 'Autumn', repIds: [repId], steps: [step] },
  })
  const campaign = { owner, repId, campaignId, prospectIds: [] }
  await owner.call('launchCampaign', { campaignId })
  await addPeople(campaign, count)
}

/** Starts a send and returns once it has passed the gate; its request to Unipile is delayed. */
async function startSendPastGate(): Promise<{ sending: Promise<unknown> }> {
  app.setNow(at(5))
  const [claim] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
  setFailpoints(name => (name === 'linkedin.marked' ? { do: 'pause', ms: 3_000 } : undefined))
  const sending = sendLinkedin(app, claim!).finally(() => setFailpoints(undefined))
  const isMarked = () =>
    app.owner`select from linkedin_sends where task_id = ${claim!.taskId} and requested_at is not null`
  await vi.waitFor(async () => expect((await isMarked()).count).toBe(1), 2_000)
  return { sending }
}

const getAccount = async ({ owner }: TaskCampaign) => (await owner.call('listLinkedinAccounts', {})).data[0]!

describe('a task that Unipile performs for the rep', () => {
  it('sends an invitation and, once it is accepted, a message that appears in the conversation', async () => {
    const campaign = await makeConnectedCampaign()
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    expect(await listTasks(campaign, { canComplete: true })).toEqual([])
    await sendUntil(at(5))
    const n = unipile.members.length - 1
    expect(unipile.requests).toEqual([
      {
        method: 'POST',
        path: '/users/invite',
        fields: { provider_id: toMemberId(n), account_id: unipile.accountId, message: 'Hi there' },
      },
    ])
    const [invitation] = await listTasks(campaign)
    expect(invitation).toMatchObject({ status: 'completed' })
    await campaign.owner.call('acceptTask', { taskId: invitation!.id })
    await planAll(app)
    await sendUntil(at(15))
    expect(unipile.requests[1]).toMatchObject({
      path: '/chats',
      fields: { attendees_ids: toMemberId(n), text: 'Hiring?' },
    })
    const { prospectId } = invitation!
    expect(await campaign.owner.call('listLinkedinMessages', { prospectId })).toMatchObject({
      data: [{ text: 'Hiring?', type: 'campaign', status: 'sent' }],
    })
    expect((await campaign.owner.call('getProspect', { prospectId })).status).toBe('completed')
    expect(await getAccount(campaign)).toMatchObject({ status: 'working' })
  })

  it('waits when 25 invitations were sent within a day', async () => {
    const campaign = await makeConnectedCampaign(30)
    await sendInTurn(at(10 * 60))
    expect(unipile.requests).toHaveLength(25)
    await sendInTurn(at(24 * 60))
    expect(unipile.requests).toHaveLength(25)
    await sendInTurn(at(35 * 60))
    expect(unipile.requests).toHaveLength(30)
    expect(await listTasks(campaign, { status: 'open' })).toEqual([])
  })

  it('is sent two to four minutes after the previous one', async () => {
    const campaign = await makeConnectedCampaign(4, [connect])
    await addCampaign(campaign, message, 4)
    // No engine ran for ten hours.
    await sendUntil(at(10 * 60))
    expect(unipile.requests).toHaveLength(1)
    await sendInTurn(at(12 * 60))
    expect(unipile.requests.map(({ path }) => path).sort()).toEqual([
      ...Array(4).fill('/chats'),
      ...Array(4).fill('/users/invite'),
    ])
    const ended = (await listTasks(campaign)).map(({ endedAt }) => Date.parse(endedAt!))
    const times = ended.sort((a, b) => a - b)
    const gaps = times.slice(1).map((time, n) => (time - times[n]!) / 60_000)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(4)
  })

  it('is planned two to four minutes after the previous one, even if many are queued together', async () => {
    const campaign = await makeConnectedCampaign(20, [connect])
    const ids = (await listTasks(campaign)).map(({ id }) => id)
    await app.owner`delete from linkedin_sends`
    await inAccount(app.db.work, campaign.owner.accountId, tx => queueLinkedinSends(tx, ids, start))
    const planned = (await listTasks(campaign)).map(({ sendsAt }) => Date.parse(sendsAt!))
    const times = [start.getTime(), ...planned.sort((a, b) => a - b)]
    const gaps = times.slice(1).map((time, n) => time - times[n]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(120_000 - 1)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(240_000 + 1)
  })

  it('is sent if it is a message, even while invitations wait for their cap', async () => {
    const campaign = await makeConnectedCampaign(30, [connect])
    await sendInTurn(at(10 * 60))
    expect(unipile.requests).toHaveLength(25)
    await addCampaign(campaign, message, 1)
    await sendInTurn(at(10 * 60 + 5))
    expect(unipile.requests.map(({ path }) => path).slice(25)).toEqual(['/chats'])
  })

  it('waits when 100 invitations were sent within a week', async () => {
    const campaign = await makeConnectedCampaign(0)
    const sentByDay: number[] = []
    for (let day = 0; day <= 7; day += 1) {
      app.setNow(at(day * 24 * 60))
      if (day < 4) await addPeople(campaign, 25)
      if (day === 4) await addPeople(campaign, 1)
      await sendInTurn(at((day * 24 + 10) * 60))
      sentByDay.push(unipile.requests.length)
    }
    expect(sentByDay).toEqual([25, 50, 75, 100, 100, 100, 100, 101])
  })

  it('is not sent when its recipient opts out just before the request to Unipile', async () => {
    const campaign = await makeConnectedCampaign()
    const { sending } = await startSendPastGate()
    const [task] = await listTasks(campaign)
    const identifiers = [{ identifier: task!.linkedinUrl! }]
    expect(await campaign.owner.call('addOptOuts', { identifiers })).toMatchObject({ inFlight: 0 })
    expect(unipile.requests).toEqual([])
    await sending
    expect(await campaign.owner.call('getProspect', { prospectId: task!.prospectId })).toMatchObject({
      status: 'paused',
      statusReason: 'do_not_contact',
    })
  })

  it('is sent, before the next step, once its recipient is off the Do Not Contact list and is resumed', async () => {
    const next = { channel: 'task', delay: { amount: 0, unit: 'days' }, body: 'Write a letter' } as const
    const campaign = await makeConnectedCampaign(1, [message, next])
    const { owner, campaignId } = campaign
    const [{ prospectId, linkedinUrl } = {}] = await listTasks(campaign)
    const identifier = linkedinUrl!
    await owner.call('addOptOuts', { identifiers: [{ identifier }] })
    await sendUntil(at(5))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'cancelled', statusReason: 'do_not_contact' }])
    await owner.call('removeOptOut', { identifier })
    await owner.call('resumeProspect', { prospectId: prospectId! })
    // Without another prospect, the pause completed the campaign.
    await owner.call('resumeCampaign', { campaignId })
    await planAll(app)
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    await sendInTurn(at(60))
    expect(unipile.requests).toMatchObject([{ path: '/chats' }])
    await planAll(app)
    expect((await listTasks(campaign)).map(({ channel, status }) => [channel, status])).toEqual([
      ['linkedin_message', 'completed'],
      ['task', 'open'],
    ])
  })

  it('is not sent when its recipient replies just before the request to Unipile', async () => {
    const campaign = await makeConnectedCampaign()
    const { owner, campaignId } = campaign
    // Without another prospect, the reply would complete the campaign.
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'grace@x.example' }] })
    const { sending } = await startSendPastGate()
    const [{ prospectId } = {}] = await listTasks(campaign)
    const reply = { prospectId: prospectId!, text: 'Hello', happenedAt: at(9e6).toISOString() }
    await owner.call('recordLinkedinMessage', { ...reply, type: 'received' })
    await sending
    expect(unipile.requests).toEqual([])
    expect(await listTasks(campaign)).toMatchObject([
      { status: 'cancelled', statusReason: 'prospect_replied' },
    ])
  })

  it.each<[string, (campaign: TaskCampaign) => Promise<unknown>]>([
    [
      'its recipient is away',
      ({ campaignId }) =>
        app.owner`update prospects set away_until = ${at(180)} where campaign_id = ${campaignId}`,
    ],
    [
      'the campaign’s schedule is closed',
      ({ owner, campaignId }) => {
        const window = { days: ['mon' as const], from: '12:00', to: '17:00' }
        return owner.call('updateCampaign', { campaignId, schedule: { timezone: 'UTC', windows: [window] } })
      },
    ],
  ])('waits, once planned, while %s', async (_what, close) => {
    const campaign = await makeConnectedCampaign(1, [connect])
    await close(campaign)
    await sendInTurn(at(179))
    expect(unipile.requests).toEqual([])
    await sendInTurn(at(190))
    expect(unipile.requests).toHaveLength(1)
  })

  it('is sent as soon as a changed schedule allows it', async () => {
    const campaign = await makeConnectedCampaign(1, [connect])
    const { owner, campaignId } = campaign
    const windows = [{ days: ['tue' as const], from: '12:00', to: '17:00' }]
    await owner.call('updateCampaign', { campaignId, schedule: { timezone: 'UTC', windows } })
    await sendUntil(at(5))
    expect(await listTasks(campaign)).toMatchObject([{ sendsAt: '2026-11-24T12:00:00.000Z' }])
    await owner.call('updateCampaign', { campaignId, schedule: null })
    expect(await listTasks(campaign)).toMatchObject([{ sendsAt: at(5).toISOString() }])
    await sendUntil(at(5))
    expect(unipile.requests).toHaveLength(1)
  })

  it('goes to the corrected profile of its recipient, not to the previous member or chat', async () => {
    const campaign = await makeConnectedCampaign(1, [connect, { ...message, acceptWithinDays: 7 }])
    const { owner } = campaign
    const wrong = unipile.members.length - 1
    await sendUntil(at(5))
    const [{ id: taskId, prospectId, personId } = {}] = await listTasks(campaign)
    await owner.call('acceptTask', { taskId: taskId! })
    const { id: linkedinMessageId } = await owner.call('createLinkedinDraft', {
      ...{ prospectId: prospectId!, text: 'Hello' },
    })
    await owner.call('sendLinkedinDraft', { linkedinMessageId })
    await sendUntil(at(10))
    expect(unipile.requests.slice(1)).toMatchObject([
      { path: '/chats', fields: { attendees_ids: toMemberId(wrong) } },
    ])
    unipile.members.push({ memberId: toMemberId(wrong + 1), publicIdentifier: `someone-${wrong + 1}` })
    await owner.call('updatePerson', {
      personId: personId!,
      linkedinUrl: `linkedin.com/in/someone-${wrong + 1}`,
    })
    await owner.call('resumeProspect', { prospectId: prospectId! })
    await planAll(app)
    await sendInTurn(at(60))
    expect(unipile.requests.slice(2)).toMatchObject([
      { path: '/chats', fields: { attendees_ids: toMemberId(wrong + 1), text: 'Hiring?' } },
    ])
  })

  it('goes to the corrected profile even if the correction is made just before the request to Unipile', async () => {
    const campaign = await makeConnectedCampaign(1, [connect])
    const n = unipile.members.length
    unipile.members.push({ memberId: toMemberId(n), publicIdentifier: `someone-${n}` })
    const { sending } = await startSendPastGate()
    const [{ personId } = {}] = await listTasks(campaign)
    await campaign.owner.call('updatePerson', {
      personId: personId!,
      linkedinUrl: `linkedin.com/in/someone-${n}`,
    })
    await sending
    expect(unipile.requests).toEqual([])
    await sendInTurn(at(30))
    expect(unipile.requests).toMatchObject([{ fields: { provider_id: toMemberId(n) } }])
  })

  it.each<
    [string, (member: { memberId: string; publicIdentifier: string }) => { url: string; listed: string }]
  >([
    ['the profile’s ID', ({ memberId, publicIdentifier }) => ({ url: publicIdentifier, listed: memberId })],
    ['the profile’s name', ({ memberId, publicIdentifier }) => ({ url: memberId, listed: publicIdentifier })],
  ])(
    'is not sent when %s is on the Do Not Contact list, even if the person has the other URL',
    async (_what, choose) => {
      const campaign = await makeConnectedCampaign(0, [message, { ...message, body: 'Still hiring?' }])
      const { owner, campaignId } = campaign
      const n = unipile.members.length
      const member = { memberId: toMemberId(n), publicIdentifier: `someone-${n}` }
      unipile.members.push(member)
      const { url, listed } = choose(member)
      await owner.call('addProspectsToCampaign', {
        campaignId,
        data: [{ linkedinUrl: `linkedin.com/in/${url}` }],
      })
      await planAll(app)
      await sendUntil(at(10))
      expect(unipile.requests).toHaveLength(1)
      await owner.call('addOptOuts', { identifiers: [{ identifier: `linkedin.com/in/${listed}` }] })
      await planAll(app)
      await sendInTurn(at(60))
      expect(unipile.requests).toHaveLength(1)
      expect((await owner.call('listProspects', { campaignId })).data).toMatchObject([
        { status: 'paused', statusReason: 'do_not_contact' },
      ])
    },
  )

  it('looks up no profile while its campaign is paused', async () => {
    const campaign = await makeConnectedCampaign(1, [connect])
    const { owner, campaignId } = campaign
    await owner.call('pauseCampaign', { campaignId })
    unipile.lookups = 0
    await sendInTurn(at(6 * 60))
    expect(unipile.lookups).toBe(0)
    await owner.call('resumeCampaign', { campaignId })
    await sendInTurn(at(8 * 60))
    expect(unipile.lookups).toBe(1)
    expect(unipile.requests).toHaveLength(1)
  })

  it('is not sent when another person with the same profile is on the Do Not Contact list', async () => {
    const campaign = await makeConnectedCampaign(0, [message])
    const { owner, campaignId } = campaign
    const n = unipile.members.length
    unipile.members.push({ memberId: toMemberId(n), publicIdentifier: `someone-${n}` })
    const email = 'ada@x.example'
    await owner.call('createPerson', { email, linkedinUrl: `linkedin.com/in/${toMemberId(n)}` })
    await owner.call('addOptOuts', { identifiers: [{ identifier: email }] })
    const data = [{ linkedinUrl: `linkedin.com/in/someone-${n}` }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await planAll(app)
    await sendInTurn(at(60))
    expect(unipile.requests).toEqual([])
    expect((await owner.call('listProspects', { campaignId })).data).toMatchObject([
      { status: 'paused', statusReason: 'do_not_contact' },
    ])
  })

  it('is not sent when all sending is paused just before the request to Unipile, and is sent after a resume', async () => {
    const campaign = await makeConnectedCampaign()
    const { sending } = await startSendPastGate()
    expect(await campaign.owner.call('pauseSending', {})).toMatchObject({ inFlight: 0 })
    await sending
    expect(unipile.requests).toEqual([])
    app.setNow(at(120))
    expect(await claimLinkedinSends(app.db.engine, { now: app.now(), limit: 20 })).toEqual([])
    await campaign.owner.call('resumeSending', {})
    const [again] = await claimLinkedinSends(app.db.engine, { now: app.now(), limit: 20 })
    await sendLinkedin(app, again!)
    expect(unipile.requests).toHaveLength(1)
  })

  it('is never sent after an acknowledged opt-out, unless the opt-out reported it as in flight', async () => {
    const people = 20
    const random = randomFrom('LINKEDIN_RACE_SEED')
    // One rep for each, because messages of one rep are minutes apart.
    const campaigns: TaskCampaign[] = []
    while (campaigns.length < people) campaigns.push(await makeConnectedCampaign(1, [message]))
    app.setNow(at(5))
    const claims = await claimLinkedinSends(app.db.engine, { now: app.now(), limit: people })
    expect(claims).toHaveLength(people)
    setFailpoints(name => (/^(linkedin|opt_out)/.test(name) ? { do: 'pause', ms: random() * 60 } : undefined))
    const afterRandomDelay = (ms: number, act: () => Promise<unknown>) => sleep(random() * ms).then(act)
    const listRequested = () => new Set(unipile.requests.map(({ fields }) => fields.attendees_ids))
    const errors: string[] = []
    const optOut = async ({ owner }: TaskCampaign, linkedinUrl: string) => {
      const memberId = toMemberId(Number(linkedinUrl.split('-').at(-1)))
      const before = listRequested().has(memberId)
      const { inFlight } = await owner.call('addOptOuts', { identifiers: [{ identifier: linkedinUrl }] })
      const wasRequestedMeanwhile = listRequested().has(memberId)
      await sending
      // The opt-out may not be stored yet when a request is made before its response.
      if (inFlight === 0 && !before && !wasRequestedMeanwhile && listRequested().has(memberId))
        errors.push(linkedinUrl)
    }
    const tasks = await Promise.all(campaigns.map(campaign => listTasks(campaign)))
    const sending = Promise.all(claims.map(claim => afterRandomDelay(600, () => sendLinkedin(app, claim))))
    try {
      await Promise.all(
        tasks.map(([task], n) => afterRandomDelay(600, () => optOut(campaigns[n]!, task!.linkedinUrl!))),
      )
    } finally {
      await sending
      setFailpoints(undefined)
    }
    expect(errors).toEqual([])
  })

  it('is not sent to a person who opted out or replied, or whose task the rep completed', async () => {
    const campaign = await makeConnectedCampaign(3)
    const { owner } = campaign
    const [listed, done, answered] = await listTasks(campaign)
    const identifiers = [{ identifier: listed!.linkedinUrl! }]
    await owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
    await owner.call('completeTask', { taskId: done!.id })
    const { prospectId } = answered!
    await owner.call('recordLinkedinMessage', {
      prospectId,
      type: 'received',
      text: 'Hello',
      happenedAt: at(9e6).toISOString(),
    })
    await sendUntil(at(60))
    expect(unipile.requests).toEqual([])
    const { status, statusReason } = await owner.call('getProspect', { prospectId: listed!.prospectId })
    expect([status, statusReason]).toEqual(['paused', 'do_not_contact'])
  })

  it.each<UnipileFault>(['timeout', 'reset', 'error', 'malformed', 'truncated'])(
    'is left for the rep, and never sent again, when the result of the request is unknown (%s)',
    async error => {
      const campaign = await makeConnectedCampaign()
      unipile.fault = error
      await sendUntil(at(5))
      unipile.fault = undefined
      await sendUntil(at(48 * 60))
      expect(unipile.requests).toHaveLength(1)
      const [task] = await listTasks(campaign)
      expect(task).toMatchObject({
        status: 'open',
        statusReason: expect.stringMatching(/^It may have been sent: /),
      })
      expect(task).not.toHaveProperty('sentBy')
      expect(await campaign.owner.call('completeTask', { taskId: task!.id })).toMatchObject({
        status: 'completed',
      })
    },
    30_000,
  )

  it('is sent after the delay that Unipile requests', async () => {
    const campaign = await makeConnectedCampaign()
    unipile.fault = 'too_many'
    await sendUntil(at(4))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    unipile.fault = undefined
    await sendUntil(at(5))
    expect(unipile.requests).toEqual([])
    await sendUntil(at(6))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
  })

  it('is retried with increasing delays for hours while Unipile rejects it, then left for the rep', async () => {
    const campaign = await makeConnectedCampaign()
    unipile.retryAfter = 1
    unipile.fault = 'too_many'
    await sendInTurn(at(10 * 60))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    await sendInTurn(at(24 * 60))
    expect(await listTasks(campaign)).toMatchObject([
      { status: 'open', statusReason: expect.stringMatching(/^It was not sent: .*is limiting requests/) },
    ])
  })

  it.each<[UnipileFault, string]>([
    ['refused', 'cannot_resend_yet'],
    ['not_subscribed', 'feature_not_subscribed'],
  ])(
    'is left for the rep with the reason when Unipile reports %s, without changing the account’s status',
    async (error, reason) => {
      const campaign = await makeConnectedCampaign()
      unipile.fault = error
      await sendUntil(at(5))
      const [task] = await listTasks(campaign)
      expect(task).toMatchObject({ status: 'open', statusReason: expect.stringContaining(reason) })
      expect(task).not.toHaveProperty('sentBy')
      expect((await getAccount(campaign)).status).toBe('waiting')
    },
  )

  it('waits while its account must sign in again, marks the account as failing, and continues afterwards', async () => {
    const campaign = await makeConnectedCampaign()
    unipile.fault = 'unauthorized'
    await sendUntil(at(5))
    expect(await getAccount(campaign)).toMatchObject({
      status: 'failing',
      statusReason: expect.stringContaining('Unipile rejected the request'),
    })
    // Signing in may take any amount of time.
    await sendInTurn(at(3 * 24 * 60))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    unipile.fault = undefined
    await sendInTurn(at(3 * 24 * 60 + 60))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
    expect(await getAccount(campaign)).toMatchObject({ status: 'working' })
  })

  const errors: [string, string, (repId: string) => Promise<unknown>][] = [
    [
      'an address that does not exist',
      'waiting',
      repId =>
        app.owner`update linkedin_accounts set base_url = 'https://unipile.invalid' where rep_id = ${repId}`,
    ],
    [
      'a private address',
      'waiting',
      repId => app.owner`update linkedin_accounts set base_url = 'https://10.0.0.1' where rep_id = ${repId}`,
    ],
    [
      'a key that cannot be read',
      'failing',
      repId => app.owner`update linkedin_accounts set api_key = '\\x01' where rep_id = ${repId}`,
    ],
  ]
  it.each(errors)(
    'waits while its account has %s, and is sent once the account is corrected',
    async (_, status, inject) => {
      const campaign = await makeConnectedCampaign()
      const { repId } = campaign
      unipile.fault = 'too_many'
      await sendUntil(at(4))
      unipile.fault = undefined
      const [account] = await app.owner`
      select base_url, api_key from linkedin_accounts where rep_id = ${repId}`
      await inject(repId)
      await sendUntil(at(7))
      const [task] = await listTasks(campaign)
      expect(task).toMatchObject({ status: 'open', sentBy: 'unipile' })
      expect(task).not.toHaveProperty('statusReason')
      expect((await getAccount(campaign)).status).toBe(status)
      await sendInTurn(at(6 * 60))
      await app.owner`update linkedin_accounts set ${app.owner.assignments(account!)} where rep_id = ${repId}`
      await sendInTurn(at(8 * 60))
      expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
      expect(unipile.requests).toHaveLength(1)
    },
  )

  it('is sent after a cancellation when its step is due again', async () => {
    const campaign = await makeConnectedCampaign(1, [connect])
    const { owner, campaignId } = campaign
    const [prospect] = (await owner.call('listProspects', { campaignId })).data
    await app.owner`update prospects set status = 'replied' where id = ${prospect!.id}`
    await sendUntil(at(5))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'cancelled' }])
    expect(unipile.requests).toEqual([])
    await app.owner`update prospects set status = 'active', next_step_at = ${at(5)} where id = ${prospect!.id}`
    await planAll(app)
    await sendUntil(at(15))
    expect(unipile.requests).toMatchObject([{ path: '/users/invite' }])
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
  })

  const bounce = (prospectId: string) =>
    app.owner`update prospects set status = 'bounced' where id = ${prospectId}`
  /** Corrects the email address of a prospect that bounced, and resumes the prospect. */
  async function resumeBounced({ owner }: TaskCampaign, prospectId: string) {
    const { personId } = await owner.call('getProspect', { prospectId })
    await owner.call('updatePerson', { personId, email: `new-${personId}@x.example` })
    await owner.call('resumeProspect', { prospectId })
    await planAll(app)
  }
  const noDelay = { ...message, body: 'Still hiring?' }

  it('is done, and not planned again, when an email bounces during the request', async () => {
    const campaign = await makeConnectedCampaign(1, [message, noDelay])
    const [{ prospectId } = {}] = await listTasks(campaign)
    unipile.duringWrite = () => bounce(prospectId!)
    await sendUntil(at(5))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
    unipile.duringWrite = undefined
    await resumeBounced(campaign, prospectId!)
    await sendInTurn(at(60))
    expect(unipile.requests.map(({ fields }) => fields.text)).toEqual(['Hiring?', 'Still hiring?'])
  })

  it.each(['during', 'after'])(
    'is left for the rep to check before anything else is sent, if the response is lost and an email bounces %s the request',
    async when => {
      const campaign = await makeConnectedCampaign(1, [message, noDelay])
      const [{ id: taskId, prospectId } = {}] = await listTasks(campaign)
      if (when === 'during') unipile.duringWrite = () => bounce(prospectId!)
      unipile.fault = 'reset'
      await sendUntil(at(5))
      unipile.fault = undefined
      unipile.duringWrite = undefined
      if (when === 'after') await bounce(prospectId!)
      await resumeBounced(campaign, prospectId!)
      await sendInTurn(at(60))
      const mayHaveBeenSent = {
        status: 'open',
        statusReason: expect.stringMatching(/^It may have been sent/),
      }
      expect(await listTasks(campaign)).toMatchObject([mayHaveBeenSent])
      await campaign.owner.call('completeTask', { taskId: taskId! })
      await planAll(app)
      await sendInTurn(at(120))
      expect(unipile.requests.map(({ fields }) => fields.text)).toEqual(['Hiring?', 'Still hiring?'])
    },
  )

  it('is not sent by the previous rep after it was cancelled and planned again for another rep', async () => {
    const campaign = await makeConnectedCampaign(1, [message])
    const { owner, campaignId } = campaign
    const [{ prospectId } = {}] = await listTasks(campaign)
    await bounce(prospectId!)
    const { id: repId } = await owner.call('createRep', { name: 'Barbara Liskov' })
    await owner.call('updateCampaign', { campaignId, repIds: [repId] })
    await resumeBounced(campaign, prospectId!)
    const [task] = await listTasks(campaign)
    expect(task).toMatchObject({ status: 'open', repId })
    expect(task).not.toHaveProperty('sentBy')
    await sendInTurn(at(60))
    expect(unipile.requests).toEqual([])
  })

  it('keeps all its attempts during a pause of a day', async () => {
    const campaign = await makeConnectedCampaign()
    const { owner, campaignId } = campaign
    await owner.call('pauseCampaign', { campaignId })
    for (let hour = 1; hour <= 24; hour += 1) await sendUntil(at(hour * 60))
    await owner.call('resumeCampaign', { campaignId })
    unipile.fault = 'too_many'
    await sendUntil(at(26 * 60))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
    unipile.fault = undefined
    await sendUntil(at(27 * 60))
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
  })

  it('is not sent when its step is removed just before the request, and the prospect gets the new step', async () => {
    const campaign = await makeConnectedCampaign()
    const { owner, campaignId } = campaign
    app.setNow(at(5))
    const [claim] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', { campaignId, steps: [{ ...message, id: steps[1]!.id }] })
    await sendLinkedin(app, claim!)
    await planAll(app)
    await sendInTurn(at(3 * 60))
    expect(unipile.requests).toMatchObject([{ path: '/chats' }])
    const tasks = await listTasks(campaign)
    expect(tasks.map(({ channel, status, statusReason }) => [channel, status, statusReason])).toEqual([
      ['linkedin_connect', 'cancelled', 'steps_changed'],
      ['linkedin_message', 'completed', undefined],
    ])
  })

  it('is not sent by a rep who did not send the invitation, and is skipped after its time limit', async () => {
    const steps = [connect, { ...message, acceptWithinDays: 7 }]
    const campaign = await makeTaskCampaign(app, steps)
    const { owner, campaignId, prospectIds } = campaign
    const [invitation] = await listTasks(campaign)
    await owner.call('completeTask', { taskId: invitation!.id })
    await owner.call('acceptTask', { taskId: invitation!.id })
    const { id: repId } = await owner.call('createRep', { name: 'Barbara Liskov' })
    await owner.call('updateCampaign', { campaignId, repIds: [repId] })
    await planAll(app)
    expect((await owner.call('getProspect', { prospectId: prospectIds[0]! })).next).toMatchObject({
      ...{ step: 2, heldBy: 'not_accepted' },
    })
    app.setNow(at(7 * 24 * 60))
    await planAll(app)
    expect((await listTasks(campaign)).slice(1)).toMatchObject([
      { channel: 'linkedin_message', status: 'skipped', statusReason: 'not_accepted' },
    ])
  })

  it('is sent by another server when its server dies before recording the request', async () => {
    const campaign = await makeConnectedCampaign()
    app.setNow(at(5))
    const [lost] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
    await sendUntil(at(7))
    await sendLinkedin(app, lost!)
    expect(unipile.requests).toHaveLength(1)
    expect(await listTasks(campaign)).toMatchObject([{ status: 'completed' }])
  })

  it('is left for the rep when its server dies after it may have sent the request', async () => {
    const campaign = await makeConnectedCampaign()
    app.setNow(at(5))
    const [lost] = await claimLinkedinSends(app.db.engine, { now: at(5), limit: 20 })
    await inAccount(app.db.work, lost!.accountId, tx => markRequested(tx, lost!.taskId, at(5)))
    await sendUntil(at(7))
    expect(unipile.requests).toEqual([])
    expect(await listTasks(campaign)).toMatchObject([
      { statusReason: expect.stringMatching(/^It may have been sent/) },
    ])
  })
})
