import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
import { inAccount } from '../../kernel/context.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { CallPostponed, CallRefused, type VoiceProvider } from '../../protocols/voice/provider.ts'
import { simulatedProvider } from '../../protocols/voice/simulated.ts'
import { storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { advanceCall } from './advance-call.ts'
import { claimDueCalls } from './claim-calls.ts'
import { recordCallEvent } from './record-event.ts'

let app: TestApp
let admin: Caller
let assistantId: string
beforeEach(async () => {
  await app?.[Symbol.asyncDispose]()
  app = await openTestApp()
  at('12:00:00')
  admin = await makeCaller(app, 'admin')
  assistantId = (await admin.call('createAssistant', { name: 'Front desk', fromNumber: '+442079460018' })).id
})
afterAll(() => app[Symbol.asyncDispose]())

const phoneNumber = '+442079460019'
const at = (time: string) => app.setNow(`2026-11-23T${time}.000Z`)
const trigger = async (call: { phoneNumber?: string; email?: string; notBefore?: string } = {}) => {
  await makeConsent(admin, call.phoneNumber ?? phoneNumber)
  const { callId } = await admin.call('triggerAssistantCall', {
    assistantId,
    name: 'Ada',
    phoneNumber,
    ...call,
  })
  return callId
}
const read = (callId: string) => admin.call('getCall', { callId })
const claim = () => claimDueCalls(app.db.engine, { now: app.now(), limit: 10 })
const tick = async (provider?: VoiceProvider) => {
  for (const claimed of await claim()) await advanceCall(app, claimed, provider)
}
const optOut = (entry: OptOutIdentifier = { kind: 'phone', value: phoneNumber }) =>
  inAccount(app.db.app, admin.accountId, sql =>
    storeOptOuts({ app, sql, accountId: admin.accountId }, [entry], { source: 'api' }),
  )

/** Makes a provider that records the calls it places. */
const makeCountingProvider = (overrides: Partial<VoiceProvider> = {}) => {
  const dialed: string[] = []
  const provider: VoiceProvider = {
    placeCall: async (request, now, signal) => {
      dialed.push(request.callId)
      return (overrides.placeCall ?? simulatedProvider.placeCall)(request, now, signal)
    },
    findCall: overrides.findCall ?? simulatedProvider.findCall,
    findProblem: simulatedProvider.findProblem,
    parseCallback: simulatedProvider.parseCallback,
  }
  return { dialed, provider }
}

describe('a call', () => {
  it('goes from queued to dialing to ended, with its transcript', async () => {
    const callId = await trigger()
    await tick()
    expect((await read(callId)).status).toBe('dialing')
    at('12:00:20')
    await tick()
    const ended = await read(callId)
    expect(ended.status).toBe('ended')
    expect(ended.outcome).toBeDefined()
    if (ended.startedAt) {
      expect(Date.parse(ended.endedAt!) - Date.parse(ended.startedAt)).toBe(ended.duration! * 1000)
      expect(ended.transcript!.length).toBeGreaterThan(1)
    }
    expect(await claim()).toEqual([])
  })

  it('is not placed while all sending is paused, and is placed once sending is resumed', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider()
    await admin.call('pauseSending', {})
    await tick(provider)
    expect(await read(callId)).toMatchObject({ status: 'queued' })
    await admin.call('resumeSending', {})
    await tick(provider)
    expect(dialed).toEqual([callId])
    expect((await read(callId)).status).toBe('dialing')
  })

  it('is not placed when all sending is paused just before the request to the provider', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider()
    const [claimed] = await claim()
    const { promise: isPaused, resolve: pause } = Promise.withResolvers<void>()
    setFailpoints(name => {
      if (name !== 'call.intended') return undefined
      void admin.call('pauseSending', {}).then(({ inFlight }) => {
        expect(inFlight).toBe(0)
        pause()
      })
      return { do: 'pause', ms: 500 }
    })
    await advanceCall(app, claimed!, provider).finally(() => setFailpoints(undefined))
    await isPaused
    expect(dialed).toEqual([])
    expect(await read(callId)).toMatchObject({ status: 'queued', heldBy: 'sending_paused' })
    await admin.call('resumeSending', {})
    at('12:02:00')
    await tick(provider)
    expect(dialed).toEqual([callId])
  })

  it("is placed from the assistant's current number, even if the number changed while the call was queued", async () => {
    const callId = await trigger()
    await admin.call('updateAssistant', { assistantId, fromNumber: '+442079460017' })
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'dialing', from: '+442079460017' })
  })

  it('is claimed by one worker at a time, and by another if the first is lost', async () => {
    const callId = await trigger()
    const [first, ...others] = await claim()
    expect(first).toMatchObject({ accountId: admin.accountId, id: callId })
    expect(others).toEqual([])
    expect(await claim()).toEqual([])
    at('12:00:31')
    const [second] = await claim()
    const { dialed, provider } = makeCountingProvider()
    await advanceCall(app, first!, provider)
    expect(dialed).toEqual([])
    await advanceCall(app, second!, provider)
    expect(dialed).toEqual([callId])
  })

  it('waits for the callee’s calling hours, and for those of the next day after missing them', async () => {
    const callId = await trigger({ phoneNumber: '+12125550123' })
    await tick()
    expect((await read(callId)).status).toBe('queued')
    app.setNow('2026-11-24T03:00:00.000Z')
    await tick()
    expect(await read(callId)).toMatchObject({ status: 'queued', notBefore: '2026-11-24T13:00:00.000Z' })
    app.setNow('2026-11-24T13:00:00.000Z')
    await tick()
    expect((await read(callId)).status).toBe('dialing')
  })
})

