import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'
import {
  type CallCampaign,
  type CallStep,
  callAll,
  listDialed,
  listProspectCalls,
  makeAda,
  makeCallCampaign,
  makeNumber,
} from '../../../../test/support/voice/call-campaign.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
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

/**
 * Sets the clock to a Monday far in the future, because a step whose call was withdrawn is due again at the current
 * time of the database, which must be earlier than the clock.
 */
const setTime = (time: string, day = '2099-11-23') => app.setNow(`${day}T${time}:00.000Z`)
beforeEach(() => setTime('10:00'))

const manyFacts = Object.fromEntries([1, 2, 3, 4].map(n => [`fact ${n}`, 'x'.repeat(4500)]))

/** Returns the steps of a campaign: a call, followed by a task that shows whether the sequence continues. */
const withNextTask = (call: CallStep = {}, minutes = 0) => ({
  steps: (assistantId: string) => [
    { channel: 'call' as const, call: { assistantId, ...call } },
    {
      channel: 'task' as const,
      delay: { amount: minutes, unit: 'minutes' as const },
      body: 'Write a letter',
    },
  ],
})
const getProspect = ({ owner, prospectIds }: CallCampaign, n = 0) =>
  owner.call('getProspect', { prospectId: prospectIds[n]! })
const listTasks = async ({ owner, prospectIds }: CallCampaign) =>
  (await owner.call('listTasks', { prospectId: prospectIds[0]! })).data
const listCalls = (campaign: CallCampaign, n = 0) => listProspectCalls(campaign, campaign.prospectIds[n]!)

/** Ends the current call with an outcome, which the engine polls at `polledAt`. */
async function endCall(
  campaign: CallCampaign,
  outcome: DialedCall['outcome'],
  polledAt: string,
): Promise<void> {
  const call = listDialed(voice, await listCalls(campaign)).at(-1)!
  voice.hangUp(call, outcome)
  setTime(polledAt)
  await callAll(app)
}

