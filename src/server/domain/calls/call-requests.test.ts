import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'
import { connectAs } from '../../../../test/support/http/connection.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
import { createApiToken } from '../auth/stored-api-tokens.ts'

const NOW = '2026-11-23T12:00:00.000Z'
const DAY_MS = 86_400_000

let app: TestApp
let admin: Caller
let assistantId: string
beforeAll(async () => {
  app = await openTestApp()
  app.setNow(NOW)
  admin = withSession(await makeCaller(app, 'admin'))
  await admin.call('updateAccount', { defaultCountry: 'GB', assistantsMayRequestCalls: true })
  assistantId = (await admin.call('createAssistant', { name: 'Front desk', fromNumber: '+442079460018' })).id
})
beforeEach(() => app.setNow(NOW))
afterAll(() => app[Symbol.asyncDispose]())

const withSession = (caller: Caller): Caller =>
  createCaller(app, { ...caller, actor: `session:${randomUUIDv7()}` })

let numbers = 100
const makeNumber = () => `+44207946${String(++numbers).padStart(4, '0')}`

type Request = Parameters<typeof admin.call<'requestCall'>>[1]
const ask = async (request: Partial<Request> = {}, by = admin) =>
  (
    await by.call('requestCall', {
      assistantId,
      name: 'Ada',
      phoneNumber: makeNumber(),
      reason: 'Wants to hear the price',
      ...request,
    })
  ).callRequestId
const read = (callRequestId: string, by = admin) => by.call('getCallRequest', { callRequestId })
const approve = (callRequestId: string, by = admin) => by.call('approveCallRequest', { callRequestId })
const callsTo = async (to: string) => (await admin.call('listCalls', {})).data.filter(call => call.to === to)
const findAuditEntries = async (id: string) =>
  (
    await app.owner<{ action: string; userId: string }[]>`
      select action, user_id as "userId" from audit_log where object_id = ${id} order by id`
  ).map(({ action, userId }) => [action, userId])