describe('the Do Not Contact list', () => {
  it('stops a call that was already queued', async () => {
    const callId = await trigger()
    await optOut()
    const { dialed, provider } = makeCountingProvider()
    await tick(provider)
    expect(dialed).toEqual([])
    expect(await read(callId)).toMatchObject({
      status: 'ended',
      outcome: 'refused',
      outcomeReason: 'do_not_contact',
    })
  })

  const email = 'ada@analytical.example'
  it.each([
    { kind: 'email', value: email, call: { phoneNumber } },
    { kind: 'domain', value: 'analytical.example', call: { phoneNumber } },
    { kind: 'linkedin', value: 'https://www.linkedin.com/in/ada', call: { phoneNumber } },
    { kind: 'phone', value: phoneNumber, call: { phoneNumber: '+442079460020', email } },
  ] as const)(
    'stops a call to a person outside campaigns who opted out by $kind',
    async ({ call, ...entry }) => {
      const linkedinUrl = 'linkedin.com/in/ada'
      await admin.call('createPerson', { firstName: 'Ada', email, linkedinUrl, phone: phoneNumber })
      const callId = await trigger(call)
      await optOut(entry)
      const { dialed, provider } = makeCountingProvider()
      await tick(provider)
      expect(dialed).toEqual([])
      expect(await read(callId)).toMatchObject({ outcome: 'refused', outcomeReason: 'do_not_contact' })
    },
  )
})

it('a call is not placed if its callee, who was unknown when it was queued, has opted out since', async () => {
  const callId = await trigger()
  await admin.call('createPerson', { firstName: 'Ada', email: 'ada@analytical.example', phone: phoneNumber })
  await optOut({ kind: 'email', value: 'ada@analytical.example' })
  const { dialed, provider } = makeCountingProvider()
  await tick(provider)
  expect(dialed).toEqual([])
  expect(await read(callId)).toMatchObject({ outcome: 'refused', outcomeReason: 'do_not_contact' })
})

describe('consent', () => {
  const refused = { status: 'ended', outcome: 'refused', outcomeReason: 'no_consent' }
  const triggerWithout = async (to = phoneNumber) =>
    (await admin.call('triggerAssistantCall', { assistantId, name: 'Ada', phoneNumber: to })).callId

  it('is required where the law requires it, and the refusal says what to do', async () => {
    const callIds = [await triggerWithout(), await triggerWithout('+12125550123')]
    app.setNow('2026-11-23T15:00:00.000Z')
    const { dialed, provider } = makeCountingProvider()
    await tick(provider)
    expect(dialed).toEqual([])
    for (const callId of callIds) {
      expect(await read(callId)).toMatchObject({
        ...refused,
        outcomeAdvice: expect.stringContaining('Record the consent with its proof'),
      })
    }
  })

  it('does not count when it is of the wrong kind or was withdrawn while the call was queued', async () => {
    const recorded = { phoneNumber: '+12125550123', proof: 'Recording 7' }
    await admin.call('recordConsent', { ...recorded, kind: 'express' })
    const spoken = await triggerWithout('+12125550123')
    const { id: consentId } = await makeConsent(admin, phoneNumber)
    const withdrawn = await triggerWithout()
    await admin.call('withdrawConsent', { consentId })
    app.setNow('2026-11-23T15:00:00.000Z')
    await tick()
    for (const callId of [spoken, withdrawn]) expect(await read(callId)).toMatchObject(refused)
  })
})

