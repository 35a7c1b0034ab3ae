import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import type { RawInput } from '../../../../contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('an import of persons', () => {
  const csv = [
    'First Name;Email;Company;Plan;Notes',
    'Ada;ada@analytical.example;Analytical;Team;x',
    'Grace;grace@navy.example;Navy;;y',
    'Nobody;not an address;;;',
    'Ada;ADA@analytical.example;;Free;',
    'Eve;eve@rival.example;;;',
    ';;;;',
  ].join('\n')

  it('creates people, fills in empty fields, reports every row and returns IDs', async () => {
    const { call } = await makeCaller(app)
    const { id: repId } = await call('createRep', {
      name: 'Rep',
      ownedById: (await call('getMe', {})).user.id,
    })
    const { id: otherRepId } = await call('createRep', {
      name: 'Other',
      ownedById: (await call('getMe', {})).user.id,
    })
    const { id: graceId } = await call('createPerson', {
      ...{ email: 'grace@navy.example', lastName: 'Hopper', ownerRepId: otherRepId },
    })
    await call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const input = {
      ...{ csv, customColumns: { Plan: 'plan' }, createCustomFields: true },
      ...{ tags: ['Fair', 'fair'], ownerRepId: repId },
    }
    const result = await call('importPersons', input)
    expect(result).toMatchObject({
      ...{ total: 5, created: 1, updated: 1, skipped: 2, invalid: 1, ignoredColumns: ['Notes'] },
      columns: { Email: 'email', Plan: 'custom.plan' },
      persons: [
        { line: 2, outcome: 'created' },
        { line: 3, outcome: 'updated', personId: graceId },
        { line: 5, outcome: 'duplicate' },
      ],
      issues: [
        { line: 4, outcome: 'invalid', reason: 'email: must be a valid email address' },
        { line: 6, outcome: 'do_not_contact', reason: expect.stringContaining('rival.example') },
      ],
    })
    const adaId = result.persons[0]!.personId!
    expect(result.persons[2]!.personId).toBe(adaId)
    expect(await call('getPerson', { personId: adaId })).toMatchObject({
      ...{
        firstName: 'Ada',
        company: 'Analytical',
        custom: { plan: 'Team' },
        tags: ['Fair'],
        ownerRepId: repId,
      },
    })
    expect(await call('getPerson', { personId: graceId })).toMatchObject({
      ...{ firstName: 'Grace', lastName: 'Hopper', tags: ['Fair'], ownerRepId: otherRepId },
    })
    expect((await call('listPersons', { tag: 'fair' })).data).toHaveLength(2)
    expect((await call('listPersons', {})).data).toHaveLength(2)
    expect(await call('importPersons', input)).toMatchObject({
      created: 0,
      updated: 0,
      skipped: 4,
      invalid: 1,
    })
  })

  it('accepts rows with custom fields, and rejects only the rows with unknown ones', async () => {
    const { call } = await makeCaller(app)
    await call('createCustomField', { key: 'seats', label: 'Seats', type: 'number' })
    const rows: RawInput<'importPersons'>['rows'] = [
      { firstName: 'Ada', lastName: 'Byron', company: 'Analytical', custom: { seats: '12' } },
      { email: 'grace@navy.example', custom: { seats: 'many' } },
      { email: 'jean@eniac.example', custom: { color: 'blue' } },
    ]
    expect(await call('importPersons', { rows })).toMatchObject({
      ...{ total: 3, created: 1, invalid: 2 },
      issues: [
        { line: 2, reason: 'custom.seats: must be a number' },
        { line: 3, reason: expect.stringContaining('custom.color: unknown field') },
      ],
    })
    expect(await call('importPersons', { rows, createCustomFields: true })).toMatchObject({
      created: 1,
      invalid: 1,
    })
  })

  it('requires exactly one source, and rejects unknown columns and reserved keys of custom fields', async () => {
    const owner = await makeCaller(app)
    for (const input of [{}, { csv, rows: [{ email: 'a@b.example' }] }, { rows: [{}], map: { A: 'email' } }])
      await expect(owner.call('importPersons', input)).rejects.toMatchObject({ code: 'ValidationError' })
    await expect(owner.call('importPersons', { csv, customColumns: { Nowhere: 'x' } })).rejects.toMatchObject(
      {
        details: [{ path: 'customColumns.Nowhere' }],
      },
    )
    await expect(
      owner.call('importPersons', { csv, customColumns: { Plan: 'company' }, createCustomFields: true }),
    ).rejects.toMatchObject({ code: 'ValidationError' })
    expect((await owner.call('listPersons', {})).data).toEqual([])
  })

  it('rejects rows of people who would have more than 50 tags, and changes nothing for them', async () => {
    const { call } = await makeCaller(app)
    const { id: personId } = await call('createPerson', { email: 'ada@x.example' })
    const many = Array.from({ length: 49 }, (_, n) => `Fair ${n}`)
    await call('assignTags', { entityType: 'person', entityId: personId, tags: many })
    const rows = [
      { email: 'ada@x.example', firstName: 'Ada' },
      { email: 'grace@x.example' },
      { email: 'ADA@x.example' },
    ]
    const result = await call('importPersons', { rows, tags: ['Expo', 'Summit', 'fair 1'] })
    const reason = 'tags: the person would have more than 50 tags; remove some first'
    expect(result).toMatchObject({
      ...{ created: 1, updated: 0, invalid: 2, persons: [{ line: 2, outcome: 'created' }] },
      issues: [1, 3].map(line => ({ line, outcome: 'invalid', reason })),
    })
    expect(await call('getPerson', { personId })).toMatchObject({ firstName: null, tags: many })
    expect(await call('importPersons', { rows, tags: ['Expo', 'fair 1'] })).toMatchObject({
      ...{ invalid: 0, updated: 1 },
    })
    expect((await call('getPerson', { personId })).tags).toHaveLength(50)
    expect((await call('listPersons', { tag: 'Expo' })).data).toHaveLength(2)
  })

  it('reports the outcome of each row in a dry run and changes nothing', async () => {
    const { call } = await makeCaller(app)
    const grace = await call('createPerson', { email: 'grace@navy.example' })
    await call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const input = {
      ...{ csv, customColumns: { Plan: 'plan' }, tags: ['Fair'] },
      customFields: [{ key: 'plan', label: 'Current plan', type: 'choice' as const, choices: ['Team'] }],
    }
    const preview = await call('importPersons', { ...input, dryRun: true })
    expect(preview).toMatchObject({
      ...{ total: 5, created: 1, updated: 1, skipped: 1, invalid: 2 },
      persons: [
        { line: 2, outcome: 'created' },
        { line: 3, outcome: 'updated', personId: grace.id },
      ],
    })
    expect(preview.persons[0]).not.toHaveProperty('personId')
    expect((await call('listPersons', {})).data).toEqual([grace])
    expect((await call('listCustomFields', {})).data).toEqual([])
    expect((await call('listTags', {})).data).toEqual([])
    const { persons, ...result } = await call('importPersons', input)
    const { persons: expected, ...counts } = preview
    expect(result).toEqual(counts)
    expect(persons.map(({ line, outcome }) => [line, outcome])).toEqual(
      expected.map(({ line, outcome }) => [line, outcome]),
    )
    expect((await call('listCustomFields', {})).data).toMatchObject([
      { key: 'plan', label: 'Current plan', type: 'choice', choices: ['Team'], appliesTo: 'person' },
    ])
    // Existing fields are not changed.
    await call('importPersons', {
      ...input,
      customFields: [{ key: 'plan', label: 'Plan', type: 'text' }],
    })
    expect((await call('listCustomFields', {})).data).toMatchObject([{ key: 'plan', type: 'choice' }])
  })

  it('reads thousands of rows in one transaction', async () => {
    const { call } = await makeCaller(app)
    const many = `Email\n${Array.from({ length: 3_000 }, (_, n) => `p${n}@x.example`).join('\n')}\n`
    const { persons, ...result } = await call('importPersons', { csv: many, tags: ['All'] })
    expect(result).toMatchObject({ total: 3_000, created: 3_000 })
    expect(new Set(persons.map(({ personId }) => personId)).size).toBe(3_000)
  })
})

