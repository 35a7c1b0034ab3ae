import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Caller,
  inSession,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
import type { RawInput } from '../../../contract/index.ts'
import { advanceCall } from './advance-call.ts'
import { claimDueCalls } from './claim-calls.ts'

let app: TestApp
let owner: Caller
let assistantId: string
beforeEach(async () => {
  await app?.[Symbol.asyncDispose]()
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
  owner = await makeCaller(app)
  assistantId = (await owner.call('createAssistant', { name: 'Desk', fromNumber: '+442079460018' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

const phoneNumber = '+442079460019'
const read = (callId: string) => owner.call('getCall', { callId })
const claim = () => claimDueCalls(app.db.engine, { now: app.now(), limit: 10 })
const tick = async () => {
  for (const claimed of await claim()) await advanceCall(app, claimed)
}
async function trigger(input: Partial<RawInput<'triggerAssistantCall'>> = {}): Promise<string> {
  const { callId } = await owner.call('triggerAssistantCall', {
    ...{ assistantId, name: 'Ada', phoneNumber },
    ...input,
  })
  return callId
}

describe('a scheduled call', () => {
  it('is placed at its time, and not before', async () => {
    await makeConsent(owner, phoneNumber)
    const notBefore = '2026-11-25T10:00:00.000Z'
    const callId = await trigger({ notBefore: '2026-11-25T11:00:00+01:00' })
    expect(await read(callId)).toMatchObject({ status: 'queued', heldBy: 'scheduled', notBefore })
    app.setNow('2026-11-25T09:59:59.000Z')
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'queued' })
    app.setNow(notBefore)
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'dialing' })
  })

  it('waits for calling hours when it is scheduled outside of them', async () => {
    const callId = await trigger({ notBefore: '2026-11-25T23:00:00Z' })
    expect(await read(callId)).toMatchObject({
      heldBy: 'calling_hours',
      notBefore: '2026-11-26T08:00:00.000Z',
    })
  })

  it('is refused at its time if there is no consent or the person opted out in the meantime', async () => {
    const notBefore = '2026-11-25T10:00:00.000Z'
    const other = '+442079460020'
    await makeConsent(owner, other)
    const [withoutConsent, optedOut] = [
      await trigger({ notBefore }),
      await trigger({ notBefore, phoneNumber: other }),
    ]
    await owner.call('addOptOuts', { identifiers: [{ identifier: other }], pauseActiveProspects: false })
    app.setNow(notBefore)
    await tick()
    expect(await read(withoutConsent)).toMatchObject({ outcome: 'refused', outcomeReason: 'no_consent' })
    expect(await read(optedOut)).toMatchObject({ outcome: 'refused', outcomeReason: 'do_not_contact' })
  })

  it('is at most a year ahead, and a time in the past means now', async () => {
    await expect(trigger({ notBefore: '2028-01-01T00:00:00Z' })).rejects.toMatchObject({
      details: [{ path: 'notBefore' }],
    })
    const call = await read(await trigger({ notBefore: '2026-01-01T00:00:00Z' }))
    expect(call).not.toHaveProperty('heldBy')
  })

  it('can be requested, and is approved with its time', async () => {
    await owner.call('updateAccount', { assistantsMayRequestCalls: true })
    const notBefore = '2026-11-25T10:00:00.000Z'
    const { callRequestId } = await owner.call('requestCall', {
      ...{ assistantId, name: 'Ada', phoneNumber, notBefore, reason: 'They asked for it' },
    })
    expect(await owner.call('getCallRequest', { callRequestId })).toMatchObject({
      notBefore,
      callableAt: notBefore,
    })
    const { callId } = await inSession(owner).call('approveCallRequest', { callRequestId })
    expect(await read(callId!)).toMatchObject({ heldBy: 'scheduled', notBefore })
  })
})

describe('cancelling a call', () => {
  it('keeps the call from being placed, even by a worker that has claimed it', async () => {
    await makeConsent(owner, phoneNumber)
    const callId = await trigger()
    const [claimed] = await claim()
    expect(await owner.call('cancelCall', { callId })).toMatchObject({
      status: 'ended',
      outcome: 'withdrawn',
      outcomeReason: 'cancelled',
    })
    await advanceCall(app, claimed!)
    expect(await read(callId)).toMatchObject({ outcome: 'withdrawn' })
    await expect(owner.call('cancelCall', { callId })).rejects.toMatchObject({ code: 'Conflict' })
  })

  it('is rejected once the call is being placed, and for a campaign step', async () => {
    await makeConsent(owner, phoneNumber)
    const callId = await trigger()
    await tick()
    await expect(owner.call('cancelCall', { callId })).rejects.toThrow('already being placed')
    const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'Spring', repIds: [repId], steps: [{ channel: 'call', call: { assistantId } }] },
    })
    const data = [{ firstName: 'Ben', phone: '+442079460020' }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await owner.call('launchCampaign', { campaignId })
    await planAll(app)
    const [step] = (await owner.call('listCalls', { status: 'queued' })).data
    await expect(owner.call('cancelCall', { callId: step!.id })).rejects.toThrow('campaign step')
  })

  it('is allowed to members only for calls of their own reps', async () => {
    const callId = await trigger()
    const member = await makeCaller(app, 'member', owner.accountId)
    await expect(member.call('cancelCall', { callId })).rejects.toMatchObject({ code: 'NotFound' })
    const viewer = await makeCaller(app, 'viewer', owner.accountId)
    await expect(viewer.call('cancelCall', { callId })).rejects.toMatchObject({ code: 'Forbidden' })
  })
})

