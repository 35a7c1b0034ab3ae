import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { advanceCall } from '../../src/server/domain/calls/advance-call.ts'
import { claimDueCalls } from '../../src/server/domain/calls/claim-calls.ts'
import { type Caller, makeCaller } from '../support/app.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { findFreePort } from '../support/processes/ports.ts'
import { makeConsent } from '../support/voice/consents.ts'
import { httpCallbackSecret, httpKey, openHttpVoiceServer } from '../support/voice/http-voice-server.ts'
import { openRetellServer, retellKey, retellSettings } from '../support/voice/retell-server.ts'
import { openVapiServer, vapiKey, vapiSettings } from '../support/voice/vapi-server.ts'
import {
  type DialedCall,
  type Fault,
  faults,
  recording,
  transcript,
  type VoiceServer,
} from '../support/voice/voice-server.ts'

const fromNumber = '+442079460018'

type Provider = {
  provider: 'vapi' | 'retell' | 'http'
  apiKey: string
  callbackSecret?: string
  settings: () => object
}
const providers: Provider[] = [
  { provider: 'vapi', apiKey: vapiKey, settings: () => vapiSettings },
  { provider: 'retell', apiKey: retellKey, settings: () => retellSettings },
  {
    provider: 'http',
    apiKey: httpKey,
    callbackSecret: httpCallbackSecret,
    settings: () => ({ baseUrl: standIns.get('http')!.url }),
  },
]

