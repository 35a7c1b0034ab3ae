import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeReply } from '../../../../test/support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../../../../test/support/mail/correspondence.ts'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-23T09:00:00.000Z')
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

type Caller = Awaited<ReturnType<typeof makeCaller>>

/** Creates an account with these persons, oldest first. */
async function makeAccount(...persons: Parameters<typeof createPerson>[1][]) {
  const caller = await makeCaller(app)
  for (const person of persons) await createPerson(caller, person)
  return caller
}

const createPerson = (
  caller: Caller,
  person: { firstName?: string; lastName?: string; email?: string; phone?: string; company?: string },
) => caller.call('createPerson', person)

const findNames = async (caller: Caller, query: string) =>
  (await caller.call('search', { query })).persons.map(({ name }) => name)

const listNames = async (caller: Caller, query: string) =>
  (await caller.call('listPersons', { query, limit: 100 })).data.map(({ firstName }) => firstName)

describe('people', () => {
  it.each([
    ['part of a name', 'vela'],
    ['a name without its accents and case', 'JOSE velasquez'],
    ['the names in any order', 'Velásquez José'],
    ['the beginning of a short name', 'jo'],
    ['part of an email address', 'jv@books'],
    ['digits of a phone number, as written', '(020) 7946-0018'],
    ['the company', 'buchladen'],
    ['the company and a name', 'josé buch'],
    ['a misspelled word', 'Velasqez'],
    ['words with punctuation between them', "jose, & 'velasquez' %"],
  ])('are found by %s', async (_what, query) => {
    const caller = await makeAccount(
      {
        firstName: 'José',
        lastName: 'Velásquez',
        email: 'jv@books.example',
        phone: '+442079460018',
        company: 'Der Buchladen',
      },
      { firstName: 'Ben', lastName: 'Miller', email: 'ben@x.example', company: 'Mill Works' },
    )
    expect(await findNames(caller, query)).toEqual(['José Velásquez'])
    expect(await listNames(caller, query)).toEqual(['José'])
  })

  it('are found with their latest prospects', async () => {
    const caller = await makeAccount()
    const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
    const prospects = { campaignId, data: [{ firstName: 'Ada', email: 'ada@x.example' }] }
    const { data } = await caller.call('addProspectsToCampaign', prospects)
    expect((await caller.call('search', { query: 'ada' })).persons).toMatchObject([
      { prospects: [{ id: data[0]!.prospectId, campaign: 'Spring', status: 'pending' }] },
    ])
  })

  it('come first if their names begin with the query', async () => {
    const caller = await makeAccount(
      { firstName: 'Annabel', email: 'a@x.example' },
      { firstName: 'Johanna', email: 'j@x.example' },
    )
    expect(await findNames(caller, 'anna')).toEqual(['Annabel', 'Johanna'])
  })

  it('are found by a changed name immediately, and no longer by the old one', async () => {
    const caller = await makeAccount({ firstName: 'Ada', lastName: 'Byron', email: 'ada@x.example' })
    const { data } = await caller.call('listPersons', { query: 'byron' })
    await caller.call('updatePerson', { personId: data[0]!.id, lastName: 'Lovelace', email: 'ada@y.example' })
    expect(await findNames(caller, 'byron')).toEqual([])
    expect(await findNames(caller, 'lovelace')).toEqual(['Ada Lovelace'])
  })

  it('are never found from another account', async () => {
    await makeAccount({ firstName: 'Zacharias', email: 'zacharias@x.example' })
    const other = await makeAccount({ firstName: 'Ben', email: 'ben@x.example' })
    expect(await findNames(other, 'zacharias')).toEqual([])
    expect(await listNames(other, 'zacharias')).toEqual([])
  })

  it('are paged, newest first, when there are more matches than the index returns', async () => {
    const caller = await makeCaller(app)
    const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
    const rows = Array.from({ length: 1_005 }, (_, n) => `Anna${n},a${n}@x.example`)
    await caller.call('importProspects', { campaignId, csv: ['First name,Email', ...rows].join('\n') })
    await createPerson(caller, { firstName: 'Ben', email: 'ben@x.example' })
    const readAll = async (filters: { query?: string }) => {
      const names: string[] = []
      let page = await caller.call('listPersons', { ...filters, limit: 100 })
      for (;;) {
        names.push(...page.data.map(({ firstName }) => firstName!))
        if (!page.next) return names
        page = await caller.call('listPersons', { cursor: page.next })
      }
    }
    const found = await readAll({ query: 'anna' })
    expect(found).toHaveLength(1_005)
    expect(['Ben', ...found]).toEqual(await readAll({}))
    expect(await findNames(caller, 'anna')).toHaveLength(5)
    expect(await listNames(caller, 'anna99')).toHaveLength(11)
  })
})

