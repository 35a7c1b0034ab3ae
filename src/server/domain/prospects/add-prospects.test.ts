import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { RawInput } from '../../../contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

type Elements = RawInput<'addProspectsToCampaign'>['data']

/** Creates an account with a campaign. */
async function makeAccountWithCampaign(settings: { skipActiveElsewhere?: boolean } = {}) {
  const caller = await makeCaller(app)
  const makeCampaign = async (settings: { skipActiveElsewhere?: boolean } = {}) =>
    (await caller.call('createCampaign', { name: 'Spring', settings })).id
  const campaignId = await makeCampaign(settings)
  const add = (data: Elements, to = campaignId) =>
    caller.call('addProspectsToCampaign', { campaignId: to, data })
  return { caller, campaignId, makeCampaign, add }
}

const listOutcomes = (response: { data: { outcome: string }[] }) =>
  response.data.map(({ outcome }) => outcome)
const listPersons = (caller: Caller) => caller.call('listPersons', { limit: 100 }).then(page => page.data)
const launch = (campaignId: string) =>
  app.owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId}`

describe('adding prospects', () => {
  it('stores values of custom fields where there are none, in time for the first step', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    await caller.call('createCustomField', { key: 'icebreaker', label: 'Icebreaker', type: 'text' })
    await caller.call('createCustomField', { key: 'seats', label: 'Seats', type: 'number' })
    const steps = [{ subject: 'Hello', body: '{{ icebreaker }} {{ seats }}' }]
    await caller.call('setCampaignSteps', { campaignId, steps })
    await caller.call('createPerson', { email: 'ben@x.example', custom: { icebreaker: 'Known', seats: 1 } })
    const { warnings } = await add([
      { email: 'ada@x.example', custom: { icebreaker: 'Nice engine', seats: '12' } },
      { email: 'ben@x.example', custom: { icebreaker: 'New' } },
    ])
    expect(warnings).toBeUndefined()
    const custom = new Map((await listPersons(caller)).map(person => [person.email, person.custom]))
    expect(custom.get('ada@x.example')).toEqual({ icebreaker: 'Nice engine', seats: 12 })
    expect(custom.get('ben@x.example')).toEqual({ icebreaker: 'Known', seats: 1 })
    await expect(
      add([{ email: 'cy@x.example', custom: { seats: 'many', color: 'blue' } }]),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'data.0.custom.seats' }, { path: 'data.0.custom.color' }],
    })
    expect(await listPersons(caller)).toHaveLength(2)
  })

  it('warns about prospects that have no value for a variable of a step', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    const people = (name: string) => [
      { email: `${name}@one.example`, firstName: 'Ada' },
      { email: `${name}@two.example`, firstName: 'Ben', company: 'Navy' },
      { email: `${name}@three.example` },
      { email: `${name}@two.example` },
    ]
    expect((await add(people('without-steps'))).warnings).toBeUndefined()
    const body = 'Hi {{ firstName }}, {{ jobTitle | default: "you" }}, {{ signature }}'
    await caller.call('setCampaignSteps', {
      campaignId,
      steps: [
        { subject: 'Hello', body },
        { thread: 'same', body: 'Does {{ company }} hire?', delay: { amount: 2, unit: 'days' } },
      ],
    })
    const { warnings, data } = await add(people('with-steps'))
    const consequence =
      'which the campaign’s steps use: nothing is sent to this prospect until every value is set'
    expect(warnings).toEqual([
      `data.0 has no value for company, ${consequence}`,
      `data.2 has no value for firstName, company, ${consequence}`,
    ])
    expect(listOutcomes({ data })).toEqual(['added', 'added', 'added', 'duplicate_in_request'])
    expect((await add(people('with-steps'))).warnings).toBeUndefined()
  })

  it.each(['kept', 'duplicate'] as const)(
    'reports the prospect that continues after a merge, even if the %s one changed last',
    async changed => {
      const { caller, add } = await makeAccountWithCampaign()
      const { data } = await add([{ email: 'ada@x.example' }, { email: 'ada@old.example' }])
      const [ada, old] = data
      await caller.call('mergePersons', { personId: ada!.personId!, duplicateIds: [old!.personId!] })
      const prospects = await app.owner<{ id: string; isDuplicate: boolean }[]>`
        select id, is_duplicate as "isDuplicate" from prospects where person_id = ${ada!.personId!}`
      const kept = prospects.find(({ isDuplicate }) => !isDuplicate)!
      const duplicate = prospects.find(({ isDuplicate }) => isDuplicate)!
      await app.owner`update prospects set updated_at = now() where id = ${{ kept, duplicate }[changed].id}`
      const again = await add([{ email: 'ada@x.example' }])
      expect(again.data).toMatchObject([{ outcome: 'already_in_campaign', prospectId: kept.id }])
      expect((await caller.call('getProspect', { prospectId: kept.id })).status).toBe('pending')
    },
  )

  it('returns the outcome of each element in the order of the request', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'blocked.example' }] })
    const before = await add([{ email: 'known@x.example' }])
    const response = await add([
      { email: 'ada@x.example', firstName: 'Ada', lastName: 'Byron', company: 'X', jobTitle: 'Countess' },
      { email: 'KNOWN@x.example' },
      { email: ' Ada@X.example ' },
      { email: 'eve@mail.blocked.example' },
      { firstName: 'Only', lastName: 'Named', company: 'Y' },
    ])
    expect(response).toMatchObject({ total: 5, added: 2, skipped: 3 })
    expect(response.data.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    expect(listOutcomes(response)).toEqual([
      'added',
      'already_in_campaign',
      'duplicate_in_request',
      'do_not_contact',
      'added',
    ])
    const [ada, known, again, eve] = response.data
    expect(known).toMatchObject({
      prospectId: before.data[0]?.prospectId,
      personId: before.data[0]?.personId,
    })
    expect(again).toMatchObject({ prospectId: ada?.prospectId, personId: ada?.personId })
    expect(eve).toEqual({
      index: 3,
      outcome: 'do_not_contact',
      reason: 'blocked.example is on the Do Not Contact list',
    })
    expect(await caller.call('getProspect', { prospectId: ada!.prospectId! })).toMatchObject({
      personId: ada!.personId,
      campaignId,
      status: 'pending',
      step: 0,
    })
    expect(await caller.call('getPerson', { personId: ada!.personId! })).toMatchObject({
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada@x.example',
      title: 'Countess',
      phone: null,
    })
    expect(await listPersons(caller)).toHaveLength(3)
  })

  it('rejects the whole request if one element is invalid, and names the element', async () => {
    const { caller, add } = await makeAccountWithCampaign()
    const errors: [Elements[number], string][] = [
      [{}, 'data.1'],
      [{ firstName: 'Ada', lastName: 'Byron' }, 'data.1'],
      [{ firstName: 'Ada', company: 'X', email: ' ' }, 'data.1'],
      [{ email: 'no address' }, 'data.1.email'],
      [{ email: 'ada@x.example', linkedinUrl: 'https://www.linkedin.com/company/x' }, 'data.1.linkedinUrl'],
      [{ email: 'ada@x.example', phone: '12' }, 'data.1.phone'],
      [{ phone: '020 7946 0018' }, 'data.1.phone'],
      [{ email: 'a'.repeat(321) }, 'data.1.email'],
    ]
    for (const [element, path] of errors) {
      await expect(add([{ email: 'good@x.example' }, element]), path).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path }],
      })
    }
    await expect(add([])).rejects.toMatchObject({ details: [{ path: 'data' }] })
    await expect(add(Array(21).fill({ email: 'a@x.example' }))).rejects.toMatchObject({
      details: [{ path: 'data' }],
    })
    expect(await listPersons(caller)).toEqual([])
  })

  it("reads national phone numbers as numbers of the account's country", async () => {
    const { caller, add } = await makeAccountWithCampaign()
    await caller.call('updateAccount', { defaultCountry: 'GB' })
    await add([{ phone: '020 7946 0018' }])
    expect((await listPersons(caller)).map(({ phone }) => phone)).toEqual(['+442079460018'])
  })

  it('ignores unknown keys, with a warning for each', async () => {
    const { caller, add } = await makeAccountWithCampaign()
    const response = await add([
      { email: 'a@x.example', website: 7, favourite: 'tea' },
      { email: 'b@x.example' },
    ])
    expect(response.warnings).toEqual([
      'data.0.website is an unknown field and was ignored',
      'data.0.favourite is an unknown field and was ignored',
    ])
    expect((await add([{ email: 'a@x.example' }])).warnings).toBeUndefined()
    expect(await listPersons(caller)).toHaveLength(2)
  })

  it('accepts draft, active and paused campaigns and explains why it rejects others', async () => {
    const { caller, campaignId, makeCampaign, add } = await makeAccountWithCampaign()
    expect((await add([{ email: 'draft@x.example' }])).added).toBe(1)
    for (const status of ['active', 'paused']) {
      await app.owner`update campaigns set status = ${status}, launched_at = now() where id = ${campaignId}`
      expect((await add([{ email: `${status}@x.example` }])).added).toBe(1)
    }
    await app.owner`update campaigns set status = 'completed' where id = ${campaignId}`
    await expect(add([{ email: 'late@x.example' }])).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringContaining('completed'),
    })
    const archived = await makeCampaign()
    await caller.call('archiveCampaign', { campaignId: archived })
    await expect(add([{ email: 'late@x.example' }], archived)).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringContaining('archived'),
    })
    await expect(add([{ email: 'late@x.example' }], randomUUIDv7())).rejects.toMatchObject({
      code: 'NotFound',
    })
    const stranger = await makeAccountWithCampaign()
    await expect(stranger.add([{ email: 'late@x.example' }], campaignId)).rejects.toMatchObject({
      code: 'NotFound',
    })
  })

  it('skips persons in another active campaign if the campaign is configured to', async () => {
    const { makeCampaign, add } = await makeAccountWithCampaign()
    const [busy, idle] = [await makeCampaign(), await makeCampaign()]
    await add([{ email: 'busy@x.example' }, { email: 'ended@x.example' }], busy)
    await add([{ email: 'idle@x.example' }], idle)
    await launch(busy)
    await app.owner`
      update prospects r set status = 'replied'
        from persons p where p.id = r.person_id and p.email = 'ended@x.example'`
    const data = ['busy', 'ended', 'idle', 'new'].map(name => ({ email: `${name}@x.example` }))
    const careful = await makeCampaign({ skipActiveElsewhere: true })
    expect(listOutcomes(await add(data, careful))).toEqual([
      'in_other_active_campaign',
      'added',
      'added',
      'added',
    ])
    expect(listOutcomes(await add(data))).toEqual(['added', 'added', 'added', 'added'])
  })

  it.each([
    ['email', { identifier: 'ADA@x.example' }],
    ['parent domain', { identifier: 'x.example' }],
    ['LinkedIn', { identifier: 'linkedin.com/in/Ada' }],
    ['phone', { identifier: '+44 20 7946 0018' }],
    ['SMS', { identifier: '+442079460018', identifierType: 'sms' as const }],
    ['WhatsApp', { identifier: '+442079460018', identifierType: 'whatsapp' as const }],
  ])('skips persons on the Do Not Contact list by %s, from the request or on file', async (_, entry) => {
    const { caller, makeCampaign, add } = await makeAccountWithCampaign()
    const contact = {
      email: 'ada@mail.x.example',
      linkedinUrl: 'https://uk.linkedin.com/in/ada',
      phone: '+442079460018',
    }
    if (entry.identifier.includes('@')) contact.email = 'ada@x.example'
    await add([contact])
    await caller.call('addOptOuts', { identifiers: [entry] })
    const another = await makeCampaign()
    for (const [field, value] of Object.entries(contact)) {
      expect(listOutcomes(await add([{ [field]: value }], another)), field).toEqual(['do_not_contact'])
    }
  })

  it('makes prospects due as soon as the campaign is active, and shows the time only then', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    const { data } = await add([{ email: 'ada@x.example' }])
    const prospectId = data[0]!.prospectId!
    expect((await caller.call('getProspect', { prospectId })).nextStepAt).toBeUndefined()
    await launch(campaignId)
    expect((await caller.call('getProspect', { prospectId })).nextStepAt).toBeDefined()
  })

  it('creates each person once when concurrent requests add the same ones', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    const everybody: Elements = [
      { email: 'ada@x.example', linkedinUrl: 'linkedin.com/in/ada' },
      { linkedinUrl: 'linkedin.com/in/ben-x', phone: '+442079460018' },
      { phone: '+442079460019' },
      { firstName: 'Cy', lastName: 'Named', company: 'Y' },
      { email: 'dee@y.example', company: 'Y' },
    ]
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => add([...everybody.slice(i % 5), ...everybody.slice(0, i % 5)])),
    )
    expect(responses.reduce((sum, { added }) => sum + added, 0)).toBe(5)
    expect(await listPersons(caller)).toHaveLength(5)
    expect((await caller.call('listProspects', { campaignId, limit: 100 })).data).toHaveLength(5)
    const companies = (await caller.call('listCompanies', { limit: 100 })).data
    expect(new Set(companies.map(({ name }) => name))).toEqual(new Set([null, 'Y']))
    expect(companies).toHaveLength(2)
  })

  it('writes one audit row per batch', async () => {
    const { caller, campaignId, add } = await makeAccountWithCampaign()
    await add([{ email: 'a@x.example' }, { email: 'b@x.example' }])
    const rows = await app.owner`
      select action, object_id from audit_log where account_id = ${caller.accountId} and object_type = 'campaign'`
    expect(rows.filter(row => row.action === 'add_prospects')).toEqual([
      { action: 'add_prospects', object_id: campaignId },
    ])
  })
})
