import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import type { RawInput } from '../../../../contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

type Element = RawInput<'addProspectsToCampaign'>['data'][number]

/** Creates an account that adds people, each call in its own request. */
async function makeAccount() {
  const caller = await makeCaller(app)
  const addPeople = async (...elements: Element[]) => {
    const { id } = await caller.call('createCampaign', { name: 'Spring' })
    const { data } = await caller.call('addProspectsToCampaign', { campaignId: id, data: elements })
    return data.map(({ personId }) => personId)
  }
  const person = (personId: string | undefined) => caller.call('getPerson', { personId: personId! })
  return { caller, addPeople, person }
}

const listCompanies = (caller: Caller) => caller.call('listCompanies', { limit: 100 }).then(page => page.data)

const ada = { firstName: 'Ada', lastName: 'Byron', company: 'Analytical' }
const email = 'ada@analytical.example'
const linkedinUrl = 'https://www.linkedin.com/in/ada-byron'
const phone = '+442079460018'

describe('a person', () => {
  it.each<[string, Element, Element]>([
    ['the email in another spelling', { email }, { email: 'Ada <ADA@Analytical.example>' }],
    [
      'the profile in another spelling',
      { linkedinUrl },
      { linkedinUrl: 'uk.linkedin.com/in/Ada-Byron/?trk=x' },
    ],
    ['the number in another spelling', { phone }, { phone: '+44 (0)20 7946 0018' }],
    [
      'name and company in another spelling',
      ada,
      { firstName: 'ADA', lastName: ' byron', company: 'analytical ' },
    ],
    ['a profile, with a new email', { linkedinUrl }, { linkedinUrl, email }],
    ['a profile, with a different email', { linkedinUrl, email }, { linkedinUrl, email: 'b@x.example' }],
    ['a number, with a new email', { phone }, { phone, email }],
    ['name and company, with a new email', ada, { ...ada, email }],
    ['name and a company known by its domain', { ...ada, email }, { ...ada, phone }],
    ['name and company, with a free-mail address', { ...ada, email: 'ada@gmail.com' }, { ...ada, phone }],
  ])('is identified by %s', async (_, first, second) => {
    const { addPeople } = await makeAccount()
    const [known] = await addPeople(first)
    expect(await addPeople(second)).toEqual([known])
  })

  it.each<[string, Element, Element]>([
    ['a number, when the addresses differ', { phone, email }, { phone, email: 'ben@analytical.example' }],
    [
      'a number, when the profiles differ',
      { phone, linkedinUrl },
      { phone, linkedinUrl: 'linkedin.com/in/ben-b' },
    ],
    [
      'name and company, when the addresses differ',
      { ...ada, email },
      { ...ada, email: 'ada.b@analytical.example' },
    ],
    ['a name at another company', ada, { ...ada, company: 'Engines' }],
    ['part of a name', { ...ada, email }, { firstName: 'Ada', company: 'Analytical', phone }],
    ['a plus-tag', { email }, { email: 'ada+x@analytical.example' }],
  ])('is not identified by %s', async (_, first, second) => {
    const { addPeople } = await makeAccount()
    const [known] = await addPeople(first)
    const [other] = await addPeople(second)
    expect(other).not.toBe(known)
    expect(await addPeople(first, second)).toEqual([known, other])
  })

  it('is identified by email, profile, number, or name and company, in this order', async () => {
    const { addPeople } = await makeAccount()
    const known = await addPeople({ email }, { linkedinUrl }, { phone }, ada)
    expect(new Set(known).size).toBe(4)
    expect(await addPeople(ada)).toEqual([known[3]])
    expect(await addPeople({ ...ada, phone })).toEqual([known[2]])
    expect(await addPeople({ ...ada, phone, linkedinUrl })).toEqual([known[1]])
    expect(await addPeople({ ...ada, phone, linkedinUrl, email })).toEqual([known[0]])
  })

  it('is the same for elements of one request that share an identifier', async () => {
    const { addPeople, person } = await makeAccount()
    const [first, second, third] = await addPeople(
      { email, phone },
      { email, linkedinUrl },
      { linkedinUrl, jobTitle: 'CTO' },
    )
    expect([second, third]).toEqual([first, first])
    expect(await person(first)).toMatchObject({ email, phone, linkedinUrl, title: 'CTO' })
  })

  it('is never found in another account', async () => {
    const [one, two] = [await makeAccount(), await makeAccount()]
    expect(await two.addPeople({ email })).not.toEqual(await one.addPeople({ email }))
  })
})