describe('a call step', () => {
  it('places a call with its data and the IDs of its campaign, step and prospect', async () => {
    const campaign = await makeCallCampaign(
      app,
      voice,
      withNextTask({ data: { about: 'Hiring, {{ firstName }}?' } }),
    )
    await callAll(app)
    const [call, ...others] = await listCalls(campaign)
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
    expect((await getProspect(campaign)).next).toMatchObject({ step: 1, heldBy: 'open_call' })
  })

  it('stops colleagues when its call is answered, if the campaign is configured to', async () => {
    const people = ['ada', 'boss'].map(name => ({ ...makeAda(), email: `${name}@navy.example` }))
    const campaign = await makeCallCampaign(app, voice, {
      ...withNextTask(),
      people,
      settings: { stopCompanyOnReply: true },
    })
    await callAll(app)
    const [prospectId] = campaign.prospectIds
    const answered = listDialed(voice, await listProspectCalls(campaign, prospectId!))
    voice.hangUp(answered[0]!, 'answered')
    setTime('10:10')
    await callAll(app)
    const { data } = await campaign.owner.call('listProspects', { campaignId: campaign.campaignId })
    expect(data.map(({ status, statusReason }) => [status, statusReason]).sort()).toEqual([
      ['replied', 'answered_call'],
      ['stopped', 'company_replied'],
    ])
  })

  it('ends the sequence when the call is answered, like a reply', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    await callAll(app)
    await endCall(campaign, 'answered', '10:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'replied', statusReason: 'answered_call' })
    expect(await listTasks(campaign)).toEqual([])
    const { campaignId } = campaign
    expect((await campaign.owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })

  it('ends the sequence and counts as a reply even if it is changed to another channel during the call', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    const { owner, campaignId } = campaign
    await callAll(app)
    const [call] = await listCalls(campaign)
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [
        { id: call!.stepId!, channel: 'task', body: 'Send a card' },
        { id: steps[1]!.id, channel: 'task', body: 'Write a letter' },
      ],
    })
    await endCall(campaign, 'answered', '10:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'replied', statusReason: 'answered_call' })
    expect(await listTasks(campaign)).toEqual([])
    expect(await owner.call('getCampaignStats', { campaignId })).toMatchObject({ replied: 1 })
  })

  it('continues with the next step after an answered call if configured to', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask({ onAnswered: 'continue' }))
    await callAll(app)
    await endCall(campaign, 'answered', '10:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'active', step: 1, next: { step: 2 } })
    expect(await listTasks(campaign)).toHaveLength(1)
  })

  it('is retried after its delay up to its limit when nobody answers, then the next step follows', async () => {
    const rule = { retries: 2, retryAfter: { amount: 2, unit: 'hours' as const } }
    const campaign = await makeCallCampaign(app, voice, withNextTask(rule))
    await callAll(app)
    await endCall(campaign, 'no_answer', '10:05')
    expect((await getProspect(campaign)).next).toMatchObject({
      ...{ step: 1, heldBy: 'delay' },
      dueAt: '2099-11-23T12:05:00.000Z',
    })
    setTime('12:04')
    await callAll(app)
    expect(await listCalls(campaign)).toHaveLength(1)
    setTime('12:05')
    await callAll(app)
    await endCall(campaign, 'busy', '12:10')
    setTime('14:10')
    await callAll(app)
    expect(await listTasks(campaign)).toEqual([])
    await endCall(campaign, 'voicemail', '14:15')
    const all = await listCalls(campaign)
    expect(all.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'no_answer'],
      [2, 'busy'],
      [3, 'voicemail'],
    ])
    expect(listDialed(voice, all)).toHaveLength(3)
    expect(await getProspect(campaign)).toMatchObject({ step: 1, next: { step: 2, heldBy: 'open_task' } })
    const stats = await campaign.owner.call('getCampaignStats', { campaignId: campaign.campaignId })
    expect(stats.steps[0]).toMatchObject({
      position: 1,
      calls: { open: 0, answered: 0, voicemail: 1, noAnswer: 1, busy: 1, failed: 0, refused: 0 },
    })
  })

  it('pauses the prospect when the outcome is unknown, until a person resumes it', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    await callAll(app)
    // The provider loses the call.
    voice.calls.length = 0
    setTime('10:20')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([{ outcome: 'failed', outcomeReason: 'unconfirmed' }])
    expect(await getProspect(campaign)).toMatchObject({ status: 'paused', statusReason: 'call_unconfirmed' })
    await campaign.owner.call('resumeProspect', { prospectId: campaign.prospectIds[0]! })
    await callAll(app)
    expect(await listCalls(campaign)).toHaveLength(1)
    expect(await listTasks(campaign)).toHaveLength(1)
  })

  it('respects both the campaign schedule and the calling hours', async () => {
    setTime('08:30')
    const campaign = await makeCallCampaign(app, voice, {
      ...withNextTask(),
      schedule: {
        windows: [{ days: ['mon', 'tue'], from: '19:00', to: '23:00' }],
        timezone: 'Europe/London',
      },
    })
    setTime('21:30')
    await callAll(app)
    // The campaign window is open but calling hours are over; the next morning it is the other way around.
    expect(await listCalls(campaign)).toMatchObject([{ status: 'queued', heldBy: 'calling_hours' }])
    setTime('08:00', '2099-11-24')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([
      { status: 'queued', heldBy: 'window', notBefore: '2099-11-24T19:00:00.000Z' },
    ])
    setTime('19:00', '2099-11-24')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([{ status: 'dialing' }])
  })

  it.each([
    ['imported into the list of people', 'importPersons'],
    ['imported into a campaign', 'importProspects'],
    ['copied from a merged duplicate', 'mergePersons'],
  ] as const)(
    'does not wait for the previous calling hours once a time zone is %s',
    async (_how, operation) => {
      setTime('06:00')
      const campaign = await makeCallCampaign(app, voice)
      const { owner, campaignId } = campaign
      const { personId, person } = await getProspect(campaign)
      await callAll(app)
      expect(await listCalls(campaign)).toMatchObject([{ status: 'queued', heldBy: 'calling_hours' }])
      const csv = `Email,Time zone\n${person!.email},Asia/Tokyo\n`
      if (operation === 'importPersons') await owner.call(operation, { csv })
      else if (operation === 'importProspects') await owner.call(operation, { campaignId, csv })
      else {
        const { id } = await owner.call('createPerson', { email: 'twin@x.example', timezone: 'Asia/Tokyo' })
        await owner.call(operation, { personId, duplicateIds: [id] })
      }
      expect((await listCalls(campaign))[0]).not.toHaveProperty('heldBy')
    },
  )

  it.each([
    ['schedule', { heldBy: 'window', notBefore: '2099-11-24T19:00:00.000Z' }],
    ['person’s time zone', { heldBy: 'calling_hours', notBefore: '2099-11-24T08:00:00.000Z' }],
  ])('places its call as soon as a changed %s allows it', async (change, held) => {
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    const { owner, campaignId } = campaign
    const { personId } = await getProspect(campaign)
    if (change === 'schedule') {
      await planAll(app)
      const windows = [{ days: ['tue' as const], from: '19:00', to: '23:00' }]
      await owner.call('updateCampaign', { campaignId, schedule: { windows, timezone: 'Europe/London' } })
    } else await owner.call('updatePerson', { personId, timezone: 'Asia/Tokyo' })
    setTime('12:30')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([{ status: 'queued', ...held }])
    if (change === 'schedule') await owner.call('updateCampaign', { campaignId, schedule: null })
    else await owner.call('updatePerson', { personId, timezone: null })
    expect((await listCalls(campaign))[0]).not.toHaveProperty('notBefore')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([{ status: 'dialing' }])
  })

  it('opts out a person who asks for no more calls, even if the step continues after answers', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask({ onAnswered: 'continue' }))
    await callAll(app)
    const [call] = listDialed(voice, await listCalls(campaign))
    call!.extracted = { doNotCall: true }
    await endCall(campaign, 'answered', '10:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'opted_out' })
    expect(await listTasks(campaign)).toEqual([])
  })
})