describe('requesting a call', () => {
  it('is rejected until an admin allows it', async () => {
    const other = await makeCaller(app, 'admin')
    const ownAssistantId = (
      await other.call('createAssistant', { name: 'Desk', fromNumber: '+442079460018' })
    ).id
    await expect(ask({ assistantId: ownAssistantId }, other)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('An admin can allow it'),
    })
    await other.call('updateAccount', { assistantsMayRequestCalls: true })
    expect((await read(await ask({ assistantId: ownAssistantId }, other), other)).status).toBe('waiting')
  })

  it('does not place a call, and stores the whole request', async () => {
    const data = { plan: 'Pro', discount: null }
    const callTransfer = { phoneNumber: '020 7946 0020', message: 'One moment' }
    const phoneNumber = makeNumber()
    const national = phoneNumber.replace('+44', '0')
    const id = await ask({ phoneNumber: national, timezone: 'Europe/Paris', data, callTransfer })
    expect(await read(id)).toMatchObject({
      status: 'waiting',
      name: 'Ada',
      phoneNumber,
      timezone: 'Europe/Paris',
      timezones: ['Europe/London', 'Europe/Paris'],
      data,
      callTransfer: { phoneNumber: '+442079460020', message: 'One moment' },
      reason: 'Wants to hear the price',
      requestedById: admin.userId,
      requestedByName: 'admin',
      expiresAt: '2026-11-30T12:00:00.000Z',
      callableAt: NOW,
    })
    expect(await callsTo(phoneNumber)).toEqual([])
    expect(await findAuditEntries(id)).toEqual([['request', admin.userId]])
  })

  it('fails immediately when the call could not be placed', async () => {
    const optedOut = makeNumber()
    await admin.call('addOptOuts', { identifiers: [{ identifier: optedOut }] })
    const errors: [Partial<Request>, string][] = [
      [{ assistantId: randomUUIDv7() }, 'assistantId'],
      [{ phoneNumber: '123' }, 'phoneNumber'],
      [{ phoneNumber: optedOut }, 'phoneNumber'],
      [{ reason: ' ' }, 'reason'],
    ]
    for (const [request, path] of errors) {
      await expect(ask(request)).rejects.toMatchObject({ code: 'ValidationError', details: [{ path }] })
    }
  })

  it('warns requesters and approvers about everything that would prevent or delay the call', async () => {
    app.setNow('2026-11-23T23:00:00.000Z')
    const phoneNumber = makeNumber()
    const request = { assistantId, name: 'Ada', phoneNumber, reason: 'Wants to hear the price' }
    const { callRequestId, warnings } = await admin.call('requestCall', request)
    expect(warnings).toMatchObject([
      { reason: 'no_consent', advice: expect.stringContaining('recordConsent') },
      { reason: 'calling_hours', advice: expect.stringContaining('2026-11-24T08:00:00.000Z') },
    ])
    expect((await read(callRequestId)).warnings).toEqual(warnings)
    await makeConsent(admin, phoneNumber)
    app.setNow('2026-11-24T12:00:00.000Z')
    expect((await read(callRequestId)).warnings).toEqual([])
    await admin.call('addOptOuts', { identifiers: [{ identifier: phoneNumber }] })
    expect((await read(callRequestId)).warnings).toMatchObject([{ reason: 'do_not_contact' }])
    await admin.call('declineCallRequest', { callRequestId })
    expect(await read(callRequestId)).not.toHaveProperty('warnings')
  })

  it('records the app or the API token that requested it', async () => {
    const { grantId } = await connectAs(app, admin)
    const { id: tokenId } = await createApiToken(app.db.auth, { userId: admin.userId, name: 'CRM' })
    const findRequestingApp = async (actor: string) =>
      (await read(await ask({}, createCaller(app, { ...admin, actor })))).requestedByApp
    expect(await findRequestingApp(`oauth:${grantId}`)).toBe('Test (client.example)')
    expect(await findRequestingApp(`token:${tokenId}`)).toBe('API token CRM')
    expect(await findRequestingApp('oauth:https://client.example/about')).toBe('https://client.example/about')
    expect(await findRequestingApp(admin.actor)).toBeUndefined()
  })

  it('is limited to 200 waiting requests, including concurrent requests, until one is decided', async () => {
    const requester = withSession(await makeCaller(app, 'admin'))
    await requester.call('updateAccount', { assistantsMayRequestCalls: true })
    const ownAssistantId = (
      await requester.call('createAssistant', { name: 'Desk', fromNumber: '+442079460018' })
    ).id
    const id = await ask({ assistantId: ownAssistantId }, requester)
    await app.owner`
      insert into call_requests (account_id, id, assistant_id, call, timezones, reason, requested_by_id, created_at)
      select account_id, gen_random_uuid(), assistant_id, call, timezones, reason, requested_by_id, created_at
        from call_requests, generate_series(1, 197)
       where id = ${id}`
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => ask({ assistantId: ownAssistantId }, requester)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    await expect(ask({ assistantId: ownAssistantId }, requester)).rejects.toMatchObject({ code: 'Conflict' })
    await requester.call('declineCallRequest', { callRequestId: id })
    await ask({ assistantId: ownAssistantId }, requester)
  })
})

describe('approving a request', () => {
  it('queues the call as requested, on behalf of the approver', async () => {
    const phoneNumber = makeNumber()
    const id = await ask({ phoneNumber, data: { plan: 'Pro' } })
    const manager = withSession(await makeCaller(app, 'manager', admin.accountId))
    const approved = await approve(id, manager)
    expect(approved).toMatchObject({
      status: 'approved',
      decidedById: manager.userId,
      decidedByName: 'manager',
      decidedAt: NOW,
    })
    expect(approved.callableAt).toBeUndefined()
    expect(await callsTo(phoneNumber)).toMatchObject([{ id: approved.callId, status: 'queued', assistantId }])
    const [stored] = await app.owner`select data, person_name from calls where id = ${approved.callId!}`
    expect(stored).toEqual({ data: { plan: 'Pro' }, person_name: 'Ada' })
    expect(await findAuditEntries(id)).toEqual([
      ['request', admin.userId],
      ['approve', manager.userId],
    ])
    expect(await findAuditEntries(approved.callId!)).toEqual([['trigger', manager.userId]])
  })

  it('queues one call even when it is repeated or done several times concurrently', async () => {
    const phoneNumber = makeNumber()
    const id = await ask({ phoneNumber })
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => approve(id)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(approve(id)).rejects.toMatchObject({
      code: 'Conflict',
      message: 'This request is already approved.',
    })
    expect(await callsTo(phoneNumber)).toHaveLength(1)
  })

  it('requires a signed-in user', async () => {
    const id = await ask()
    for (const actor of [`token:${randomUUIDv7()}`, `oauth:${randomUUIDv7()}`, 'cli', 'sign-in']) {
      const caller = createCaller(app, { ...admin, actor })
      for (const name of ['approveCallRequest', 'declineCallRequest'] as const) {
        await expect(caller.call(name, { callRequestId: id })).rejects.toMatchObject({ code: 'Forbidden' })
      }
    }
    expect((await read(id)).status).toBe('waiting')
  })

  it('is rejected, and changes nothing, when the person may no longer be called', async () => {
    const phoneNumber = makeNumber()
    const id = await ask({ phoneNumber })
    await admin.call('addOptOuts', { identifiers: [{ identifier: phoneNumber }] })
    await expect(approve(id)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Do Not Contact'),
    })
    expect((await read(id)).status).toBe('waiting')
    expect(await callsTo(phoneNumber)).toEqual([])
  })

  it('applies the calling hours at the time of approval', async () => {
    app.setNow('2026-11-23T22:00:00.000Z')
    const id = await ask()
    expect((await read(id)).callableAt).toBe('2026-11-24T08:00:00.000Z')
    const { callId } = await approve(id)
    expect((await admin.call('getCall', { callId: callId! })).notBefore).toBe('2026-11-24T08:00:00.000Z')
  })
})