describe('a fact about an existing person', () => {
  it('fills an unknown field and never overwrites a known one', async () => {
    const { addPeople, person } = await makeAccount()
    const [id] = await addPeople({ email, firstName: 'Ada', jobTitle: 'Countess' })
    await addPeople({
      email,
      firstName: 'Augusta',
      lastName: 'King',
      jobTitle: 'CEO',
      linkedinUrl,
      phone,
      company: 'X',
    })
    const filled = await person(id)
    expect(filled).toMatchObject({
      firstName: 'Ada',
      lastName: 'King',
      title: 'Countess',
      email,
      linkedinUrl,
      phone,
    })
    expect(filled.companyId).toBeDefined()
    await addPeople({ email, phone: '+442079460999', linkedinUrl: 'linkedin.com/in/other-one', company: 'Y' })
    expect(await person(id)).toEqual({ ...filled, prospects: expect.anything() })
  })

  it('does not move an email or profile from the person who has it', async () => {
    const { addPeople, person } = await makeAccount()
    const [byEmail, byProfile] = await addPeople({ email }, { linkedinUrl })
    await addPeople({ email, linkedinUrl, jobTitle: 'Countess' })
    expect(await person(byEmail)).toMatchObject({ linkedinUrl: null, title: 'Countess' })
    expect(await person(byProfile)).toMatchObject({ email: null, title: null })
  })

  it('is not stored when the person is on the Do Not Contact list', async () => {
    const { caller, addPeople, person } = await makeAccount()
    const [id] = await addPeople({ email })
    await caller.call('addOptOuts', { identifiers: [{ identifier: email }] })
    await addPeople({ email, jobTitle: 'Countess' }, { email: 'new@analytical.example', linkedinUrl })
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'never.example' }] })
    await addPeople({ email: 'eve@never.example', company: 'Never' })
    expect(await person(id)).toMatchObject({ title: null })
    const persons = await caller.call('listPersons', { limit: 100 })
    expect(persons.data.map(found => found.email)).not.toContain('eve@never.example')
    expect((await listCompanies(caller)).map(({ name }) => name)).not.toContain('Never')
  })

  it('is stored as one line of visible text', async () => {
    const { addPeople, person } = await makeAccount()
    const [id] = await addPeople({
      email,
      firstName: 'A\u200bda\r\nBcc: x@x.example',
      lastName: '=1+1',
      jobTitle: 'Cafe\u0301',
    })
    expect(await person(id)).toMatchObject({
      firstName: 'Ada Bcc: x@x.example',
      lastName: '=1+1',
      title: 'Caf\u00e9',
    })
  })
})

describe('the company of a person', () => {
  it('is found by the domain of a business address, or else by name', async () => {
    const { caller, addPeople, person } = await makeAccount()
    const ids = await addPeople(
      { email: 'a@mail.analytical.example' },
      { email: 'b@analytical.example', company: 'Analytical' },
      { firstName: 'C', lastName: 'C', company: ' ANALYTICAL' },
      { email: 'd@gmail.com', company: 'Analytical' },
    )
    const [company, ...others] = await listCompanies(caller)
    expect(others).toEqual([])
    expect(company).toMatchObject({ name: 'Analytical', domain: 'analytical.example', industries: [] })
    for (const id of ids) expect((await person(id)).companyId).toBe(company?.id)
    expect(await caller.call('getCompany', { companyId: company!.id })).toEqual(company)
    expect((await caller.call('listCompanies', { domain: 'https://www.Analytical.example/' })).data).toEqual([
      company,
    ])
  })

  it('keeps its name and domain when different ones are added', async () => {
    const { caller, addPeople } = await makeAccount()
    await addPeople({ email: 'a@one.example', company: 'One' }, { email: 'b@one.example', company: 'Eins' })
    await addPeople({ email: 'c@two.example', company: 'One' })
    expect((await listCompanies(caller)).map(({ name, domain }) => [name, domain])).toEqual([
      ['One', 'one.example'],
    ])
  })

  it('is not derived from a free-mail address or from a colleague', async () => {
    const { caller, addPeople, person } = await makeAccount()
    const rep = await caller.call('createRep', { name: 'Rep' })
    await caller.call('createMailbox', { repId: rep.id, kind: 'sandbox', email: 'rep@ours.example' })
    const ids = await addPeople(
      { email: 'x@gmail.com' },
      { email: 'y@ours.example' },
      { email: 'z@sub.acme.example' },
    )
    for (const id of ids) expect((await person(id)).companyId).toBeUndefined()
    expect(await listCompanies(caller)).toEqual([])
  })
})