describe('a person', () => {
  it('is called by one assistant at a time, and by the next once the first is done', async () => {
    const first = await trigger()
    const second = await trigger()
    await tick()
    const states = await Promise.all([first, second].map(read))
    expect(states.map(({ status }) => status).sort()).toEqual(['dialing', 'queued'])
    const waiting = states.find(({ status }) => status === 'queued')!
    expect(waiting).toMatchObject({ heldBy: 'on_the_phone', notBefore: '2026-11-23T12:01:00.000Z' })
    at('12:00:50')
    const noAnswer = { type: 'end-of-call', outcome: 'no_answer', endedAt: app.now() } as const
    const { provider } = makeCountingProvider({
      findCall: async () => ({ providerCallId: '1', events: [noAnswer] }),
    })
    await tick(provider)
    at('12:01:00')
    await tick()
    const { status, heldBy } = await read(waiting.id)
    expect({ status, heldBy }).toEqual({ status: 'dialing', heldBy: undefined })
  })

  it.each([
    ['with', '2026-11-23T12:00:05Z'],
    ['without', undefined],
  ])(
    'is not called again for five minutes after answering, during which an opt-out may be reported (%s a start time)',
    async (_, startedAt) => {
      const [first, second] = [await trigger(), await trigger()]
      const { dialed, provider } = makeCountingProvider({
        placeCall: async () => ({ providerCallId: 'line 1' }),
      })
      await tick(provider)
      const [answered, waiting] = dialed[0] === first ? [first, second] : [second, first]
      const end = {
        ...({ type: 'end-of-call', outcome: 'answered', durationSeconds: 30 } as const),
        ...(startedAt && { startedAt: new Date(startedAt) }),
        endedAt: new Date('2026-11-23T12:00:35Z'),
      }
      await recordCallEvent(app, admin.accountId, answered, end)
      at('12:01:00')
      await tick(provider)
      expect(await read(waiting)).toMatchObject({
        heldBy: 'just_called',
        notBefore: '2026-11-23T12:05:35.000Z',
      })
      await recordCallEvent(app, admin.accountId, answered, { ...end, isOptOut: true })
      at('12:06:00')
      await tick(provider)
      expect(await read(waiting)).toMatchObject({ outcome: 'refused', outcomeReason: 'do_not_contact' })
      expect(dialed).toEqual([answered])
    },
  )

  it.each(['a campaign', 'no campaign'])(
    'is not called at two numbers at the same time (in %s)',
    async place => {
      const person = { email: 'ada@analytical.example', phone: phoneNumber }
      if (place === 'no campaign') await admin.call('createPerson', person)
      else {
        const { id: campaignId } = await admin.call('createCampaign', { name: 'Spring' })
        await admin.call('addProspectsToCampaign', { campaignId, data: [person] })
      }
      await Promise.all([phoneNumber, '+442079460020'].map(each => makeConsent(admin, each)))
      const call = { assistantId, name: 'Ada', email: 'ada@analytical.example' }
      await admin.call('triggerAssistantCall', { ...call, phoneNumber })
      await admin.call('triggerAssistantCall', { ...call, phoneNumber: '+442079460020' })
      await tick()
      const { data } = await admin.call('listCalls', {})
      expect(data.map(({ status, heldBy }) => heldBy ?? status).sort()).toEqual(['dialing', 'on_the_phone'])
    },
  )

  it('is called once when several workers place calls concurrently', async () => {
    const callIds = await Promise.all(Array.from({ length: 8 }, () => trigger()))
    const { dialed, provider } = makeCountingProvider()
    await Promise.all((await claim()).map(claimed => advanceCall(app, claimed, provider)))
    expect(dialed).toHaveLength(1)
    expect(callIds).toContain(dialed[0])
  })
})

