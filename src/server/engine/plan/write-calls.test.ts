import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'
import {
  aCallCampaign,
  ada,
  aNumber,
  type CallCampaign,
  type CallStep,
  callAll,
  listCalls,
  listDialed,
} from '../../../../test/support/voice/call-campaign.ts'
import { openHttpVoiceServer } from '../../../../test/support/voice/http-voice-server.ts'
import type { DialedCall, VoiceServer } from '../../../../test/support/voice/voice-server.ts'
import { advanceCall } from '../../domain/calls/advance-call.ts'
import { claimDueCalls } from '../../domain/calls/claim-calls.ts'
import { CallPostponed } from '../../protocols/voice/provider.ts'
import { simulatedProvider } from '../../protocols/voice/simulated.ts'

let app: TestApp
let voice: VoiceServer
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  voice = await openHttpVoiceServer()
  voice.now = app.now
})
afterAll(async () => {
  await voice[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** A Monday far ahead: the database, whose own clock tells when a withdrawn step is due again, never comes after it. */
const at = (time: string, day = '2099-11-23') => app.setNow(`${day}T${time}:00.000Z`)
beforeEach(() => at('10:00'))

const manyFacts = Object.fromEntries([1, 2, 3, 4].map(n => [`fact ${n}`, 'x'.repeat(4500)]))

/** A call, then a task that shows whether the sequence goes on. */
const thenTask = (call: CallStep = {}, minutes = 0) => ({
  steps: (assistantId: string) => [
    { channel: 'call' as const, call: { assistantId, ...call } },
    {
      channel: 'task' as const,
      delay: { amount: minutes, unit: 'minutes' as const },
      body: 'Write a letter',
    },
  ],
})
const prospectOf = ({ owner, prospectIds }: CallCampaign, n = 0) =>
  owner.call('getProspect', { prospectId: prospectIds[n]! })
const tasksOf = async ({ owner, prospectIds }: CallCampaign) =>
  (await owner.call('listTasks', { prospectId: prospectIds[0]! })).data
const calls = (campaign: CallCampaign, n = 0) => listCalls(campaign, campaign.prospectIds[n]!)

/** The call that is on the phone ends like that, and the engine asks after it some minutes later. */
async function end(campaign: CallCampaign, outcome: DialedCall['outcome'], askedAt: string): Promise<void> {
  const call = listDialed(voice, await calls(campaign)).at(-1)!
  voice.hangUp(call, outcome)
  at(askedAt)
  await callAll(app)
}

describe('a step that calls', () => {
  it('has its assistant call, with the facts it was given and the ids of campaign, step and prospect', async () => {
    const campaign = await aCallCampaign(
      app,
      voice,
      thenTask({ data: { about: 'Hiring, {{ firstName }}?' } }),
    )
    await callAll(app)
    const [call, ...others] = await calls(campaign)
    const { steps } = await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })
    expect(others).toEqual([])
    expect(call).toMatchObject({
      status: 'dialing',
      campaignId: campaign.campaignId,
      stepId: steps[0]!.id,
      prospectId: campaign.prospectIds[0],
      attempt: 1,
      personName: 'Ada',
      data: { about: 'Hiring, Ada?' },
    })
    expect(listDialed(voice, [call!])).toMatchObject([{ to: call!.to, body: { variables: call!.data } }])
    expect((await prospectOf(campaign)).next).toMatchObject({ step: 1, heldBy: 'open_call' })
  })

  it('ends the sequence of somebody who picks up, as an answer does', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask())
    await callAll(app)
    await end(campaign, 'answered', '10:10')
    expect(await prospectOf(campaign)).toMatchObject({ status: 'replied', statusReason: 'answered_call' })
    expect(await tasksOf(campaign)).toEqual([])
    const { campaignId } = campaign
    expect((await campaign.owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })

  it('goes on to the next step after it was answered where that is wanted', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask({ onAnswered: 'continue' }))
    await callAll(app)
    await end(campaign, 'answered', '10:10')
    expect(await prospectOf(campaign)).toMatchObject({ status: 'active', step: 1, next: { step: 2 } })
    expect(await tasksOf(campaign)).toHaveLength(1)
  })

  it('is tried again after its wait when it reached nobody, as often as it says, then the next step comes', async () => {
    const rule = { retries: 2, retryAfter: { amount: 2, unit: 'hours' as const } }
    const campaign = await aCallCampaign(app, voice, thenTask(rule))
    await callAll(app)
    await end(campaign, 'no_answer', '10:05')
    expect((await prospectOf(campaign)).next).toMatchObject({
      ...{ step: 1, heldBy: 'delay' },
      dueAt: '2099-11-23T12:05:00.000Z',
    })
    at('12:04')
    await callAll(app)
    expect(await calls(campaign)).toHaveLength(1)
    at('12:05')
    await callAll(app)
    await end(campaign, 'busy', '12:10')
    at('14:10')
    await callAll(app)
    expect(await tasksOf(campaign)).toEqual([])
    await end(campaign, 'voicemail', '14:15')
    const all = await calls(campaign)
    expect(all.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'no_answer'],
      [2, 'busy'],
      [3, 'voicemail'],
    ])
    expect(listDialed(voice, all)).toHaveLength(3)
    expect(await prospectOf(campaign)).toMatchObject({ step: 1, next: { step: 2, heldBy: 'open_task' } })
    const stats = await campaign.owner.call('getCampaignStats', { campaignId: campaign.campaignId })
    expect(stats.steps[0]).toMatchObject({
      position: 1,
      calls: { open: 0, answered: 0, voicemail: 1, noAnswer: 1, busy: 1, failed: 0, refused: 0 },
    })
  })

  it('whose call nobody knows the end of waits for a person, who lets the sequence go on', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask())
    await callAll(app)
    // The stand-in loses what it dialed.
    voice.calls.length = 0
    at('10:20')
    await callAll(app)
    expect(await calls(campaign)).toMatchObject([{ outcome: 'failed', outcomeReason: 'unconfirmed' }])
    expect(await prospectOf(campaign)).toMatchObject({ status: 'paused', statusReason: 'call_unconfirmed' })
    await campaign.owner.call('resumeProspect', { prospectId: campaign.prospectIds[0]! })
    await callAll(app)
    expect(await calls(campaign)).toHaveLength(1)
    expect(await tasksOf(campaign)).toHaveLength(1)
  })

  it('keeps to the hours of the campaign and to the calling hours', async () => {
    at('08:30')
    const campaign = await aCallCampaign(app, voice, {
      ...thenTask(),
      schedule: {
        windows: [{ days: ['mon', 'tue'], from: '19:00', to: '23:00' }],
        timezone: 'Europe/London',
      },
    })
    at('21:30')
    await callAll(app)
    // The campaign is open, calling hours are not; when they are the campaign is closed.
    expect(await calls(campaign)).toMatchObject([{ status: 'queued', heldBy: 'calling_hours' }])
    at('08:00', '2099-11-24')
    await callAll(app)
    expect(await calls(campaign)).toMatchObject([
      { status: 'queued', heldBy: 'window', notBefore: '2099-11-24T19:00:00.000Z' },
    ])
    at('19:00', '2099-11-24')
    await callAll(app)
    expect(await calls(campaign)).toMatchObject([{ status: 'dialing' }])
  })
})