describe('a planned call', () => {
  it('is skipped with a reason when there is no consent, and the sequence continues', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask({}, 30))
    const { owner } = campaign
    const { data } = await owner.call('listConsents', {})
    await owner.call('withdrawConsent', { consentId: data[0]!.id })
    await callAll(app)
    const all = await listCalls(campaign)
    expect(all).toMatchObject([{ outcome: 'refused', outcomeReason: 'no_consent' }])
    expect(listDialed(voice, all)).toEqual([])
    expect(await getProspect(campaign)).toMatchObject({
      ...{ status: 'active', statusReason: 'call_refused: no_consent', step: 1 },
      next: { step: 2, heldBy: 'delay' },
    })
    setTime('10:30')
    await callAll(app)
    expect(await listTasks(campaign)).toHaveLength(1)
  })

  it.each([
    ['the prospect is paused', 'prospect_paused'],
    ['the prospect replies', 'prospect_replied'],
    ['the person opts out', 'do_not_contact'],
    ['the campaign is paused', 'campaign_paused'],
    ['the steps change', 'steps_changed'],
    ['the phone number changes', 'number_changed'],
    ['the phone number is removed', 'number_changed'],
  ])('is withdrawn when %s before dialing', async (what, outcomeReason) => {
    setTime('06:00')
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    const { owner, campaignId, assistantId } = campaign
    const prospectId = campaign.prospectIds[0]!
    const { personId } = await getProspect(campaign)
    await callAll(app)
    const [queued] = await listCalls(campaign)
    expect(queued).toMatchObject({ status: 'queued', heldBy: 'calling_hours' })
    const actions: Record<string, () => Promise<unknown>> = {
      'the prospect is paused': () => owner.call('pauseProspect', { prospectId }),
      'the prospect replies': () =>
        owner.call('recordLinkedinMessage', {
          ...{ prospectId, type: 'received', text: 'Yes', happenedAt: app.now().toISOString() },
        }),
      'the person opts out': () => owner.call('addOptOuts', { identifiers: [{ identifier: queued!.to }] }),
      'the campaign is paused': () => owner.call('pauseCampaign', { campaignId }),
      'the steps change': () =>
        owner.call('setCampaignSteps', { campaignId, steps: withNextTask().steps(assistantId) }),
      'the phone number changes': () => owner.call('updatePerson', { personId, phone: makeNumber() }),
      'the phone number is removed': () => owner.call('updatePerson', { personId, phone: null }),
    }
    await actions[what]!()
    setTime('08:00')
    await callAll(app)
    const all = await listCalls(campaign)
    expect(all[0]).toMatchObject({ status: 'ended', outcome: 'withdrawn', outcomeReason })
    expect(listDialed(voice, [all[0]!])).toEqual([])
  })

  it('is placed to the new number, as the same attempt, when the number changes before dialing', async () => {
    setTime('06:00')
    const campaign = await makeCallCampaign(app, voice)
    const { owner } = campaign
    const { personId } = await getProspect(campaign)
    await callAll(app)
    const phone = makeNumber()
    await makeConsent(owner, phone)
    await owner.call('updatePerson', { personId, phone })
    setTime('08:00')
    await callAll(app)
    const calls = await listCalls(campaign)
    expect(calls.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'ended'],
      [1, 'dialing'],
    ])
    expect(listDialed(voice, calls)).toMatchObject([{ to: phone }])
  })

  it('waits for the calling hours of a time zone that is set while it waits', async () => {
    setTime('06:00')
    const campaign = await makeCallCampaign(app, voice)
    const { personId } = await getProspect(campaign)
    await callAll(app)
    await campaign.owner.call('updatePerson', { personId, timezone: 'America/New_York' })
    setTime('08:00')
    await callAll(app)
    expect(await listCalls(campaign)).toMatchObject([
      { status: 'queued', heldBy: 'calling_hours', notBefore: '2099-11-23T13:00:00.000Z' },
    ])
    setTime('13:00')
    await callAll(app)
    const calls = await listCalls(campaign)
    expect(listDialed(voice, calls)).toMatchObject([
      { body: { variables: expect.objectContaining({ timezone: 'America/New_York' }) } },
    ])
  })

  it('is withdrawn when its step is removed while the provider is busy', async () => {
    const campaign = await makeCallCampaign(app, voice, withNextTask())
    const { owner, campaignId } = campaign
    await planAll(app)
    const [queued] = await listCalls(campaign)
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
    expect(await listCalls(campaign)).toMatchObject([{ status: 'queued', heldBy: 'provider_busy' }])
    setTime('10:30')
    await callAll(app)
    const all = await listCalls(campaign)
    expect(all).toMatchObject([{ outcome: 'withdrawn', outcomeReason: 'steps_changed' }])
    expect(listDialed(voice, all)).toEqual([])
    expect(await listTasks(campaign)).toMatchObject([{ channel: 'task', status: 'open' }])
  })

  it('is placed as the same attempt once the prospect is resumed', async () => {
    setTime('06:00')
    const campaign = await makeCallCampaign(app, voice)
    const prospectId = campaign.prospectIds[0]!
    await callAll(app)
    await campaign.owner.call('pauseProspect', { prospectId })
    setTime('09:00')
    await callAll(app)
    expect(await listCalls(campaign)).toHaveLength(1)
    await campaign.owner.call('resumeProspect', { prospectId })
    await callAll(app)
    expect((await listCalls(campaign)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'ended'],
      [1, 'dialing'],
    ])
    // Pausing the prospect during a call does not affect the call.
    await campaign.owner.call('pauseProspect', { prospectId })
    await campaign.owner.call('resumeProspect', { prospectId })
    expect((await getProspect(campaign)).next).toMatchObject({ heldBy: 'open_call' })
    await endCall(campaign, 'answered', '09:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'replied' })
  })
})