describe('the daily cap', () => {
  const heldBy = async () =>
    (await admin.call('listCalls', { status: 'queued' })).data.map(call => [call.heldBy, call.notBefore])
  const numbers = Array.from({ length: 4 }, (_, index) => `+44207946002${index}`)
  const callAll = async (phoneNumbers: string[]) => {
    const { dialed, provider } = makeCountingProvider()
    await Promise.all(phoneNumbers.map(each => trigger({ phoneNumber: each })))
    await Promise.all((await claim()).map(claimed => advanceCall(app, claimed, provider)))
    return dialed.length
  }

  it('limits the calls from a number, and counts attempts', async () => {
    await admin.call('updateAssistant', { assistantId, dailyCap: 2 })
    expect(await callAll(numbers)).toBe(2)
    expect(await heldBy()).toEqual(Array(2).fill(['daily_cap', '2026-11-24T12:00:00.000Z']))
    app.setNow('2026-11-24T12:00:00.000Z')
    expect(await callAll([])).toBe(2)
  })

  it('postpones all queued calls from a number that has reached the cap', async () => {
    await admin.call('updateAssistant', { assistantId, dailyCap: 1 })
    const moreNumbers = Array.from({ length: 15 }, (_, index) => `+4420794600${30 + index}`)
    expect(await callAll([...numbers, ...moreNumbers])).toBe(1)
    // Calls from other numbers are placed right away.
    const other = await admin.call('createAssistant', { name: 'Other', fromNumber: '+442079460017' })
    await admin.call('triggerAssistantCall', { assistantId: other.id, name: 'Ada', phoneNumber })
    const claimed = await Promise.all((await claim()).map(({ id }) => read(id)))
    const queued = claimed.filter(({ status }) => status === 'queued')
    expect(queued.map(call => call.assistantId)).toEqual([other.id])
  })

  it('releases the calls that it holds when it is raised, but no scheduled call before its time', async () => {
    await admin.call('updateAssistant', { assistantId, dailyCap: 1 })
    await trigger({ notBefore: '2026-11-23T15:00:00Z' })
    expect(await callAll(numbers)).toBe(1)
    await admin.call('updateAssistant', { assistantId, dailyCap: 10 })
    expect(await callAll([])).toBe(3)
    expect(await heldBy()).toEqual([['scheduled', '2026-11-23T15:00:00.000Z']])
  })

  it('postpones each call until the cap resets and its own callee may be called', async () => {
    await admin.call('updateAssistant', { assistantId, dailyCap: 1 })
    at('12:30:00')
    expect(await callAll([phoneNumber])).toBe(1)
    at('12:50:00')
    await tick()
    at('14:00:00')
    const first = await trigger({ phoneNumber: '+33123456789' })
    at('14:00:01')
    await trigger({ phoneNumber: '+442079460020' })
    const [claimed] = await claimDueCalls(app.db.engine, { now: app.now(), limit: 1 })
    expect(claimed!.id).toBe(first)
    await advanceCall(app, claimed!)
    expect(await heldBy()).toEqual([
      ['daily_cap', '2026-11-24T12:30:00.000Z'],
      // Nobody in France is called between 13:00 and 14:00.
      ['daily_cap', '2026-11-24T13:00:00.000Z'],
    ])
  })

  it('limits the calls to a number, and postpones the next call to a time within calling hours', async () => {
    await admin.call('updateAssistant', { assistantId, dailyCapPerNumber: 2 })
    at('07:59:00')
    for (const time of ['08:00:00', '20:30:00', '20:45:00']) {
      at(time)
      await callAll([phoneNumber])
      at(time.replace(':00', ':59'))
      await tick()
    }
    expect(await heldBy()).toEqual([['daily_cap_per_number', '2026-11-24T08:00:00.000Z']])
  })
})

