import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectInvalid,
  expectNotFound,
  getBody,
  getItems,
  type Item,
  openSpecificationServer,
  type SpecificationServer,
  uuid,
} from '../support/contract/specification-server.ts'

type Result = { index: number; outcome: string; prospectId?: string; personId?: string; reason?: string }
type Added = { data: Result[]; total: number; added: number; skipped: number; warnings?: string[] }

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
afterAll(() => specified[Symbol.asyncDispose]())

const add = (data: unknown, campaignId = specified.world.campaignId) =>
  specified.post(`/campaigns/${campaignId}/prospects`, { data })
const someone = () => ({ firstName: 'Ada', email: `${randomUUIDv7()}@added.example` })
const count = async () => getItems(await specified.get('/prospects?limit=100')).length

it('4.2.response: is a 200 with the outcome of each element, in order', async () => {
  const response = getBody<Added>(await add([someone(), someone()]))
  const ids = { prospectId: expect.stringMatching(uuid), personId: expect.stringMatching(uuid) }
  expect(response).toEqual({
    data: [
      { index: 0, outcome: 'added', ...ids },
      { index: 1, outcome: 'added', ...ids },
    ],
    total: 2,
    added: 2,
    skipped: 0,
  })
  expect(getBody(await specified.get(`/prospects/${response.data[0]!.prospectId}`))).toMatchObject({
    personId: response.data[0]!.personId,
    campaignId: specified.world.campaignId,
  })
})

it('4.2.campaign: must exist', async () => {
  expectNotFound(await add([someone()], randomUUIDv7()), 'campaign')
})

it('4.2.data: is required', async () => {
  expectInvalid(await specified.post(`/campaigns/${specified.world.campaignId}/prospects`, {}), 'data')
})

it('4.2.data-list: is a list of objects', async () => {
  expectInvalid(await add({ email: 'a@b.example' }), 'data')
  expectInvalid(await add(['a@b.example']), 'data.0')
})

it('4.2.min-1: rejects an empty list, naming data', async () => {
  expectInvalid(await add([]), 'data')
})

it('4.2.max-20: accepts 20 prospects and rejects 21, naming data', async () => {
  expect(getBody<Added>(await add(Array.from({ length: 20 }, someone))).added).toBe(20)
  expectInvalid(await add(Array.from({ length: 21 }, someone)), 'data')
})

const fields: [title: string, field: string, personField: string, given: string, kept: string][] = [
  ['4.2.first-name: is stored as the first name', 'firstName', 'firstName', ' Sofia ', 'Sofia'],
  ['4.2.last-name: is stored as the last name', 'lastName', 'lastName', 'Kovalevskaya', 'Kovalevskaya'],
  ['4.2.job-title: is stored as the title', 'jobTitle', 'title', 'Professor', 'Professor'],
  ['4.2.email: is stored in canonical form', 'email', 'email', ' Sofia@Math.Example ', 'sofia@math.example'],
  [
    '4.2.linkedin-url: is stored in canonical form',
    'linkedinUrl',
    'linkedinUrl',
    'linkedin.com/in/sofia-k/?x=1',
    'https://www.linkedin.com/in/sofia-k',
  ],
  ['4.2.phone: is stored in E.164 form', 'phone', 'phone', '+44 20 7946 0111', '+442079460111'],
]

it.each(fields)('%s', async (_title, field, personField, given, kept) => {
  const element = { email: `${field.toLowerCase()}@fields.example`, [field]: given }
  const { data } = getBody<Added>(await add([element]))
  expect(getBody(await specified.get(`/persons/${data[0]!.personId}`))[personField]).toBe(kept)
  expectInvalid(await add([{ ...someone(), [field]: 1 }]), `data.0.${field}`)
})

it("4.2.company: is stored as the name of the person's company", async () => {
  const { data } = getBody<Added>(await add([{ ...someone(), company: 'Added Ltd' }]))
  const { companyId } = getBody(await specified.get(`/persons/${data[0]!.personId}`))
  expect(getBody(await specified.get(`/companies/${companyId}`)).name).toBe('Added Ltd')
  expectInvalid(await add([{ ...someone(), company: ['Added'] }]), 'data.0.company')
})

const sufficient: [title: string, element: object][] = [
  ['4.2.email-suffices: adds a person with only an email address', { email: 'only@email.example' }],
  [
    '4.2.linkedin-suffices: adds a person with only a LinkedIn profile',
    { linkedinUrl: 'https://www.linkedin.com/in/only' },
  ],
  ['4.2.phone-suffices: adds a person with only a phone number', { phone: '+442079460222' }],
  [
    '4.2.identity-suffices: adds a person with only full name and company',
    { firstName: 'Emmy', lastName: 'Noether', company: 'Göttingen' },
  ],
]

it.each(sufficient)('%s', async (_title, element) => {
  expect(getBody<Added>(await add([element])).data[0]!.outcome).toBe('added')
})

