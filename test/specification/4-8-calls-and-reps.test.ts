import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  expectInvalid,
  expectNotFound,
  getBody,
  type Item,
  NIGHT,
  openSpecificationServer,
  type SpecificationServer,
  uuid,
  WORKING_HOURS,
} from '../support/contract/specification-server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
beforeEach(() => specified.server.app.setNow(WORKING_HOURS))
afterAll(() => specified[Symbol.asyncDispose]())

const trigger = (changes: object = {}) =>
  specified.post('/assistant/calls', {
    assistantId: specified.world.assistantId,
    name: 'Ada Byron',
    phoneNumber: '+442079460992',
    ...changes,
  })
const expectRejected = async (changes: object, field: string) => expectInvalid(await trigger(changes), field)
const createCall = async (changes: object = {}): Promise<Item> => {
  const { callId } = getBody<{ callId: string }>(await trigger(changes))
  return getBody(await specified.get(`/calls/${callId}`))
}

it('4.8.response: is a 200 with the ID of a queued call', async () => {
  expect(getBody(await trigger())).toEqual({ callId: expect.stringMatching(uuid), status: 'queued' })
})

it("4.8.call: can be read immediately and has the assistant's number and the given number", async () => {
  const { assistantId } = specified.world
  const numbers = { from: '+442079460018', to: '+442079460992' }
  expect(await createCall()).toMatchObject({
    ...numbers,
    callType: 'outbound',
    status: 'queued',
    assistantId,
  })
})

const required: [title: string, field: string][] = [
  ['4.8.assistant: is required', 'assistantId'],
  ['4.8.name: is required', 'name'],
  ['4.8.phone: is required', 'phoneNumber'],
]
it.each(required)('%s', async (_title, field) => {
  await expectRejected({ [field]: undefined }, field)
  await expectRejected({ [field]: ' ' }, field)
  await expectRejected({ [field]: 1 }, field)
})

it.each(['nonsense', randomUUIDv7()])('4.8.unknown-assistant: is rejected (%s)', assistantId =>
  expectRejected({ assistantId }, 'assistantId'),
)

it('4.8.e164: accepts a number in any format and stores it in E.164 form', async () => {
  expect((await createCall({ phoneNumber: '+44 (0)20 7946-0993' })).to).toBe('+442079460993')
})

it("4.8.national: parses a national number with the account's country, and rejects it if the account has none", async () => {
  const national = { phoneNumber: '020 7946 0993' }
  await expectRejected(national, 'phoneNumber')
  await specified.caller.call('updateAccount', { defaultCountry: 'GB' })
  expect((await createCall(national)).to).toBe('+442079460993')
})

it.each(['12', 'nobody', '+999123'])('4.8.phone-valid: rejects an invalid phone number (%s)', phoneNumber =>
  expectRejected({ phoneNumber }, 'phoneNumber'),
)

const optional: [title: string, field: string, value: unknown, error: unknown][] = [
  ['4.8.email: is an optional email address', 'email', 'ada@analytical.example', 'nobody'],
  ['4.8.timezone: is an optional IANA name', 'timezone', 'Europe/London', 'London'],
  ['4.8.data: is an optional object', 'data', { plan: { seats: 3 } }, 'text'],
  [
    '4.8.transfer: is an optional object with a number',
    'callTransfer',
    { phoneNumber: '+442079460994', description: 'Sales', message: 'One moment', messageToReceiver: 'Ada' },
    'text',
  ],
]
it.each(optional)('%s', async (_title, field, value, error) => {
  expect((await trigger({ [field]: value })).status).toBe(200)
  await expectRejected({ [field]: error }, field)
})

it('4.8.data-size: accepts at most 16 kB of data', async () => {
  const data = (bytes: number) => ({ data: { text: 'x'.repeat(bytes - '{"text":""}'.length) } })
  expect((await trigger(data(16 * 1024))).status).toBe(200)
  await expectRejected(data(16 * 1024 + 1), 'data')
})

it('4.8.transfer-phone: is required in a transfer and must be a valid number', async () => {
  await expectRejected({ callTransfer: {} }, 'callTransfer.phoneNumber')
  await expectRejected({ callTransfer: { phoneNumber: '12' } }, 'callTransfer.phoneNumber')
})

it('4.8.do-not-contact: rejects a call to a person on the list', async () => {
  const phoneNumber = '+442079460995'
  await specified.caller.call('addOptOuts', { identifiers: [{ identifier: phoneNumber }] })
  await expectRejected({ phoneNumber }, 'phoneNumber')
})

it("4.8.hours: waits until 8:00 in the number's time zone", async () => {
  specified.server.app.setNow(NIGHT)
  expect((await createCall()).notBefore).toBe('2026-11-24T08:00:00.000Z')
})

it('4.8.hours-timezone: waits until 8:00 in the given time zone too', async () => {
  expect((await createCall({ timezone: 'America/New_York' })).notBefore).toBe('2026-11-24T13:00:00.000Z')
  expect(await createCall({ timezone: 'Europe/Paris' })).not.toHaveProperty('notBefore')
})

it('4.9.get: returns the call', async () => {
  const { world, get } = specified
  expect(getBody(await get(`/calls/${world.callId}`))).toMatchObject({
    id: world.callId,
    from: '+442079460018',
    to: '+442079460990',
    callType: 'outbound',
  })
})

it('4.9.not-found: returns NotFound for an unknown ID', async () => {
  expectNotFound(await specified.get(`/calls/${randomUUIDv7()}`), 'call')
})

it('4.10.get: returns the rep with its owner', async () => {
  const { world, caller, get } = specified
  expect(getBody(await get(`/reps/${world.repId}`))).toMatchObject({
    id: world.repId,
    name: `Grace ${world.mark}`,
    ownedById: caller.userId,
  })
})

it('4.10.not-found: returns NotFound for an unknown ID', async () => {
  expectNotFound(await specified.get(`/reps/${randomUUIDv7()}`), 'rep')
})
