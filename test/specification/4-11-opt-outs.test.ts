import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectInvalid,
  getBody,
  getItems,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

type Added = {
  total: number
  added: number
  alreadyPresent: number
  pausedProspects: number
  inFlight: number
}

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
  // Evergreen, because opting out its only prospect would complete the campaign.
  const { world, caller } = specified
  await caller.call('updateCampaign', { campaignId: world.activeCampaignId, settings: { isEvergreen: true } })
})
afterAll(() => specified[Symbol.asyncDispose]())

const path = '/dnc/communication-opt-outs'
const optOut = (identifiers: unknown, more: object = {}) => specified.post(path, { identifiers, ...more })
const someone = () => `${randomUUIDv7()}@opted-out.example`
const many = (count: number) => Array.from({ length: count }, () => ({ identifier: someone() }))
const listIdentifiers = async (kind: string) =>
  getItems(await specified.get(`${path}?limit=100&identifierType=${kind}`)).map(item => item.identifier)

/** Adds a prospect to an active campaign. */
const makeProspect = async (email = someone()) => {
  const { data } = await specified.caller.call('addProspectsToCampaign', {
    campaignId: specified.world.activeCampaignId,
    data: [{ email }],
  })
  return { email, prospectId: data[0]!.prospectId! }
}
const getStatus = async (prospectId: string) => {
  const { status, statusReason } = getBody(await specified.get(`/prospects/${prospectId}`))
  return [status, statusReason]
}

it('4.11.response: is a 200 that counts identifiers by outcome', async () => {
  const identifiers = [...many(2), { identifier: specified.world.optedOutEmail }]
  expect(getBody(await optOut(identifiers))).toEqual({
    total: 3,
    added: 2,
    alreadyPresent: 1,
    people: expect.any(Number),
    pausedProspects: 0,
    inFlight: 0,
  })
})

it('4.11.identifiers: is a required list of objects', async () => {
  expectInvalid(await specified.post(path, {}), 'identifiers')
  expectInvalid(await optOut(someone()), 'identifiers')
  expectInvalid(await optOut([someone()]), 'identifiers.0')
})

it('4.11.max-500: accepts 500 identifiers and rejects 501', async () => {
  expect(getBody<Added>(await optOut(many(500))).added).toBe(500)
  expectInvalid(await optOut(many(501)), 'identifiers')
})

it('4.11.none: accepts an empty list', async () => {
  expect(getBody<Added>(await optOut([]))).toMatchObject({ total: 0, added: 0 })
})

it('4.11.identifier: is a required string in every element', async () => {
  for (const element of [{ name: 'Ada' }, { identifier: '' }, { identifier: 1 }]) {
    expectInvalid(await optOut([element]), 'identifiers.0.identifier')
  }
})

it('4.11.name: is optional and stored', async () => {
  const identifier = someone()
  getBody(await optOut([{ identifier, name: 'Ada Byron' }, { identifier: someone() }]))
  const [unnamed, named] = getItems(await specified.get(`${path}?limit=2`)).toSorted(a => (a.name ? 1 : -1))
  expect(named).toMatchObject({ identifier, name: 'Ada Byron' })
  expect(unnamed).not.toHaveProperty('name')
  expectInvalid(await optOut([{ identifier: someone(), name: 1 }]), 'identifiers.0.name')
})

const kinds: [title: string, given: object, kind: string, kept: string][] = [
  [
    '4.11.email: is recognized from an email address',
    { identifier: ' Ada@Kinds.Example' },
    'email',
    'ada@kinds.example',
  ],
  [
    '4.11.linkedin: is recognized from a profile URL',
    { identifier: 'linkedin.com/in/ada-kinds/' },
    'linkedin',
    'https://www.linkedin.com/in/ada-kinds',
  ],
  [
    '4.11.phone: is recognized from a phone number',
    { identifier: '+44 20 7946 0333' },
    'phone',
    '+442079460333',
  ],
  [
    '4.11.domain: is recognized from a bare host name',
    { identifier: 'Kinds.example' },
    'domain',
    'kinds.example',
  ],
  [
    '4.11.type: overrides the recognized type',
    { identifier: '+44 20 7946 0334', identifierType: 'whatsapp' },
    'whatsapp',
    '+442079460334',
  ],
  [
    '4.11.sms: requires an explicit type',
    { identifier: '+44 20 7946 0335', identifierType: 'sms' },
    'sms',
    '+442079460335',
  ],
  [
    '4.11.web-chat: requires an explicit type',
    { identifier: 'Visitor 7', identifierType: 'web_chat' },
    'web_chat',
    'Visitor 7',
  ],
]