describe('what forbids a call', () => {
  it('without consent leaves the step out, says so, and goes on', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask({}, 30))
    const { owner } = campaign
    const { data } = await owner.call('listConsents', {})
    await owner.call('withdrawConsent', { consentId: data[0]!.id })
    await callAll(app)
    const all = await calls(campaign)
    expect(all).toMatchObject([{ outcome: 'refused', outcomeReason: 'no_consent' }])
    expect(listDialed(voice, all)).toEqual([])
    expect(await prospectOf(campaign)).toMatchObject({
      ...{ status: 'active', statusReason: 'call_refused: no_consent', step: 1 },
      next: { step: 2, heldBy: 'delay' },
    })
    at('10:30')
    await callAll(app)
    expect(await tasksOf(campaign)).toHaveLength(1)
  })

  it.each([
    ['paused', 'prospect_paused'],
    ['answered', 'prospect_replied'],
    ['opted out', 'do_not_contact'],
    ['campaign paused', 'campaign_paused'],
    ['steps changed', 'steps_changed'],
  ])('%s between queueing and dialing withdraws it', async (what, outcomeReason) => {
    at('06:00')
    const campaign = await aCallCampaign(app, voice, thenTask())
    const { owner, campaignId, assistantId } = campaign
    const prospectId = campaign.prospectIds[0]!
    await callAll(app)
    const [queued] = await calls(campaign)
    expect(queued).toMatchObject({ status: 'queued', heldBy: 'calling_hours' })
    const acts: Record<string, () => Promise<unknown>> = {
      paused: () => owner.call('pauseProspect', { prospectId }),
      answered: () =>
        owner.call('recordLinkedinMessage', {
          ...{ prospectId, type: 'received', text: 'Yes', happenedAt: app.now().toISOString() },
        }),
      'opted out': () => owner.call('addOptOuts', { identifiers: [{ identifier: queued!.to }] }),
      'campaign paused': () => owner.call('pauseCampaign', { campaignId }),
      'steps changed': () =>
        owner.call('setCampaignSteps', { campaignId, steps: thenTask().steps(assistantId) }),
    }
    await acts[what]!()
    at('08:00')
    await callAll(app)
    const all = await calls(campaign)
    expect(all[0]).toMatchObject({ status: 'ended', outcome: 'withdrawn', outcomeReason })
    expect(listDialed(voice, [all[0]!])).toEqual([])
  })

  it('that its step was taken away while a provider had no room for it withdraws it', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask())
    const { owner, campaignId } = campaign
    await planAll(app)
    const [queued] = await calls(campaign)
    const claims = await claimDueCalls(app.db.engine, { now: app.now(), limit: 100 })
    await advanceCall(app, claims.find(({ id }) => id === queued!.id)!, {
      ...simulatedProvider,
      placeCall: async () => {
        const { steps } = await owner.call('getCampaign', { campaignId })
        const { id } = steps[1]!
        await owner.call('setCampaignSteps', {
          ...{ campaignId, steps: [{ id, channel: 'task', body: 'Write a letter' }] },
        })
        throw new CallPostponed('Over its limit', 5_000)
      },
    })
    expect(await calls(campaign)).toMatchObject([{ status: 'queued', heldBy: 'provider_busy' }])
    at('10:30')
    await callAll(app)
    const all = await calls(campaign)
    expect(all).toMatchObject([{ outcome: 'withdrawn', outcomeReason: 'steps_changed' }])
    expect(listDialed(voice, all)).toEqual([])
    expect(await tasksOf(campaign)).toMatchObject([{ channel: 'task', status: 'open' }])
  })

  it('once it is over lets the withdrawn step be called, as the same attempt', async () => {
    at('06:00')
    const campaign = await aCallCampaign(app, voice)
    const prospectId = campaign.prospectIds[0]!
    await callAll(app)
    await campaign.owner.call('pauseProspect', { prospectId })
    at('09:00')
    await callAll(app)
    expect(await calls(campaign)).toHaveLength(1)
    await campaign.owner.call('resumeProspect', { prospectId })
    await callAll(app)
    expect((await calls(campaign)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'ended'],
      [1, 'dialing'],
    ])
    // Pausing one that is on the phone changes nothing of the call.
    await campaign.owner.call('pauseProspect', { prospectId })
    await campaign.owner.call('resumeProspect', { prospectId })
    expect((await prospectOf(campaign)).next).toMatchObject({ heldBy: 'open_call' })
    await end(campaign, 'answered', '09:10')
    expect(await prospectOf(campaign)).toMatchObject({ status: 'replied' })
  })

  it('when said in the call itself stands above what the step says of answers', async () => {
    const campaign = await aCallCampaign(app, voice, thenTask({ onAnswered: 'continue' }))
    await callAll(app)
    const [call] = listDialed(voice, await calls(campaign))
    call!.extracted = { doNotCall: true }
    await end(campaign, 'answered', '10:10')
    expect(await prospectOf(campaign)).toMatchObject({ status: 'opted_out' })
    expect(await tasksOf(campaign)).toEqual([])
  })
})

