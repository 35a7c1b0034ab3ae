import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a company', () => {
  it('is created in canonical form, and persons with its domain join it', async () => {
    const caller = await makeCaller(app)
    const { id, ...created } = await caller.call('createCompany', {
      ...{ name: ' Analytical\u200b Engines ', domain: 'https://www.Analytical.example/about' },
      ...{ website: 'analytical.example', industries: ['Manufacturing'], city: 'London' },
    })
    expect(created).toMatchObject({
      ...{ name: 'Analytical Engines', domain: 'analytical.example', website: 'https://analytical.example/' },
      ...{ industries: ['Manufacturing'], city: 'London', country: null },
    })
    expect(created).not.toHaveProperty('custom')
    const ada = await caller.call('createPerson', { firstName: 'Ada', email: 'ada@analytical.example' })
    expect(ada).toMatchObject({ companyId: id, company: 'Analytical Engines' })
  })

  it('exists once per domain, and once per name unless the domains differ', async () => {
    const caller = await makeCaller(app)
    const { id } = await caller.call('createCompany', { name: 'Acme', domain: 'acme.example' })
    for (const same of [{ name: 'Other', domain: 'acme.example' }, { name: ' ACME ' }])
      await expect(caller.call('createCompany', same)).rejects.toMatchObject({
        code: 'Conflict',
        details: [{ path: 'companyId', message: id }],
      })
    const other = await caller.call('createCompany', { name: 'Acme', domain: 'acme-tools.example' })
    await expect(
      caller.call('updateCompany', { companyId: other.id, domain: 'acme.example' }),
    ).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining(id) })
    const results = await Promise.allSettled(
      [1, 2].map(() => caller.call('createCompany', { name: 'Twice', domain: 'twice.example' })),
    )
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it.each([
    ['domain', 'gmail.com'],
    ['domain', 'not a domain'],
    ['website', 'javascript:alert(1)'],
    ['custom', { unknown: 'x' }],
  ])('is rejected with an invalid %s: %j', async (field, value) => {
    const caller = await makeCaller(app)
    await expect(
      caller.call('createCompany', { name: 'Acme', [field]: value } as { name: string }),
    ).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: expect.stringContaining(field) }] })
  })

  it('keeps the fields that an update omits; null clears a field', async () => {
    const caller = await makeCaller(app)
    const { id: companyId } = await caller.call('createCompany', {
      ...{ name: 'Acme', domain: 'acme.example', city: 'Leeds', industries: ['Tools'] },
    })
    const changed = await caller.call('updateCompany', { companyId, city: null, country: 'UK' })
    expect(changed).toMatchObject({
      ...{ name: 'Acme', domain: 'acme.example', city: null, country: 'UK', industries: ['Tools'] },
    })
    const { data } = await caller.call('listAuditLog', {})
    expect(data[0]).toMatchObject({ action: 'update', auditedType: 'company', auditedId: companyId })
  })

  it('is found by its new name, as are the people who work there', async () => {
    const caller = await makeCaller(app)
    const ada = await caller.call('createPerson', { email: 'ada@acme.example', company: 'Acme' })
    await caller.call('updateCompany', { companyId: ada.companyId!, name: 'Zenith' })
    const found = await caller.call('search', { query: 'zenith' })
    expect(found).toMatchObject({ companies: [{ name: 'Zenith' }], persons: [{ id: ada.id }] })
  })

  it('is unknown to other accounts', async () => {
    const caller = await makeCaller(app)
    const { id } = await caller.call('createCompany', { name: 'Acme', domain: 'acme.example' })
    const stranger = await makeCaller(app)
    for (const companyId of [id, randomUUIDv7()])
      await expect(stranger.call('updateCompany', { companyId, city: 'X' })).rejects.toMatchObject({
        code: 'NotFound',
      })
    await stranger.call('createCompany', { name: 'Acme', domain: 'acme.example' })
  })
})