let server: TestServer
let admin: Caller
const standIns = new Map<string, VoiceServer>()
beforeAll(async () => {
  standIns.set('vapi', await openVapiServer())
  standIns.set('retell', await openRetellServer())
  standIns.set('http', await openHttpVoiceServer())
  server = await openTestServer({
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${await findFreePort()}`,
    VAPI_URL: standIns.get('vapi')!.url,
    RETELL_URL: standIns.get('retell')!.url,
  })
  for (const standIn of standIns.values()) standIn.now = server.app.now
  admin = await makeCaller(server.app, 'admin')
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  for (const standIn of standIns.values()) await standIn[Symbol.asyncDispose]()
})

let numbers = 1000
const makeNumber = () => `+44207946${++numbers}`
const at = (time: string) => server.app.setNow(`2026-11-23T${time}.000Z`)
beforeEach(() => at('12:00:00'))

const makeAssistant = async ({ provider, apiKey, callbackSecret, settings }: Provider, caller = admin) =>
  (
    await caller.call('createAssistant', {
      name: 'Front desk',
      fromNumber,
      provider,
      apiKey,
      callbackSecret,
      ...({ [provider]: settings() } as object),
      firstMessage: 'Good morning.',
      voicemailMessage: 'Please call back.',
      maxDurationSeconds: 300,
    })
  ).id
const makeCall = async (assistantId: string, fields: object = {}) => {
  const phoneNumber = makeNumber()
  await makeConsent(admin, phoneNumber)
  const call = { assistantId, name: 'Ada Byron', phoneNumber, ...fields }
  return (await admin.call('triggerAssistantCall', call)).callId
}
const read = (callId: string) => admin.call('getCall', { callId })
const getProviderCallId = async (callId: string) => {
  const [row] = await server.app.owner<{ id: string }[]>`
    select provider_call_id as id from calls where id = ${callId}`
  return row!.id
}
const claim = () => claimDueCalls(server.app.db.engine, { now: server.app.now(), limit: 100 })
const tick = async () => {
  for (const claimed of await claim()) await advanceCall(server.app, claimed)
}
const listDialed = (standIn: VoiceServer, callId: string) =>
  standIn.calls.filter(({ reference }) => reference === callId)
const makePlacedCall = async (provider: Provider): Promise<[VoiceServer, DialedCall]> => {
  const standIn = standIns.get(provider.provider)!
  const callId = await makeCall(await makeAssistant(provider))
  await tick()
  return [standIn, listDialed(standIn, callId)[0]!]
}

const otherSecret = ({ callbackSecret }: Provider) =>
  callbackSecret && `whsec_${Buffer.alloc(32, 7).toString('base64')}`

describe.each(providers)('$provider', provider => {
  const standIn = () => standIns.get(provider.provider)!

  it("dials with the assistant's settings and reports the outcome", async () => {
    const assistantId = await makeAssistant(provider)
    const callTransfer = {
      phoneNumber: '+442079460020',
      description: 'For prices',
      message: 'One moment.',
      messageToReceiver: 'Somebody asks for prices.',
    }
    const callId = await makeCall(assistantId, {
      data: { plan: 'Pro' },
      callTransfer,
      email: 'ada@navy.example',
    })
    await tick()
    const [call, another] = listDialed(standIn(), callId)
    expect(another).toBeUndefined()
    expect(call!.to).toBe((await read(callId)).to)
    expect(await getProviderCallId(callId)).toBe(call!.id)
    const request = JSON.stringify(call!.body)
    expect(request).toContain('"This is Front desk, an AI assistant. Good morning."')
    expect(request).toContain('"This is Front desk, an AI assistant. Please call back."')
    for (const text of ['Ada Byron', 'ada@navy.example', 'Pro', '300', ...Object.values(callTransfer)])
      expect(request).toContain(text)
    at('12:00:05')
    for (const posted of standIn().pickUp(call!))
      expect((await standIn().post(call!, posted)).status).toBe(200)
    expect(await read(callId)).toMatchObject({ status: 'in_progress', startedAt: '2026-11-23T12:00:05.000Z' })
    at('12:00:45')
    call!.recordingUrl = standIn().getRecordingUrl(call!)
    for (const posted of standIn().hangUp(call!))
      expect((await standIn().post(call!, posted)).status).toBe(200)
    expect(await read(callId)).toMatchObject({
      status: 'ended',
      outcome: 'answered',
      startedAt: '2026-11-23T12:00:05.000Z',
      endedAt: '2026-11-23T12:00:45.000Z',
      duration: 40,
      summary: 'Asked for the details.',
      transcript,
      recordingUrl: `${server.app.config.publicUrl}/v1/calls/${callId}/recording`,
      extractedData: { wantsDetails: true },
      cost: { amount: 0.1234, currency: 'USD' },
      endReason: expect.stringMatching(/\w/),
    })
  })

  it("reports an opt-out found by the call's analysis, which is added to the Do Not Contact list", async () => {
    const [standIn, call] = await makePlacedCall(provider)
    call.extracted = { doNotCall: true }
    standIn.pickUp(call)
    for (const posted of standIn.hangUp(call)) await standIn.post(call, posted)
    const { data } = await admin.call('listOptOuts', { identifierType: 'phone', limit: 100 })
    expect(data.map(({ identifier }) => identifier)).toContain(call.to)
  })

  it('can report a recording URL and names of results that contain characters PostgreSQL cannot store', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    call.recordingUrl = `${standIn.getRecordingUrl(call)}?of=\0`
    call.extracted = { 'half\ud83d': { 'nothing\0': 1 }, doNotCall: true }
    standIn.pickUp(call)
    for (const posted of standIn.hangUp(call)) expect((await standIn.post(call, posted)).status).toBe(200)
    expect(await read(call.reference)).toMatchObject({
      ...{ status: 'ended', outcome: 'answered', recordingUrl: expect.any(String) },
      extractedData: { 'half\ufffd': { nothing: 1 } },
    })
    const { data } = await admin.call('listOptOuts', { identifierType: 'phone', limit: 100 })
    expect(data.map(({ identifier }) => identifier)).toContain(call.to)
  })

  it('is polled for its analysis when the callback with the analysis is lost', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    call.extracted = { doNotCall: true }
    standIn.pickUp(call)
    at('12:00:40')
    await standIn.post(call, standIn.hangUp(call)[0]!)
    at('12:01:10')
    await tick()
    expect(await read(call.reference)).toMatchObject({ summary: 'Asked for the details.', transcript })
    const { data } = await admin.call('listOptOuts', { identifierType: 'phone', limit: 100 })
    expect(data.map(({ identifier }) => identifier)).toContain(call.to)
    const before = standIn.requests.length
    at('12:30:00')
    await tick()
    expect(standIn.requests.length).toBe(before)
  })

  it('is polled within a minute of the end of a call when all callbacks are lost', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    at('12:00:10')
    standIn.pickUp(call)
    await tick()
    expect(await read(call.reference)).toMatchObject({ status: 'in_progress' })
    at('12:04:00')
    await tick()
    standIn.hangUp(call)
    at('12:05:00')
    await tick()
    expect(await read(call.reference)).toMatchObject({ status: 'ended', duration: 230, transcript })
  })

  it('can repeat and reorder its callbacks without changing the result', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    const posted = [...standIn.pickUp(call)]
    at('12:00:30')
    posted.push(...standIn.hangUp(call))
    const ends: unknown[] = []
    for (const order of [posted.toReversed(), posted, posted.toReversed()]) {
      for (const each of order) expect((await standIn.post(call, each)).status).toBe(200)
      ends.push(await read(call.reference))
    }
    expect(ends[0]).toMatchObject({ status: 'ended', duration: 30, transcript })
    expect(ends).toEqual([ends[0], ends[0], ends[0]])
  })

  it('cannot deliver a callback that lacks a valid signature, names another assistant or is too old', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    const posted = standIn.hangUp(call).at(-1)!
    const [callbackUrl] = [call.callback!.url]
    const postStatus = async ({ headers = posted.headers, url = callbackUrl, body = posted.body }) =>
      (await standIn.post({ ...call, callback: { url, secret: '' } }, { headers, body })).status
    const forged = Object.fromEntries(
      Object.entries(posted.headers).map(([name, value]) => [
        name,
        name === 'content-type' ? value : value.replace(/.$/, last => (last === '0' ? '1' : '0')),
      ]),
    )
    const [otherAdmin, otherProvider] = [
      await makeCaller(server.app, 'admin'),
      { ...provider, apiKey: 'another key', callbackSecret: otherSecret(provider) },
    ]
    const base = callbackUrl.split('/').slice(0, -2).join('/')
    const elsewhere = await makeAssistant(otherProvider, otherAdmin)
    expect(await postStatus({ headers: forged })).toBe(401)
    expect(await postStatus({ headers: { 'content-type': 'application/json' } })).toBe(401)
    expect(await postStatus({ url: `${base}/${otherAdmin.accountId}/${elsewhere}` })).toBe(401)
    expect(await postStatus({ url: `${base}/${otherAdmin.accountId}/${call.reference}` })).toBe(401)
    expect(await postStatus({ url: `${base}/nobody/nothing` })).toBe(401)
    expect(await postStatus({ body: 'x'.repeat(3_000_000) })).toBe(400)
    at('12:06:00')
    expect(await postStatus({})).toBe(401)
    expect((await read(call.reference)).status).toBe('dialing')
    at('12:00:00')
    expect(await postStatus({})).toBe(200)
    expect((await read(call.reference)).status).toBe('ended')
  })

  it('cannot change calls of another assistant', async () => {
    const [standIn, call] = await makePlacedCall(provider)
    const [, otherCall] = await makePlacedCall(provider)
    const callbacks = standIn.hangUp({
      ...call,
      id: otherCall.id,
      reference: otherCall.reference,
      body: otherCall.body,
    })
    for (const posted of callbacks) expect((await standIn.post(call, posted)).status).toBe(200)
    const unknown = standIn.hangUp({
      ...call,
      id: 'nobody',
      reference: 'nothing',
      body: { assistantOverrides: {}, agent_override: { agent: {} } },
    })
    for (const posted of unknown) expect((await standIn.post(call, posted)).status).toBe(200)
    for (const { reference } of [call, otherCall]) expect((await read(reference)).status).toBe('dialing')
  })

  it('reports what to fix when its settings are verified', async () => {
    const assistantId = await makeAssistant(provider)
    expect(await admin.call('verifyAssistant', { assistantId })).toMatchObject({
      status: 'active',
      verifiedAt: expect.any(String),
    })
    await admin.call('updateAssistant', { assistantId, apiKey: 'a wrong key' })
    const failing = await admin.call('verifyAssistant', { assistantId })
    expect(failing).toMatchObject({ status: 'failing', statusReason: expect.stringMatching(/API key/) })
    expect(JSON.stringify(failing)).not.toContain('a wrong key')
    const callId = await makeCall(assistantId)
    await tick()
    expect(await read(callId)).toMatchObject({
      outcome: 'failed',
      outcomeReason: expect.stringMatching(/API key/),
    })
    expect(listDialed(standIn(), callId)).toEqual([])
  })
})

/** Creates one call for each provider and fault. The fault applies to the next request about the call. */
async function createFaultCases(kind: 'place' | 'query', before: (callIds: string[]) => Promise<void>) {
  const cases = []
  for (const provider of providers) {
    const assistantId = await makeAssistant(provider)
    for (const fault of faults) {
      const standIn = standIns.get(provider.provider)!
      cases.push({
        name: `${provider.provider} ${fault}`,
        fault,
        standIn,
        callId: await makeCall(assistantId),
      })
    }
  }
  await before(cases.map(({ callId }) => callId))
  const claims = new Map((await claim()).map(claimed => [claimed.id, claimed]))
  const inProgress: Promise<void>[] = []
  for (const { fault, standIn, callId } of cases) {
    const before = standIn.requests.length
    standIn.faults[kind].push(fault)
    inProgress.push(advanceCall(server.app, claims.get(callId)!))
    await vi.waitFor(() => expect(standIn.requests.length).toBe(before + 1))
  }
  await Promise.all(inProgress)
  return cases
}

const isDialed = (fault: Fault) => !['reset', 'busy', 'over_limit', 'fail'].includes(fault)
const isPostponed = (fault: Fault) => ['busy', 'over_limit'].includes(fault)

it('nobody is dialed twice and every call ends with an outcome when the request to dial fails', async () => {
  const cases = await createFaultCases('place', async () => {})
  for (const { name, fault, callId } of cases)
    expect([name, (await read(callId)).status]).toEqual([name, isPostponed(fault) ? 'queued' : 'dialing'])
  at('12:01:00')
  await tick()
  for (const { standIn, callId } of cases) {
    for (const call of listDialed(standIn, callId))
      standIn.hangUp(Object.assign(call, { startedAt: call.createdAt }))
  }
  for (const time of ['12:02:00', '12:05:30', '12:06:30']) {
    at(time)
    await tick()
  }
  for (const { name, fault, standIn, callId } of cases) {
    const { status, outcome, outcomeReason } = await read(callId)
    expect([name, status, outcome, outcomeReason, listDialed(standIn, callId).length]).toEqual(
      isDialed(fault) || isPostponed(fault)
        ? [name, 'ended', 'answered', undefined, 1]
        : [name, 'ended', 'failed', 'unconfirmed', 0],
    )
  }
})

it('the end of a call is recorded even when status requests fail', async () => {
  const cases = await createFaultCases('query', async callIds => {
    await tick()
    for (const callId of callIds) {
      for (const standIn of standIns.values()) {
        for (const call of listDialed(standIn, callId)) {
          standIn.hangUp(Object.assign(call, { startedAt: call.createdAt }))
        }
      }
    }
    at('12:00:10')
  })
  for (const { name, callId } of cases) expect([name, (await read(callId)).status]).toEqual([name, 'dialing'])
  at('12:01:00')
  await tick()
  for (const { name, callId } of cases) {
    expect(await read(callId), name).toMatchObject({ status: 'ended', outcome: 'answered', transcript })
  }
})

describe('a recording', () => {
  const path = (callId: string) => `/calls/${callId}/recording`
  const makeRecordedCall = async () => {
    const [standIn, call] = await makePlacedCall(providers[0]!)
    standIn.pickUp(call)
    call.recordingUrl = standIn.getRecordingUrl(call)
    at('12:00:30')
    for (const posted of standIn.hangUp(call)) await standIn.post(call, posted)
    return call
  }

  it('is streamed, whole or in ranges, to callers who can read the call', async () => {
    const { reference } = await makeRecordedCall()
    const token = await server.createToken(await makeCaller(server.app, 'viewer', admin.accountId))
    const whole = await server.request('GET', path(reference), { token })
    expect([whole.status, whole.text]).toEqual([200, recording.toString()])
    expect(whole.headers.get('content-type')).toBe('audio/wav')
    const part = await server.request('GET', path(reference), { token, headers: { range: 'bytes=6-9' } })
    expect([part.status, part.text]).toEqual([206, 'some'])
    expect(part.headers.get('content-range')).toBe(`bytes 6-9/${recording.length}`)
    const beyond = await server.request('GET', path(reference), { token, headers: { range: 'bytes=900-' } })
    expect(beyond.status).toBe(416)
  })

  it('is not returned to other callers', async () => {
    const { reference } = await makeRecordedCall()
    const getStatus = async (token?: string) =>
      (await server.request('GET', path(reference), token ? { token } : {})).status
    expect(await getStatus()).toBe(401)
    expect(await getStatus(await server.createToken(await makeCaller(server.app)))).toBe(404)
    expect(
      await getStatus(await server.createToken(await makeCaller(server.app, 'member', admin.accountId))),
    ).toBe(404)
  })

  it("is read from the account in the player's URL", async () => {
    const { reference } = await makeRecordedCall()
    const elsewhere = await makeCaller(server.app)
    const cookie = await server.createCookie(elsewhere)
    const getStatusIn = async (accountId: string) =>
      (await server.request('GET', `${path(reference)}?accountId=${accountId}`, { headers: { cookie } }))
        .status
    expect(await getStatusIn(admin.accountId)).toBe(401)
    await server.app.owner`
      insert into members (account_id, user_id, role) values (${admin.accountId}, ${elsewhere.userId}, 'viewer')`
    // The permissions of a session are cached for a moment.
    await expect.poll(() => getStatusIn(admin.accountId)).toBe(200)
    expect(await getStatusIn(elsewhere.accountId)).toBe(404)
  })

  it('is fetched only from public addresses; calls without a recording return 404', async () => {
    const token = await server.createToken(admin)
    const { reference } = await makeRecordedCall()
    await server.app.owner`
      update calls set recording_url = 'https://169.254.169.254/latest', provider_call_id = null where id = ${reference}`
    expect((await server.request('GET', path(reference), { token })).status).toBe(503)
    const [, unrecorded] = await makePlacedCall(providers[0]!)
    expect((await server.request('GET', path(unrecorded.reference), { token })).status).toBe(404)
    expect((await server.request('GET', path('nothing'), { token })).status).toBe(404)
    expect((await server.request('POST', path(reference), { token, body: {} })).status).toBe(405)
  })
})

it('keys and secrets are never returned', async () => {
  const shown = JSON.stringify(await admin.call('listAssistants', { limit: 100 }))
  for (const { apiKey } of providers) expect(shown).not.toContain(apiKey)
  const secrets = [...standIns.values()].flatMap(({ calls }) => calls.map(({ callback }) => callback?.secret))
  for (const secret of secrets) expect(shown).not.toContain(secret)
})