describe('a call whose step is moved while it is on the phone', () => {
  it('before one that was done is not tried again, and the sequence goes on behind that', async () => {
    const call = (assistantId: string) => ({ channel: 'call' as const, call: { assistantId } })
    const todo = {
      channel: 'task' as const,
      delay: { amount: 0, unit: 'minutes' as const },
      body: 'A letter',
    }
    const now = { delay: { amount: 0, unit: 'minutes' as const } }
    const campaign = await aCallCampaign(app, voice, { steps: id => [todo, { ...call(id), ...now }] })
    const { owner, campaignId, assistantId } = campaign
    await callAll(app)
    await owner.call('completeTask', { taskId: (await tasksOf(campaign))[0]!.id })
    await callAll(app)
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [
        { ...call(assistantId), id: steps[1]!.id },
        { ...todo, id: steps[0]!.id },
      ],
    })
    await end(campaign, 'no_answer', '10:10')
    expect(await prospectOf(campaign)).toMatchObject({ status: 'completed' })
    expect(await calls(campaign)).toMatchObject([{ status: 'ended', outcome: 'no_answer' }])
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })
})

describe('a campaign that calls', () => {
  it('is launched only with an assistant, and leaves out whoever has no number until there is one', async () => {
    const people = [ada(), { ...ada(), phone: '' }]
    await expect(aCallCampaign(app, voice, { steps: () => [{ channel: 'call' }] })).rejects.toMatchObject({
      details: [{ path: 'steps.0.call.assistantId' }],
    })
    const campaign = await aCallCampaign(app, voice, { people: [people[0]!] })
    const { owner, campaignId } = campaign
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: people[1]!.email }],
    })
    await callAll(app)
    const { prospectId, personId } = data[0]!
    expect(await owner.call('getProspect', { prospectId: prospectId! })).toMatchObject({
      status: 'failed',
      statusReason: 'missing_variable: phone',
    })
    await owner.call('updatePerson', { personId: personId!, phone: aNumber() })
    await callAll(app)
    expect(await listCalls(campaign, prospectId!)).toHaveLength(1)
  })

  it('tells at its launch who has no number', async () => {
    const { owner, assistantId } = await aCallCampaign(app, voice)
    const { data: reps } = await owner.call('listReps', {})
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'Summer', repIds: [reps[0]!.id] },
      steps: [
        { channel: 'task', body: 'Look them up' },
        { channel: 'call', call: { assistantId } },
      ],
    })
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'nobody@acme.example' }, ada()],
    })
    expect(await owner.call('launchCampaign', { campaignId })).toMatchObject({
      incomplete: { total: 1, prospects: [{ prospectId: data[0]!.prospectId, variables: ['phone'] }] },
    })
  })

  it('shows in a preview whom it would call, what the assistant would be told, and what is missing', async () => {
    const data = { about: 'Hiring in {{ city }}' }
    const campaign = await aCallCampaign(app, voice, {
      ...thenTask({ data: { about: 'Hiring in {{ city | default: "town" }}' } }),
    })
    const { owner, campaignId, assistantId } = campaign
    const stepId = (await owner.call('getCampaign', { campaignId })).steps[0]!.id
    expect(await owner.call('previewCampaign', { campaignId, stepId })).toMatchObject({
      ...{ channel: 'call', subject: '', text: '', warnings: [] },
      call: { assistantId, phoneNumber: expect.stringMatching(/^\+44/), data: { about: 'Hiring in town' } },
    })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [{ id: stepId, channel: 'call', call: { assistantId, data } }],
    })
    const { call, warnings } = await owner.call('previewCampaign', {
      ...{ campaignId, stepId, person: { phone: '020 7946 0999', country: 'GB' } },
    })
    expect(call).toMatchObject({ data: { about: 'Hiring in [city]' } })
    expect(warnings.map(({ code }) => code)).toContain('missing_variable')
  })

  it.each([
    ['steps.0', { channel: 'call', body: 'Hello' }],
    ['steps.0.call.data.about', { channel: 'call', call: { data: { about: '{{ shoeSize }}' } } }],
    ['steps.0.call.data', { channel: 'call', call: { data: manyFacts } }],
    ['steps.0.call.assistantId', { channel: 'call', call: { assistantId: randomUUIDv7() } }],
    ['steps.0.call', { subject: 'Hello', body: 'Hi', call: {} }],
    ['steps.0.thread', { channel: 'call', thread: 'new' }],
  ] as const)('names the fault of a step at %s', async (path, step) => {
    const owner = await aCaller(app)
    await expect(owner.call('createCampaign', { name: 'Autumn', steps: [step] })).rejects.toMatchObject({
      details: [{ path }],
    })
  })
})