it('a person’s company is set by ID, or found or created by name and domain', async () => {
  const { call } = await makeCaller(app)
  const { id: personId, companyId } = await call('createPerson', {
    ...{ email: 'ada@gmail.com', company: 'Analytical', website: 'https://www.analytical.example' },
  })
  const changeCompany = async (input: object) => {
    const person = await call('updatePerson', { personId, ...input })
    return [person.company, person.companyId === companyId]
  }
  expect(await changeCompany({ companyId: null })).toEqual([undefined, false])
  expect(await changeCompany({ website: 'analytical.example' })).toEqual(['Analytical', true])
  expect(await changeCompany({ company: 'Navy' })).toEqual(['Navy', false])
  expect(await changeCompany({ company: ' analytical ' })).toEqual(['Analytical', true])
  expect((await call('listCompanies', {})).data).toHaveLength(2)
  const other = await call('createPerson', { firstName: 'Grace', lastName: 'Hopper', companyId: companyId! })
  expect(other).toMatchObject({ companyId, company: 'Analytical' })
  await expect(call('updatePerson', { personId, companyId: personId })).rejects.toMatchObject({
    details: [{ path: 'companyId' }],
  })
  await expect(changeCompany({ companyId, company: 'Navy' })).rejects.toMatchObject({
    code: 'ValidationError',
  })
  await expect(changeCompany({ website: 'gmail.com' })).rejects.toMatchObject({
    details: [{ path: 'website' }],
  })
})