describe('a manual call', () => {
  const makePerson = async () => {
    await owner.call('createRep', { name: 'Grace Hopper' })
    return (await owner.call('createPerson', { firstName: 'Ada', phone: phoneNumber })).id
  }

  it('is logged with its person, rep and notes, and can be listed by person', async () => {
    const personId = await makePerson()
    const rep = (await owner.call('listReps', {})).data.find(({ name }) => name === 'Grace Hopper')
    const call = await owner.call('logCall', {
      ...{ personId, outcome: 'answered', notes: 'Wants a demo.', duration: 240 },
      startedAt: '2026-11-23T11:00:00Z',
    })
    expect(call).toMatchObject({
      ...{
        personId,
        repId: rep!.id,
        personName: 'Ada',
        callType: 'outbound',
        to: phoneNumber,
        status: 'ended',
      },
      ...{ outcome: 'answered', summary: 'Wants a demo.', duration: 240 },
      ...{ startedAt: '2026-11-23T11:00:00.000Z', endedAt: '2026-11-23T11:04:00.000Z' },
    })
    expect((await owner.call('listCalls', { personId })).data).toEqual([call])
  })

  it('is assumed to have just ended if it is logged without a start time', async () => {
    const personId = await makePerson()
    const call = await owner.call('logCall', { personId, outcome: 'answered', duration: 240 })
    expect(Date.parse(call.endedAt!)).toBe(app.now().getTime())
    expect(Date.parse(call.startedAt!)).toBe(app.now().getTime() - 240_000)
  })

  it('makes the assistant wait: nobody is called right after a conversation, or too often in a day', async () => {
    const personId = await makePerson()
    await makeConsent(owner, phoneNumber)
    await owner.call('logCall', { personId, outcome: 'answered' })
    const callId = await trigger()
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'queued', heldBy: 'just_called' })
    for (const outcome of ['no_answer', 'busy'] as const) await owner.call('logCall', { personId, outcome })
    app.setNow('2026-11-23T12:10:00.000Z')
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'queued', heldBy: 'daily_cap_per_number' })
  })

  it('needs a number, an end that is not in the future, and exactly one of person and prospect', async () => {
    await owner.call('createRep', { name: 'Grace Hopper' })
    const personId = (await owner.call('createPerson', { email: 'ben@x.example' })).id
    const log = (input: object) => owner.call('logCall', { personId, outcome: 'busy', ...input })
    const errorAt = (path: string) => ({ code: 'ValidationError', details: [{ path }] })
    await expect(log({})).rejects.toMatchObject(errorAt('phoneNumber'))
    await expect(log({ phoneNumber, startedAt: '2026-11-23T13:00:00Z' })).rejects.toMatchObject(
      errorAt('startedAt'),
    )
    await expect(
      log({ phoneNumber, startedAt: app.now().toISOString(), duration: 3_600 }),
    ).rejects.toMatchObject(errorAt('duration'))
    await expect(log({ phoneNumber, prospectId: personId })).rejects.toMatchObject(errorAt(''))
    expect(await log({ phoneNumber, callType: 'inbound' })).toMatchObject({
      from: phoneNumber,
      callType: 'inbound',
    })
  })

  it('is reported to webhooks as ended', async () => {
    const personId = await makePerson()
    const { id } = await owner.call('logCall', { personId, outcome: 'voicemail' })
    const [event] = await app.owner`
      select event_type as type from events where account_id = ${owner.accountId} and object_id = ${id}`
    expect(event).toEqual({ type: 'call.ended' })
  })
})

describe('the list of calls', () => {
  it('can be filtered by outcome, rep and creation time', async () => {
    const [grace, hedy] = [
      await owner.call('createRep', { name: 'Grace Hopper' }),
      await owner.call('createRep', { name: 'Hedy Lamarr' }),
    ]
    const { id: personId } = await owner.call('createPerson', { firstName: 'Ada', phone: phoneNumber })
    const log = (repId: string, outcome: 'answered' | 'busy') =>
      owner.call('logCall', { personId, repId, outcome })
    const [answered, busy] = [await log(grace.id, 'answered'), await log(hedy.id, 'busy')]
    const list = async (filters: RawInput<'listCalls'>) =>
      (await owner.call('listCalls', filters)).data.map(({ id }) => id)
    expect(await list({ outcome: 'answered' })).toEqual([answered.id])
    expect(await list({ outcome: 'busy', status: 'ended' })).toEqual([busy.id])
    expect(await list({ repId: hedy.id })).toEqual([busy.id])
    expect(await list({ repId: hedy.id, outcome: 'answered' })).toEqual([])
    expect(await list({ until: answered.createdAt })).toEqual([])
    expect(await list({ since: answered.createdAt })).toHaveLength(2)
    await expect(list({ outcome: 'busy', status: 'queued' })).rejects.toMatchObject({
      details: [{ path: 'outcome' }],
    })
    const member = await makeCaller(app, 'member', owner.accountId)
    await owner.call('updateRep', { repId: grace.id, ownedById: member.userId })
    const listForMember = async (filters: RawInput<'listCalls'>) =>
      (await member.call('listCalls', filters)).data.map(({ id }) => id)
    expect(await listForMember({ repId: grace.id })).toEqual([answered.id])
    expect(await listForMember({ repId: hedy.id })).toEqual([])
  })
})