describe('a query', () => {
  it.each(['', ' ', '%', '_ & |', '!!!'])('is rejected without a letter or digit: %j', async query => {
    const caller = await makeCaller(app)
    await expect(caller.call('search', { query })).rejects.toMatchObject({ details: [{ path: 'query' }] })
  })

  it.each([
    "'; drop table persons; --",
    'a:*',
    'a & !b',
    '\\',
    '%a%',
    '😀 a',
    '<->a',
    "''a",
    'a\\',
    'ʼ',
    '0',
  ])('is never read as SQL, a pattern or a search expression (%s)', async query => {
    const caller = await makeAccount({ firstName: 'Ben', email: 'ben@x.example' })
    const search = caller.call('search', { query })
    await (/[\p{L}\p{N}]/u.test(query)
      ? expect(search).resolves.toMatchObject({ companies: [], campaigns: [], conversations: [] })
      : expect(search).rejects.toMatchObject({ code: 'ValidationError' }))
  })
})

it('search finds companies by name and domain, and campaigns by name', async () => {
  const caller = await makeAccount({ email: 'ada@analytical.example', company: 'Engines Ltd' })
  const { id } = await caller.call('createCampaign', { name: 'Spring engines' })
  const found = { companies: [{ name: 'Engines Ltd', domain: 'analytical.example' }] }
  expect(await caller.call('search', { query: 'analytical' })).toMatchObject({ ...found, campaigns: [] })
  expect(await caller.call('search', { query: 'engin' })).toMatchObject({
    ...found,
    campaigns: [{ id, status: 'draft' }],
  })
})

/** Creates an account with this reply and this LinkedIn message. */
async function makeConversation(text: string, linkedinText: string) {
  const written = await post.write(1, [{ subject: 'Hello', body: 'Hi {{ firstName }}, unicorns await' }])
  const { owner, campaignId, sent } = written
  await post.workAfter(60_000)
  const [mail] = await sent()
  await written.receive(makeReply(mail!, text))
  await post.workAfter(60_000)
  const { data } = await owner.call('listProspects', { campaignId })
  await owner.call('recordLinkedinMessage', { prospectId: data[0]!.id, type: 'received', text: linkedinText })
  return { owner, prospectId: data[0]!.id }
}

describe('conversations', () => {
  it('are found by words in messages that somebody wrote, newest first; campaign emails are not searched', async () => {
    const { owner, prospectId } = await makeConversation(
      'Yes, the Überholung suits us.',
      'Überholung? Gladly.',
    )
    const search = async (query: string) => (await owner.call('search', { query })).conversations
    const all = await search('uberhol')
    expect(all.map(({ text }) => text)).toEqual(['Überholung? Gladly.', 'Yes, the Überholung suits us.'])
    expect(all).toMatchObject([
      { linkedinConversationId: expect.any(String), prospectId },
      { emailThreadId: expect.any(String), subject: expect.stringContaining('Hello'), prospectId },
    ])
    expect(await search('suits überholung')).toHaveLength(1)
    expect(await search('unicorns')).toEqual([])
  })

  it('are found only if they are at most 24 months old', async () => {
    const { owner } = await makeConversation('A pangolin, please.', 'Hello')
    const now = app.now()
    app.setNow('2028-11-24T09:00:00.000Z')
    expect((await owner.call('search', { query: 'pangolin' })).conversations).toEqual([])
    app.setNow(now.toISOString())
    expect((await owner.call('search', { query: 'pangolin' })).conversations).toHaveLength(1)
  })

  it("are not shown to a member if they belong to other users' reps", async () => {
    const { owner } = await makeConversation('The ocelot agrees.', 'An ocelot!')
    const member = await makeCaller(app, 'member', owner.accountId)
    expect((await member.call('search', { query: 'ocelot' })).conversations).toEqual([])
  })
})
