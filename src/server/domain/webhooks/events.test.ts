import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { Output, RawInput } from '../../../contract/index.ts'
import { inAccount } from '../../kernel/context.ts'
import { signToken } from '../../kernel/crypto.ts'
import { deleteOldEvents, resetRestoredEvents } from './events.ts'

let app: TestApp
let owner: Caller
beforeAll(async () => {
  app = await openTestApp()
})
beforeEach(async () => {
  app.setNow(new Date())
  owner = await makeCaller(app)
})
afterAll(() => app[Symbol.asyncDispose]())

type Event = Output<'listEvents'>['data'][number]

const optOut = (...names: string[]) =>
  owner.call('addOptOuts', { identifiers: names.map(name => ({ identifier: `${name}@x.example` })) })
const list = (input: RawInput<'listEvents'> = {}) => owner.call('listEvents', input)
const getAddress = ({ data }: Event) => String(data.identifier).replace('@x.example', '')

/** Reads pages until this many events were found. Transactions of other tests delay events. */
async function read(count: number, input: RawInput<'listEvents'> = {}) {
  const events: Event[] = []
  let after = input.after
  await vi.waitFor(
    async () => {
      const page = await list({ ...input, ...(after && { after }) })
      after = page.next
      events.push(...page.data)
      expect(events.length).toBeGreaterThanOrEqual(count)
    },
    { timeout: 180_000, interval: 20 },
  )
  return { events, next: after! }
}

describe('the events of an account', () => {
  it('are listed oldest first, without a webhook, in pages that continue where the last ended', async () => {
    for (const name of ['a', 'b', 'c']) await optOut(name)
    const { events, next } = await read(3, { limit: 2 })
    expect(events.map(getAddress)).toEqual(['a', 'b', 'c'])
    expect(events[0]).toMatchObject({
      objectType: 'event',
      type: 'opt_out.added',
      data: { objectType: 'communication_opt_out', identifierType: 'email' },
    })
    expect(await list({ after: next })).toMatchObject({ data: [], hasMore: false })
    await optOut('d')
    expect((await read(1, { after: next })).events.map(getAddress)).toEqual(['d'])
  })

  it('never appear before a position that was read, even if their transaction commits late', async () => {
    const { next } = await list({ after: 'latest' })
    const written = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const late = inAccount(app.db.app, owner.accountId, async tx => {
      await tx`
        insert into opt_outs (account_id, id, kind, value)
        values (${owner.accountId}, gen_random_uuid(), 'email', 'late@x.example')`
      written.resolve()
      await mayCommit.promise
    })
    await written.promise
    await optOut('early')
    const during = await list({ after: next })
    expect(during.data).toEqual([])
    mayCommit.resolve()
    await late
    const { events } = await read(2, { after: during.next })
    expect(events.map(getAddress)).toEqual(['late', 'early'])
  })

  it('are each listed exactly once while many are written', async () => {
    const { next } = await list({ after: 'latest' })
    const names = Array.from({ length: 60 }, (_, n) => `n${n}`)
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, worker) => {
        for (const name of names.slice(worker * 10, worker * 10 + 10)) await optOut(name)
      }),
    )
    const { events } = await read(60, { after: next, limit: 7 })
    await writing
    expect(events.map(getAddress).sort()).toEqual(names.toSorted())
  })

  it('can be limited to types and families', async () => {
    await optOut('a')
    await owner.call('createCampaign', { name: 'Spring' })
    expect((await read(1, { types: ['campaign.*'] })).events).toMatchObject([{ type: 'campaign.created' }])
    expect((await read(1, { types: ['opt_out.added'] })).events.map(getAddress)).toEqual(['a'])
    expect((await read(2, { types: ['*'] })).events).toHaveLength(2)
  })

  it('have the IDs that webhooks send', async () => {
    await owner.call('createWebhook', { url: 'https://crm.acme.example/hook', eventTypes: ['*'] })
    await optOut('a')
    const [event] = (await read(1)).events
    const [delivery] = await app.owner`
      select event_id as id from webhook_deliveries where account_id = ${owner.accountId}`
    expect(event!.id).toBe(delivery!.id)
  })

  it('can be read by admins, only from their account and with its positions', async () => {
    const { next } = await list({ after: 'latest' })
    const other = await makeCaller(app)
    await optOut('a')
    await read(1)
    expect((await other.call('listEvents', {})).data).toEqual([])
    const invalid = { code: 'ValidationError', details: [{ path: 'after' }] }
    await expect(other.call('listEvents', { after: next })).rejects.toMatchObject(invalid)
    await expect(list({ after: `${next}x` })).rejects.toMatchObject(invalid)
    const manager = await makeCaller(app, 'manager', owner.accountId)
    await expect(manager.call('listEvents', {})).rejects.toMatchObject({ code: 'Forbidden' })
  })

  it('are deleted after 30 days, and a position that old is rejected, because events may be missing', async () => {
    await optOut('old')
    const { next } = await read(1)
    await deleteOldEvents(app.db.engine, app.now())
    expect((await list()).data).toHaveLength(1)
    app.setNow(new Date(Date.now() + 30 * 86_400_000 + 60_000))
    await deleteOldEvents(app.db.engine, app.now())
    expect((await list()).data).toEqual([])
    await expect(list({ after: next })).rejects.toThrow('older than 30 days')
  })

  it('survive a restore into another server, whose transaction IDs start again', async () => {
    for (const name of ['a', 'b']) await optOut(name)
    await read(2)
    // As if the old server had run many more transactions.
    await app.owner`
      update events set tx = (pg_current_xact_id()::text::bigint + 1000000 + position)::text::xid8
       where account_id = ${owner.accountId}`
    expect((await list()).data).toEqual([])
    await resetRestoredEvents(app.db.engine)
    await optOut('c')
    expect((await read(3)).events.map(getAddress)).toEqual(['a', 'b', 'c'])
    const ahead = signToken(app.keys, `events ${owner.accountId}`, `${2n ** 60n} 1 ${Date.now()}`)
    await expect(list({ after: ahead })).rejects.toThrow('before the database was restored')
  })
})