describe('calls and their provider', () => {
  it('a call is never dialed twice: when the response of the provider is lost, the provider is polled', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider({
      placeCall: async () => {
        throw new Error('connection lost')
      },
    })
    await tick(provider)
    expect((await read(callId)).status).toBe('dialing')
    at('12:02:00')
    await tick(provider)
    expect((await read(callId)).status).toBe('ended')
    expect(dialed).toEqual([callId])
  })

  it('a call that the provider does not know is left unconfirmed, and its end can still be reported later', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider({
      placeCall: async () => {
        throw new Error('connection lost')
      },
      findCall: async () => undefined,
    })
    for (const time of ['12:00:00', '12:01:00', '12:06:00', '12:10:00']) {
      at(time)
      await tick(provider)
    }
    expect(dialed).toEqual([callId])
    expect(await read(callId)).toMatchObject({ outcome: 'failed', outcomeReason: 'unconfirmed' })
    await recordCallEvent(app, admin.accountId, callId, {
      type: 'end-of-call',
      outcome: 'answered',
      endedAt: app.now(),
      durationSeconds: 30,
    })
    const call = await read(callId)
    expect(call).toMatchObject({ outcome: 'answered', duration: 30 })
    expect(call.outcomeReason).toBeUndefined()
  })

  it('a call that the provider rejects ends with the reason', async () => {
    const callId = await trigger()
    await tick(
      makeCountingProvider({
        placeCall: async () => {
          throw new CallRefused('No credit left')
        },
      }).provider,
    )
    expect(await read(callId)).toMatchObject({ outcome: 'failed', outcomeReason: 'No credit left' })
  })

  it('a call that the provider rejects, unlike one with an unknown result, does not count as placed in reports', async () => {
    const day = { from: '2026-11-23', to: '2026-11-23' }
    const countPlaced = async () => (await admin.call('getReport', day)).total.callsPlaced
    const fail = (error: Error) => makeCountingProvider({ placeCall: () => Promise.reject(error) }).provider
    const rejected = await trigger()
    await tick(fail(new CallRefused('Wrong API key')))
    expect([(await read(rejected)).outcome, await countPlaced()]).toEqual(['failed', 0])
    const unconfirmed = await trigger()
    await tick(fail(new Error('timeout')))
    at('12:10:00')
    await tick(makeCountingProvider({ findCall: async () => undefined }).provider)
    expect([(await read(unconfirmed)).outcomeReason, await countPlaced()]).toEqual(['unconfirmed', 1])
  })

  it('polling stops when the provider supplies no analysis', async () => {
    const callId = await trigger()
    let polls = 0
    const { provider } = makeCountingProvider({
      findCall: async () => {
        polls += 1
        const times = {
          startedAt: new Date('2026-11-23T12:00:05Z'),
          endedAt: new Date('2026-11-23T12:00:10Z'),
        }
        return { providerCallId: 'one', events: [{ type: 'end-of-call', outcome: 'answered', ...times }] }
      },
    })
    for (let second = 0; second < 1_800; second += 10) {
      app.setNow(new Date(Date.parse('2026-11-23T12:00:00Z') + second * 1_000).toISOString())
      await tick(provider)
    }
    expect(polls).toBeGreaterThan(2)
    expect(polls).toBeLessThan(8)
    expect(await read(callId)).toMatchObject({ status: 'ended', endedAt: '2026-11-23T12:00:10.000Z' })
  })

  it('a provider can report the end and an opt-out after half a day', async () => {
    const callId = await trigger()
    let isUp = false
    const end = {
      ...({ type: 'end-of-call', outcome: 'answered', durationSeconds: 30 } as const),
      ...{ startedAt: new Date('2026-11-23T12:00:05Z'), endedAt: new Date('2026-11-23T12:00:35Z') },
      summary: 'Wants no more calls.',
      transcript: [{ role: 'person' as const, text: 'Do not call me again.', at: 3 }],
    }
    const { provider } = makeCountingProvider({
      findCall: async () => {
        if (!isUp) throw new Error('down')
        return { providerCallId: '1', events: [end] }
      },
    })
    await tick(provider)
    isUp = true
    at('23:00:00')
    await tick(provider)
    expect(await read(callId)).toMatchObject({ outcome: 'answered', summary: 'Wants no more calls.' })
    expect((await admin.call('listOptOuts', {})).data).toMatchObject([{ identifier: phoneNumber }])
  })

  it('a call is left unconfirmed when the provider reports no end for half a day', async () => {
    const callId = await trigger()
    const started = { type: 'status-update', status: 'in_progress', happenedAt: app.now() } as const
    const { provider } = makeCountingProvider({
      findCall: async () => ({ providerCallId: '1', events: [started] }),
    })
    await tick(provider)
    at('23:00:00')
    await tick(provider)
    expect(await read(callId)).toMatchObject({ outcome: 'failed', outcomeReason: 'unconfirmed' })
  })

  const makeReportingProvider = (event: object) =>
    makeCountingProvider({
      findCall: async () => {
        const times = {
          startedAt: new Date('2026-11-23T12:00:05Z'),
          endedAt: new Date('2026-11-23T12:00:10Z'),
        }
        const end = { ...({ type: 'end-of-call', outcome: 'answered' } as const), ...times, ...event }
        return { providerCallId: 'one', events: [end] }
      },
    })

  it('a report that cannot be stored blocks the number for hours, not forever', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeReportingProvider({ cost: { amount: 1e8, currency: 'USD' } })
    await tick(provider)
    at('12:00:30')
    await tick(provider)
    at('12:01:30')
    await tick(provider)
    expect((await read(callId)).status).toBe('dialing')
    at('18:01:00')
    await tick(provider)
    expect(await read(callId)).toMatchObject({ outcome: 'failed', outcomeReason: 'unconfirmed' })
    await trigger()
    await tick(provider)
    expect(dialed).toHaveLength(2)
  })

  it('polling stops when the analysis cannot be stored', async () => {
    const callId = await trigger()
    await tick(makeReportingProvider({}).provider)
    at('12:00:20')
    await tick(makeReportingProvider({}).provider)
    expect((await read(callId)).outcome).toBe('answered')
    const { provider } = makeReportingProvider({ summary: 'Nothing.', extractedData: { '\ud800': 1 } })
    for (const time of ['12:01:00', '12:02:00', '12:04:00', '12:10:00', '13:00:00']) {
      at(time)
      await tick(provider)
    }
    at('23:00:00')
    expect(await claim()).toEqual([])
  })

  const placeUntil = async (provider: VoiceProvider, time: string) => {
    for (;;) {
      const [next] = await app.owner<{ dueAt: Date }[]>`select min(due_at) as "dueAt" from calls`
      if (next!.dueAt >= new Date(`2026-11-23T${time}Z`)) return
      app.setNow(next!.dueAt.toISOString())
      await tick(provider)
    }
  }
  const rejectAsBusy = async () => {
    throw new CallPostponed('Over its limit', 5_000)
  }

  it('a provider that is busy for an hour is retried with increasing delays, and gets the call afterwards', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider({ placeCall: rejectAsBusy })
    await placeUntil(provider, '13:00:00')
    expect(await read(callId)).toMatchObject({ status: 'queued', heldBy: 'provider_busy' })
    expect(dialed.length).toBeLessThan(17)
    expect(Date.parse((await read(callId)).notBefore!)).toBeLessThan(Date.parse('2026-11-23T13:16:00Z'))
    at('13:16:00')
    await tick()
    expect((await read(callId)).status).toBe('dialing')
  })

  it('a call fails if the provider stays busy, but only after several hours', async () => {
    const callId = await trigger()
    const { dialed, provider } = makeCountingProvider({ placeCall: rejectAsBusy })
    await placeUntil(provider, '13:40:00')
    expect((await read(callId)).status).toBe('queued')
    for (let n = 0; n < 20 && (await read(callId)).status === 'queued'; n += 1) {
      app.setNow((await read(callId)).notBefore!)
      await tick(provider)
    }
    expect(await read(callId)).toMatchObject({ outcome: 'failed', outcomeReason: 'Over its limit' })
    expect(dialed).toHaveLength(21)
  })

  it('a provider that is unreachable is polled again later', async () => {
    const callId = await trigger()
    const broken = makeCountingProvider({
      findCall: async () => {
        throw new Error('down')
      },
    })
    await tick(broken.provider)
    at('12:00:10')
    await tick(broken.provider)
    expect((await read(callId)).status).toBe('dialing')
    at('12:01:00')
    await tick()
    expect((await read(callId)).status).toBe('ended')
  })
})