describe('a call to a person who is on the Do Not Contact list when it is due', () => {
  it('is placed as the same attempt once the person is off the list and the prospect is resumed', async () => {
    setTime('06:00')
    const person = makeAda()
    const campaign = await makeCallCampaign(app, voice, { ...withNextTask(), people: [person] })
    const { owner, campaignId, prospectIds } = campaign
    await callAll(app)
    const optOut = { identifiers: [{ identifier: person.email }], pauseActiveProspects: false }
    await owner.call('addOptOuts', optOut)
    setTime('09:00')
    await callAll(app)
    expect(await getProspect(campaign)).toMatchObject({ status: 'paused', statusReason: 'do_not_contact' })
    expect(listDialed(voice, await listCalls(campaign))).toEqual([])
    await owner.call('removeOptOut', { identifier: person.email })
    await owner.call('resumeProspect', { prospectId: prospectIds[0]! })
    // Pausing its only prospect completed the campaign.
    await owner.call('resumeCampaign', { campaignId })
    await callAll(app)
    const calls = await listCalls(campaign)
    expect(calls.map(({ attempt, status, outcomeReason }) => [attempt, status, outcomeReason])).toEqual([
      [1, 'ended', 'do_not_contact'],
      [1, 'dialing', undefined],
    ])
    expect(await listTasks(campaign)).toEqual([])
  })
})

