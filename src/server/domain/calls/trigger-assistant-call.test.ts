import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccount } from '../../kernel/context.ts'
import { storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'

let app: TestApp
let admin: Caller
let assistantId: string
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
  admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', { defaultCountry: 'GB' })
  assistantId = (await admin.call('createAssistant', { name: 'Front desk', fromNumber: '+442079460018' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

type Call = Parameters<typeof admin.call<'triggerAssistantCall'>>[1]
const trigger = (call: Partial<Call> = {}, caller = admin) =>
  caller.call('triggerAssistantCall', { assistantId, name: 'Ada', phoneNumber: '+442079460019', ...call })
const errorAt = (path: string) => ({ code: 'ValidationError', details: [{ path }] })

let numbers = 100
const makeNumber = () => `+44207946${String(++numbers).padStart(4, '0')}`

async function makePerson(fields: {
  email?: string
  phone?: string
  linkedin_url?: string
}): Promise<string> {
  const id = randomUUIDv7()
  await app.owner`insert into persons ${app.owner.rows({ account_id: admin.accountId, id, ...fields })}`
  return id
}

async function makeProspect(personId: string, status = 'active'): Promise<string> {
  const { id: campaignId } = await admin.call('createCampaign', { name: 'Spring' })
  const id = randomUUIDv7()
  await app.owner`
    insert into prospects (account_id, id, campaign_id, person_id, status)
    values (${admin.accountId}, ${id}, ${campaignId}, ${personId}, ${status})`
  return id
}

describe('starting a call', () => {
  it('returns a call that can be read immediately', async () => {
    const { callId, status } = await trigger({ phoneNumber: '020 7946 0019' })
    expect(status).toBe('queued')
    const call = await admin.call('getCall', { callId })
    expect(call).toMatchObject({
      id: callId,
      objectType: 'call',
      callType: 'outbound',
      status: 'queued',
      from: '+442079460018',
      to: '+442079460019',
      assistantId,
    })
    expect(call.notBefore).toBeUndefined()
  })

  it('rejects invalid input, naming the field', async () => {
    const errors: [Partial<Call>, string][] = [
      [{ assistantId: randomUUIDv7() }, 'assistantId'],
      [{ assistantId: 'front-desk' }, 'assistantId'],
      [{ phoneNumber: '123' }, 'phoneNumber'],
      [{ email: 'nobody' }, 'email'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
      [{ phoneNumber: '+88216123456' }, 'timezone'],
      [{ data: { notes: 'é'.repeat(8200) } }, 'data'],
      [{ callTransfer: { phoneNumber: 'my colleague' } }, 'callTransfer.phoneNumber'],
    ]
    for (const [call, path] of errors) await expect(trigger(call)).rejects.toMatchObject(errorAt(path))
  })

  it('does not find assistants of another account', async () => {
    const stranger = await makeCaller(app, 'admin')
    await expect(trigger({}, stranger)).rejects.toMatchObject(errorAt('assistantId'))
  })

  it('stores the data and the transfer number', async () => {
    const data = { plan: 'Pro', seats: 12, tags: ['a'] }
    const callTransfer = { phoneNumber: '020 7946 0020', message: 'One moment' }
    const { callId } = await trigger({ data, callTransfer })
    const [stored] = await app.owner`select data, call_transfer from calls where id = ${callId}`
    expect(stored).toEqual({ data, call_transfer: { phoneNumber: '+442079460020', message: 'One moment' } })
  })

  it('returns the data unchanged, including nulls within it', async () => {
    const data = { plan: null, seats: { used: 3, free: null }, tags: [null, { a: null }] }
    const { callId } = await trigger({ data })
    expect((await admin.call('getCall', { callId })).data).toEqual(data)
    const { data: calls } = await admin.call('listCalls', {})
    expect(calls.find(({ id }) => id === callId)?.data).toEqual(data)
  })
})

describe('the callee', () => {
  it('is the prospect with that phone number or email address', async () => {
    const [phone, otherPhone, email] = [makeNumber(), makeNumber(), `${randomUUIDv7()}@a.example`]
    const person = await makePerson({ phone })
    await makeProspect(person, 'completed')
    const active = await makeProspect(person)
    const byEmail = await makeProspect(await makePerson({ phone: otherPhone, email }))
    const findCalledProspect = async (call: Partial<Call>) =>
      (await admin.call('getCall', { callId: (await trigger(call)).callId })).prospectId
    expect(await findCalledProspect({ phoneNumber: phone })).toBe(active)
    expect(await findCalledProspect({ phoneNumber: otherPhone })).toBe(byEmail)
    expect(await findCalledProspect({ phoneNumber: makeNumber(), email: email.toUpperCase() })).toBe(byEmail)
    expect(await findCalledProspect({ phoneNumber: makeNumber() })).toBeUndefined()
  })

  it('is not the prospect with that number if the prospect has a different email address', async () => {
    const phoneNumber = makeNumber()
    const personId = await makePerson({ phone: phoneNumber, email: 'alice@shared.example' })
    await makeProspect(personId)
    const { callId } = await trigger({ phoneNumber, email: 'bob@shared.example' })
    const call = await admin.call('getCall', { callId })
    expect(call).toMatchObject({ personId })
    expect(call).not.toHaveProperty('prospectId')
  })

  it('is not called when the number, the address, or the person with either is on the Do Not Contact list', async () => {
    const [phone, knownPhone, otherPhone] = [makeNumber(), makeNumber(), makeNumber()]
    await makePerson({ phone: knownPhone, email: 'lena@known.example' })
    await makePerson({ phone, email: 'mia@known.example' })
    await inAccount(app.db.app, admin.accountId, sql =>
      storeOptOuts(
        { app, sql, accountId: admin.accountId },
        [
          { kind: 'phone', value: phone },
          { kind: 'email', value: 'lena@known.example' },
          { kind: 'domain', value: 'rival.example' },
        ],
        { source: 'api' },
      ),
    )
    await expect(trigger({ phoneNumber: phone })).rejects.toMatchObject(errorAt('phoneNumber'))
    await expect(trigger({ phoneNumber: knownPhone })).rejects.toMatchObject(errorAt('phoneNumber'))
    await expect(trigger({ phoneNumber: otherPhone, email: 'lena@known.example' })).rejects.toMatchObject(
      errorAt('email'),
    )
    await expect(trigger({ phoneNumber: otherPhone, email: 'a@mail.rival.example' })).rejects.toMatchObject(
      errorAt('email'),
    )
    await expect(trigger({ phoneNumber: otherPhone, email: 'mia@known.example' })).rejects.toMatchObject(
      errorAt('phoneNumber'),
    )
    expect((await trigger({ phoneNumber: otherPhone })).status).toBe('queued')
  })
})

describe('calling hours', () => {
  it('delay a call until the time zones of both the number and the request allow it', async () => {
    const notBefore = async (call: Partial<Call>) =>
      (await admin.call('getCall', { callId: (await trigger(call)).callId })).notBefore
    expect(await notBefore({ phoneNumber: '+12125550123' })).toBe('2026-11-23T13:00:00.000Z')
    expect(await notBefore({ timezone: 'America/Los_Angeles' })).toBe('2026-11-23T16:00:00.000Z')
    expect(await notBefore({ phoneNumber: '+12125550123', timezone: 'Europe/London' })).toBe(
      '2026-11-23T13:00:00.000Z',
    )
    expect(await notBefore({ timezone: 'europe/london' })).toBeUndefined()
    expect(await notBefore({ phoneNumber: '+88216123456', timezone: 'Europe/London' })).toBeUndefined()
  })

  it('must exist in both time zones of a call at the same time, or the call is rejected', async () => {
    await expect(
      trigger({ phoneNumber: '+18005550123', timezone: 'Asia/Yekaterinburg' }),
    ).rejects.toMatchObject(errorAt('timezone'))
  })
})

describe('a member', () => {
  it('can use only the assistants of their own reps, and see only calls by those assistants', async () => {
    const member = await makeCaller(app, 'member', admin.accountId)
    const { id: repId } = await member.call('createRep', { name: 'Mine' })
    const ownAssistant = await member.call('createAssistant', {
      name: 'Mine',
      fromNumber: '+442079460018',
      repId,
    })
    const { callId } = await trigger({ assistantId: ownAssistant.id }, member)
    await expect(trigger({}, member)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('Call.TriggerCall only for your own reps'),
    })
    const otherCall = await trigger()
    expect((await member.call('listCalls', {})).data.map(call => call.id)).toEqual([callId])
    await expect(member.call('getCall', { callId: otherCall.callId })).rejects.toMatchObject({
      code: 'NotFound',
    })
    const viewer = await makeCaller(app, 'viewer', admin.accountId)
    expect((await viewer.call('getCall', { callId })).id).toBe(callId)
    await expect(trigger({}, viewer)).rejects.toMatchObject({ code: 'Forbidden' })
  })
})

it('calls can be filtered by prospect, assistant and status', async () => {
  const phone = makeNumber()
  const prospectId = await makeProspect(await makePerson({ phone }))
  const { id: otherAssistantId } = await admin.call('createAssistant', {
    name: 'b',
    fromNumber: '+442079460018',
  })
  const { callId } = await trigger({ phoneNumber: phone, assistantId: otherAssistantId })
  for (const filter of [
    { prospectId },
    { assistantId: otherAssistantId },
    { assistantId: otherAssistantId, status: 'queued' as const },
  ]) {
    expect((await admin.call('listCalls', filter)).data.map(call => call.id)).toEqual([callId])
  }
  expect((await admin.call('listCalls', { assistantId: otherAssistantId, status: 'ended' })).data).toEqual([])
})