describe('a request', () => {
  it('keeps the reason for which it was declined, and can no longer be approved', async () => {
    const id = await ask()
    const declined = await admin.call('declineCallRequest', { callRequestId: id, reason: 'Not this year' })
    expect(declined).toMatchObject({ status: 'declined', declineReason: 'Not this year' })
    await expect(approve(id)).rejects.toMatchObject({ message: 'This request is already declined.' })
    expect(await findAuditEntries(id)).toContainEqual(['decline', admin.userId])
  })

  it('expires after seven days, to the millisecond', async () => {
    const id = await ask()
    const listIds = async (status: 'waiting' | 'expired') =>
      (await admin.call('listCallRequests', { status, limit: 100 })).data.map(request => request.id)
    app.setNow(new Date(Date.parse(NOW) + 7 * DAY_MS - 1))
    expect(await listIds('waiting')).toContain(id)
    expect(await listIds('expired')).not.toContain(id)
    app.setNow(new Date(Date.parse(NOW) + 7 * DAY_MS))
    expect((await read(id)).status).toBe('expired')
    expect(await listIds('waiting')).not.toContain(id)
    expect(await listIds('expired')).toContain(id)
    for (const name of ['approveCallRequest', 'declineCallRequest'] as const) {
      await expect(admin.call(name, { callRequestId: id })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('expired'),
      })
    }
  })

  it('is counted as waiting until it expires', async () => {
    const requester = withSession(await makeCaller(app, 'admin'))
    await requester.call('updateAccount', { assistantsMayRequestCalls: true })
    const assistant = await requester.call('createAssistant', { name: 'Desk', fromNumber: '+442079460018' })
    await ask({ assistantId: assistant.id }, requester)
    const countWaiting = async () => (await requester.call('getMe', {})).waiting.callRequests
    app.setNow(new Date(Date.parse(NOW) + 7 * DAY_MS - 1))
    expect(await countWaiting()).toBe(1)
    app.setNow(new Date(Date.parse(NOW) + 7 * DAY_MS))
    expect(await countWaiting()).toBe(0)
  })

  it('can be seen and decided by a member only for their own reps', async () => {
    const member = withSession(await makeCaller(app, 'member', admin.accountId))
    const { id: repId } = await member.call('createRep', { name: 'Mine' })
    const ownAssistant = await member.call('createAssistant', {
      name: 'Mine',
      fromNumber: '+442079460018',
      repId,
    })
    const ownRequestId = await ask({ assistantId: ownAssistant.id }, member)
    const otherRequestId = await ask()
    await expect(ask({}, member)).rejects.toMatchObject({ code: 'Forbidden' })
    expect((await member.call('listCallRequests', {})).data.map(({ id }) => id)).toEqual([ownRequestId])
    for (const name of ['getCallRequest', 'approveCallRequest', 'declineCallRequest'] as const) {
      await expect(member.call(name, { callRequestId: otherRequestId })).rejects.toMatchObject({
        code: 'NotFound',
      })
    }
    expect((await approve(ownRequestId, member)).status).toBe('approved')
    const viewer = withSession(await makeCaller(app, 'viewer', admin.accountId))
    expect((await read(otherRequestId, viewer)).status).toBe('waiting')
    await expect(approve(otherRequestId, viewer)).rejects.toMatchObject({ code: 'Forbidden' })
  })
})