describe('a call whose step is moved during the call', () => {
  it('is not retried when its step now precedes a finished one', async () => {
    const call = (assistantId: string) => ({ channel: 'call' as const, call: { assistantId } })
    const todo = {
      channel: 'task' as const,
      delay: { amount: 0, unit: 'minutes' as const },
      body: 'A letter',
    }
    const noDelay = { delay: { amount: 0, unit: 'minutes' as const } }
    const campaign = await makeCallCampaign(app, voice, { steps: id => [todo, { ...call(id), ...noDelay }] })
    const { owner, campaignId, assistantId } = campaign
    await callAll(app)
    await owner.call('completeTask', { taskId: (await listTasks(campaign))[0]!.id })
    await callAll(app)
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [
        { ...call(assistantId), id: steps[1]!.id },
        { ...todo, id: steps[0]!.id },
      ],
    })
    await endCall(campaign, 'no_answer', '10:10')
    expect(await getProspect(campaign)).toMatchObject({ status: 'completed' })
    expect(await listCalls(campaign)).toMatchObject([{ status: 'ended', outcome: 'no_answer' }])
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })
})

describe('a campaign with call steps', () => {
  it('requires an assistant and skips prospects without a phone number until one is added', async () => {
    const people = [makeAda(), { ...makeAda(), phone: '' }]
    await expect(makeCallCampaign(app, voice, { steps: () => [{ channel: 'call' }] })).rejects.toMatchObject({
      details: [{ path: 'steps.0.call.assistantId' }],
    })
    const campaign = await makeCallCampaign(app, voice, { people: [people[0]!] })
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
    await owner.call('updatePerson', { personId: personId!, phone: makeNumber() })
    await callAll(app)
    expect(await listProspectCalls(campaign, prospectId!)).toHaveLength(1)
  })

  it('reports prospects without a phone number at launch', async () => {
    const { owner, assistantId } = await makeCallCampaign(app, voice)
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
      data: [{ email: 'nobody@acme.example' }, makeAda()],
    })
    expect(await owner.call('launchCampaign', { campaignId })).toMatchObject({
      incomplete: { total: 1, prospects: [{ prospectId: data[0]!.prospectId, variables: ['phone'] }] },
    })
  })

  it('previews the phone number, the data for the assistant and missing variables', async () => {
    const data = { about: 'Hiring in {{ city }}' }
    const campaign = await makeCallCampaign(app, voice, {
      ...withNextTask({ data: { about: 'Hiring in {{ city | default: "town" }}' } }),
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
  ] as const)('names the invalid field of a step: %s', async (path, step) => {
    const owner = await makeCaller(app)
    await expect(owner.call('createCampaign', { name: 'Autumn', steps: [step] })).rejects.toMatchObject({
      details: [{ path }],
    })
  })
})