const identity = { firstName: 'Emmy', lastName: 'Noether', company: 'Göttingen' }
it.each([
  { ...identity, firstName: undefined },
  { ...identity, lastName: undefined },
  { ...identity, company: undefined },
  { ...identity, company: ' ' },
  { jobTitle: 'Professor' },
  { email: '', phone: '  ' },
  {},
])(
  '4.2.validity: rejects an element with neither a contact method nor a full identity (%j)',
  async element => {
    expectInvalid(await add([someone(), element]), 'data.1')
  },
)

it.each([
  ['email', 'nobody'],
  ['linkedinUrl', 'https://example.com/in/nobody'],
  ['phone', '12'],
])('4.2.malformed: rejects an invalid contact method (%s)', async (field, value) => {
  expectInvalid(await add([{ ...identity, [field]: value }]), `data.0.${field}`)
})

it('4.2.longest: accepts 20 prospects with strings of maximum length, in any script', async () => {
  const text = (length: number) => '智'.repeat(length)
  const makeLongest = () => ({
    // The longest address of RFC 5321, shorter than the longest string.
    email: `${randomUUIDv7()}.${'x'.repeat(27)}@${'y'.repeat(59)}.${'z'.repeat(59)}.${'a'.repeat(61)}.example`,
    firstName: text(200),
    lastName: text(200),
    company: text(200),
    jobTitle: text(200),
    phone: '+44 20 7946 0335'.padEnd(50),
    linkedinUrl: `https://www.linkedin.com/in/${randomUUIDv7()}?`.padEnd(2000, 'x'),
  })
  const longest = makeLongest()
  expect(longest.email).toHaveLength(254)
  const data = Array.from({ length: 20 }, makeLongest)
  expect(getBody<Added>(await add(data)).added).toBe(20)
  for (const [field, value] of Object.entries(longest))
    expectInvalid(await add([{ ...longest, [field]: `${value}x` }]), `data.0.${field}`)
})

it('4.2.whole: adds nothing when one element is invalid', async () => {
  const before = await count()
  expectInvalid(await add([someone(), { email: 'nobody' }, someone()]), 'data.1.email')
  expect(await count()).toBe(before)
})

it('4.2.already-in-campaign: adds nobody twice, even with a different spelling', async () => {
  const { email } = someone()
  const [first] = getBody<Added>(await add([{ email }])).data
  const again = getBody<Added>(await add([{ email: ` ${email.toUpperCase()}` }]))
  expect(again).toMatchObject({ added: 0, skipped: 1, data: [{ ...first, outcome: 'already_in_campaign' }] })
})

it('4.2.duplicate: adds a prospect listed twice only once', async () => {
  const element = someone()
  const response = getBody<Added>(await add([element, element]))
  expect([response.added, response.data.map(({ outcome }) => outcome)]).toEqual([
    1,
    ['added', 'duplicate_in_request'],
  ])
})

it('4.2.do-not-contact: skips prospects on the list', async () => {
  const response = getBody<Added>(await add([{ email: specified.world.optedOutEmail }]))
  expect(response).toMatchObject({
    added: 0,
    data: [{ outcome: 'do_not_contact', reason: expect.any(String) }],
  })
  expect(response.data[0]).not.toHaveProperty('prospectId')
})

it('4.2.other-campaign: skips prospects in another active campaign if the setting is on', async () => {
  const { world, caller } = specified
  const element = someone()
  getBody(await add([element], world.activeCampaignId))
  expect(getBody<Added>(await add([element])).data[0]!.outcome, 'without the setting').toBe('added')
  const { id } = await caller.call('createCampaign', {
    name: 'Careful',
    settings: { skipActiveElsewhere: true },
  })
  expect(getBody<Added>(await add([element], id)).data[0]!.outcome).toBe('in_other_active_campaign')
})

it('4.2.unknown-keys: are ignored and named in warnings', async () => {
  const response = getBody<Added>(await add([{ ...someone(), shoeSize: 42 }]))
  expect(response).toMatchObject({ added: 1, warnings: [expect.stringContaining('data.0.shoeSize')] })
})

it('4.2.states: adds to draft, active and paused campaigns', async () => {
  const { campaignId, activeCampaignId, pausedCampaignId } = specified.world
  for (const id of [campaignId, activeCampaignId, pausedCampaignId]) {
    expect(getBody<Added>(await add([someone()], id)).added).toBe(1)
  }
})

it('4.2.closed-states: rejects prospects for completed and archived campaigns', async () => {
  const { world, caller, server } = specified
  const completed = await caller.call('createCampaign', { name: 'Done' })
  await server.app.owner`
    update campaigns set status = 'completed', launched_at = now() where id = ${completed.id}`
  for (const [id, state] of [
    [completed.id, 'completed'],
    [world.archivedCampaignId, 'archived'],
  ] as const) {
    const response = await add([someone()], id)
    expectInvalid(response, 'campaignId')
    expect((response.body as Item).message).toContain(state)
  }
})