describe('events', () => {
  const started = {
    type: 'status-update',
    status: 'in_progress',
    happenedAt: new Date('2026-11-23T12:00:01Z'),
  } as const
  const ended = {
    type: 'end-of-call',
    outcome: 'answered',
    startedAt: new Date('2026-11-23T12:00:01Z'),
    endedAt: new Date('2026-11-23T12:00:41Z'),
    durationSeconds: 40,
    summary: 'Asked for the details.',
    transcript: [{ role: 'person', text: 'Hello?', at: 0 }],
  } as const
  const events = [{ ...started, status: 'dialing' } as const, started, ended].map(event =>
    'transcript' in event ? { ...event, transcript: [...event.transcript] } : event,
  )
  const record = (callId: string, order: number[]) =>
    order.reduce<Promise<void>>(
      (before, index) => before.then(() => recordCallEvent(app, admin.accountId, callId, events[index]!)),
      Promise.resolve(),
    )

  it('lead to the same result in any order and when repeated', async () => {
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2, 2],
      [1, 1, 2, 0, 1],
      [2, 2],
    ]
    const callIds = await Promise.all(
      orders.map((_, index) => trigger({ phoneNumber: `+44207946002${index}` })),
    )
    await tick()
    for (const [index, order] of orders.entries()) {
      await record(callIds[index]!, order)
      expect(await read(callIds[index]!)).toMatchObject({
        status: 'ended',
        outcome: 'answered',
        duration: 40,
        startedAt: '2026-11-23T12:00:01.000Z',
        endedAt: '2026-11-23T12:00:41.000Z',
        summary: 'Asked for the details.',
        transcript: [{ role: 'person', text: 'Hello?', at: 0 }],
      })
    }
  })

  const endWithText = (text: string, role: 'person' | 'assistant' = 'person') => ({
    ...ended,
    transcript: [{ role, text, at: 0 }],
  })
  const sources = async () =>
    await app.owner<{ value: string; source: string }[]>`select value, source from opt_outs order by value`

  it.each([
    ['opt out', phoneNumber, () => endWithText('Ne m’appelez plus.')],
    ['opt out according to the provider', phoneNumber, () => ({ ...ended, transcript: [], isOptOut: true })],
    ['opt out at another number', '+442079460020', () => endWithText('Never call me again.')],
  ])('add callees who %s to the Do Not Contact list, and end their sequences', async (_how, phone, event) => {
    const { id: campaignId } = await admin.call('createCampaign', { name: 'Spring' })
    const email = 'ada@a.example'
    await admin.call('addProspectsToCampaign', { campaignId, data: [{ email, phone }] })
    const callId = await trigger({ email })
    await recordCallEvent(app, admin.accountId, callId, event())
    expect(await sources()).toEqual([])
    await tick()
    for (let times = 0; times < 2; times += 1) await recordCallEvent(app, admin.accountId, callId, event())
    const values = [...new Set([phoneNumber, phone]), email]
    expect(await sources()).toEqual(values.map(value => ({ value, source: 'call' })))
    const { data } = await admin.call('listProspects', { campaignId })
    expect(data).toMatchObject([{ status: 'opted_out', statusReason: 'call' }])
    await expect(trigger()).rejects.toMatchObject({ details: [{ path: 'phoneNumber' }] })
    const log = await admin.call('listAuditLog', { limit: 100 })
    expect(log.data.filter(entry => entry.action === 'opt_out')).toMatchObject([
      { actor: 'call', auditedType: 'call', auditedId: callId },
    ])
  })

  it('do not opt the callee out because of what the assistant says', async () => {
    const callId = await trigger()
    await tick()
    await recordCallEvent(
      app,
      admin.accountId,
      callId,
      endWithText('I will not call again. Do not call me.', 'assistant'),
    )
    expect(await sources()).toEqual([])
  })

  it('change nothing when the call is unknown, not placed, or in another account', async () => {
    const callId = await trigger()
    await record(callId, [1, 2])
    expect((await read(callId)).status).toBe('queued')
    await tick()
    const stranger = await makeCaller(app, 'admin')
    await recordCallEvent(app, stranger.accountId, callId, events[2]!)
    await recordCallEvent(app, admin.accountId, randomUUIDv7(), events[2]!)
    await recordCallEvent(app, admin.accountId, "no id'; drop table calls", events[2]!)
    expect((await read(callId)).status).toBe('dialing')
  })
})
