import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { makeWorld, type World } from '../support/contract/world.ts'

type Item = { id: string; updatedAt: string }
type ListPage = { data: Item[]; hasMore: boolean; next?: string; previous?: string }

const tables = {
  listProspects: 'prospects',
  listCampaigns: 'campaigns',
  listConversations: 'conversations',
  listEmailMessages: 'email_messages',
  listSnippets: 'snippets',
  listTasks: 'tasks',
  listCalls: 'calls',
  listPersons: 'persons',
  listCompanies: 'companies',
  listLinkedinMessages: 'linkedin_messages',
  listConsents: 'consents',
  listOptOuts: 'opt_outs',
}
const lists = Object.keys(operations).filter(
  (name): name is keyof typeof tables => 'updatedSince' in operations[name as OperationName].input.shape,
)

let app: TestApp
let owner: Caller
let world: World
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  world = await makeWorld(app, owner)
  await owner.call('createPerson', { email: 'joan@bletchley.example', company: 'Bletchley' })
  await owner.call('createSnippet', { name: 'Own', text: 'Hi' })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
  await owner.call('recordConsent', { phoneNumber: '+442079460994', kind: 'written', proof: 'Form' })
  const { personId, repId } = world
  await owner.call('logCall', { personId, repId, outcome: 'answered', phoneNumber: '+442079460990' })
})
afterAll(() => app[Symbol.asyncDispose]())

const longAgo = '2000-01-01T00:00:00Z'
const list = (who: Caller, name: OperationName, input: object) =>
  who.call(name, input as RawInput<typeof name>) as Promise<ListPage>

describe.each(lists)('%s with updatedSince', name => {
  const touch = (id: string, at: Date) =>
    app.owner`update ${app.owner.identifier(tables[name])} set updated_at = ${at} where id = ${id}`

  it('returns the rows changed since then, oldest change first', async () => {
    const [all] = await app.owner<{ ids: string[] }[]>`
      select array_agg(id order by id) as ids
        from ${app.owner.identifier(tables[name])} where account_id = ${owner.accountId}`
    const { data } = await list(owner, name, { updatedSince: longAgo, limit: 100 })
    expect(data.map(({ id }) => id).sort()).toEqual(all!.ids)
    expect(data.map(({ updatedAt }) => updatedAt)).toEqual(data.map(({ updatedAt }) => updatedAt).sort())
    const last = data.at(-1)!
    const since = new Date(Date.parse(last.updatedAt) + 60_000)
    expect((await list(owner, name, { updatedSince: since.toISOString() })).data).toEqual([])
    await touch(last.id, since)
    const changed = await list(owner, name, { updatedSince: since.toISOString() })
    expect(changed.data.map(({ id }) => id)).toEqual([last.id])
  })

  it('misses no change made while its pages are read, and can be paged backwards', async () => {
    const { data } = await list(owner, name, { updatedSince: longAgo, limit: 100 })
    const first = await list(owner, name, { updatedSince: longAgo, limit: 1 })
    expect(first.data).toEqual(data.slice(0, 1))
    const second = await list(owner, name, { cursor: first.next, limit: 1 })
    expect(second.data).toEqual(data.slice(1, 2))
    expect((await list(owner, name, { cursor: second.previous, limit: 1 })).data).toEqual(first.data)
    await touch(data[0]!.id, new Date(Date.now() + 3_600_000))
    const rest = await list(owner, name, { cursor: first.next, limit: 100 })
    expect(rest.data.map(({ id }) => id)).toEqual([...data.slice(1), data[0]!].map(({ id }) => id))
  })

  it('cannot be combined with other filters', async () => {
    const filters = {
      listCampaigns: { status: ['active'] },
      listProspects: { campaignId: world.campaignId },
      listCalls: { status: 'ended' },
      listPersons: { email: 'ada@navy.example' },
      listCompanies: { domain: 'navy.example' },
      listConsents: { phoneNumber: '+442079460990' },
      listOptOuts: { identifierType: 'email' },
    }
    const other = { repId: world.repId, ...(filters as Record<string, object>)[name] }
    const { shape } = operations[name].input
    const given = Object.fromEntries(Object.entries(other).filter(([field]) => field in shape))
    await expect(list(owner, name, { updatedSince: longAgo, ...given })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'updatedSince' }],
    })
  })
})

it.each(['listEmailMessages', 'listTasks', 'listCalls', 'listLinkedinMessages'] as const)(
  '%s shows members only the changes to rows of their own reps',
  async name => {
    const member = await makeCaller(app, 'member', owner.accountId)
    expect((await list(member, name, { updatedSince: longAgo })).data).toEqual([])
    await app.owner`update reps set owned_by_id = ${member.userId} where id = ${world.repId}`
    const { data } = await list(member, name, { updatedSince: longAgo, limit: 100 })
    expect(data).toEqual((await list(owner, name, { updatedSince: longAgo, limit: 100 })).data)
    await app.owner`update reps set owned_by_id = ${owner.userId} where id = ${world.repId}`
  },
)