it.each(kinds)('%s', async (_title, given, kind, kept) => {
  expect(getBody<Added>(await optOut([given])).added).toBe(1)
  expect(await listIdentifiers(kind)).toContain(kept)
})

it('4.11.type-empty: counts as absent', async () => {
  const identifier = someone()
  expect(getBody<Added>(await optOut([{ identifier, identifierType: '' }])).added).toBe(1)
  expect(await listIdentifiers('email')).toContain(identifier)
})

it.each([
  [{ identifier: 'nobody' }, 'identifier'],
  [{ identifier: '12' }, 'identifier'],
  [{ identifier: 'ada@kinds.example', identifierType: 'phone' }, 'identifier'],
  [{ identifier: 'ada@kinds.example', identifierType: 'fax' }, 'identifierType'],
])('4.11.malformed: is rejected and nothing is stored (%j)', async (element, field) => {
  const identifier = someone()
  expectInvalid(await optOut([{ identifier }, element]), `identifiers.1.${field}`)
  expect(await listIdentifiers('email')).not.toContain(identifier)
})

it('4.11.idempotent: adds nothing when it is repeated', async () => {
  const identifiers = many(3)
  getBody(await optOut(identifiers))
  expect(getBody(await optOut(identifiers))).toMatchObject({ total: 3, added: 0, alreadyPresent: 3 })
})

it('4.11.pause: pauses matching prospects when the flag is true', async () => {
  const { email, prospectId } = await makeProspect()
  const response = await optOut([{ identifier: email }], { pauseActiveProspects: true })
  expect(getBody<Added>(response).pausedProspects).toBe(1)
  expect(await getStatus(prospectId)).toEqual(['paused', 'do_not_contact'])
})

it('4.11.pause-default: pauses matching prospects by default', async () => {
  const { email, prospectId } = await makeProspect()
  expect(getBody<Added>(await optOut([{ identifier: email }])).pausedProspects).toBe(1)
  expect(await getStatus(prospectId)).toEqual(['paused', 'do_not_contact'])
})

it('4.11.no-pause: does not pause prospects when the flag is false', async () => {
  const { email, prospectId } = await makeProspect()
  const response = await optOut([{ identifier: email }], { pauseActiveProspects: false })
  expect(getBody<Added>(response).pausedProspects).toBe(0)
  expect(await getStatus(prospectId)).toEqual(['pending', undefined])
})

it.each(['true', 1, null])('4.11.pause-flag: rejects a flag that is not a boolean (%j)', async value => {
  expectInvalid(await optOut([], { pauseActiveProspects: value }), 'pauseActiveProspects')
})

it('4.11.blocks: prevents contact with people on the list, regardless of the flag', async () => {
  const { world, post, caller } = specified
  const phoneNumber = '+442079460336'
  const identifiers = [{ identifier: `company-${world.mark}.example` }, { identifier: phoneNumber }]
  getBody(await optOut(identifiers, { pauseActiveProspects: false }))
  const send = await post(`/inbox/email/messages/${world.draftMessageId}/send`)
  expect(send.status).toBe(409)
  const { assistantId } = world
  expectInvalid(await post('/assistant/calls', { assistantId, name: 'Ada', phoneNumber }), 'phoneNumber')
  const { data } = await caller.call('addProspectsToCampaign', {
    campaignId: world.campaignId,
    data: [{ email: `new@company-${world.mark}.example` }],
  })
  expect(data[0]!.outcome).toBe('do_not_contact')
})