describe("a company's custom fields", () => {
  const tier = { key: 'tier', label: 'Tier', appliesTo: 'company', type: 'text' } as const

  it('are separate from those of persons', async () => {
    const caller = await makeCaller(app)
    expect(await caller.call('createCustomField', tier)).toMatchObject(tier)
    await caller.call('createCustomField', { key: 'hobby', label: 'Hobby', type: 'text' })
    const ada = await caller.call('createPerson', { email: 'ada@acme.example', company: 'Acme' })
    const companyId = ada.companyId!
    expect((await caller.call('updateCompany', { companyId, custom: { tier: 'Gold' } })).custom).toEqual({
      tier: 'Gold',
    })
    await expect(
      caller.call('updateCompany', { companyId, custom: { hobby: 'Falconry' } }),
    ).rejects.toMatchObject({ details: [{ path: 'custom.hobby', message: expect.stringContaining('tier') }] })
    await expect(
      caller.call('updatePerson', { personId: ada.id, custom: { tier: 'Gold' } }),
    ).rejects.toMatchObject({ details: [{ path: 'custom.tier', message: expect.stringContaining('hobby') }] })
  })

  it('fill templates, and a missing value holds the step until it is set', async () => {
    const caller = await makeCaller(app)
    const { id: customFieldId } = await caller.call('createCustomField', tier)
    const { id: repId } = await caller.call('createRep', { name: 'Grace', ownedById: caller.userId })
    await caller.call('createMailbox', {
      ...{ repId, kind: 'sandbox', email: 'grace@overture.example', senderName: 'Grace' },
    })
    await caller.call('updateAccount', { postalAddress: '1 High Street', optOutLine: 'Write stop' })
    const { id: campaignId } = await caller.call('createCampaign', {
      ...{ name: 'Spring', repIds: [repId] },
      steps: [{ subject: 'Hello', body: 'You are {{ tier }} customers' }],
    })
    const { data } = await caller.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'ada@acme.example', company: 'Acme' }, { email: 'ben@other.example' }],
    })
    const [ada] = data
    const { companyId } = await caller.call('getPerson', { personId: ada!.personId! })
    await expect(caller.call('launchCampaign', { campaignId })).rejects.toMatchObject({ code: 'Conflict' })
    await caller.call('updateCompany', { companyId: companyId!, custom: { tier: 'Gold' } })
    expect(await caller.call('launchCampaign', { campaignId })).toMatchObject({ incomplete: { total: 1 } })
    const { prospectId } = ada!
    const preview = await caller.call('previewCampaign', { campaignId, prospectId: prospectId! })
    expect(preview.text).toContain('You are Gold customers')

    const getStatus = async (id: string) => (await caller.call('getProspect', { prospectId: id })).status
    const ben = data[1]!
    expect(await getStatus(ben.prospectId!)).toBe('failed')
    const { companyId: otherId } = await caller.call('getPerson', { personId: ben.personId! })
    await caller.call('updateCompany', { companyId: otherId!, custom: { tier: 'Silver' } })
    expect(await getStatus(ben.prospectId!)).toBe('pending')

    await expect(caller.call('deleteCustomField', { customFieldId })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })

  it('are deleted with their field', async () => {
    const caller = await makeCaller(app)
    const { id: customFieldId } = await caller.call('createCustomField', tier)
    const { id: companyId } = await caller.call('createCompany', { name: 'Acme', custom: { tier: 'Gold' } })
    await caller.call('deleteCustomField', { customFieldId })
    expect(await caller.call('getCompany', { companyId })).not.toHaveProperty('custom')
  })
})

it.each([
  [
    'an import',
    caller => caller.call('importPersons', { csv: 'Email,Company\ncy@babbage.example,Babbage\n' }),
  ],
  [
    'a new colleague',
    caller => caller.call('createPerson', { email: 'cy@babbage.example', company: 'Babbage' }),
  ],
  [
    'a change of a person’s employer',
    (caller, personId) =>
      caller.call('updatePerson', { personId, company: 'Babbage', website: 'babbage.example' }),
  ],
  [
    'a prospect of another campaign',
    async caller => {
      const { id: campaignId } = await caller.call('createCampaign', { name: 'Autumn' })
      const data = [{ email: 'cy@babbage.example', company: 'Babbage' }]
      await caller.call('addProspectsToCampaign', { campaignId, data })
    },
  ],
] as [string, (caller: Caller, personId: string) => Promise<unknown>][])(
  'the sequences of people at a company continue once %s fills in the missing company name',
  async (_, fillName) => {
    const caller = await makeCaller(app)
    const { id: repId } = await caller.call('createRep', { name: 'Grace' })
    const { id: campaignId } = await caller.call('createCampaign', {
      ...{ name: 'Spring', repIds: [repId] },
      steps: [{ channel: 'task', body: 'Write to {{ company }}' }],
    })
    const { data } = await caller.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'ada@babbage.example' }, { email: 'ben@other.example', company: 'Other' }],
    })
    await caller.call('launchCampaign', { campaignId })
    const prospectId = data[0]!.prospectId!
    expect(await caller.call('getProspect', { prospectId })).toMatchObject({
      ...{ status: 'failed', statusReason: 'missing_variable: company' },
    })
    await fillName(caller, data[1]!.personId!)
    expect(await caller.call('getProspect', { prospectId })).toMatchObject({ status: 'pending' })
  },
)
