import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

type Received = { id: string; event: string; data: { lists: string[]; ids?: Record<string, string[]> } }

/** Opens a stream; `next` returns its next event, or undefined at its end. */
async function openStream(headers: Record<string, string>, query = '') {
  const abort = new AbortController()
  const response = await fetch(`${server.url}/v1/session/events${query}`, { headers, signal: abort.signal })
  const chunks = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Received | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const fields = Object.fromEntries(lines.map(line => line.split(/: (.*)/s).slice(0, 2)))
        if (fields.data) return { ...fields, data: JSON.parse(fields.data) } as Received
        continue
      }
      const { value, done } = await chunks.read()
      if (done) return undefined
      text += value
    }
  }
  return { response, next, [Symbol.dispose]: () => abort.abort() }
}

// Each test has its own account, because streams of earlier tests may still be closing.
const makeOwner = () => makeCaller(server.app, 'owner')
const asToken = async (caller: Caller) => ({ authorization: `Bearer ${await server.createToken(caller)}` })
const asSession = async (caller: Caller) => ({ cookie: await server.createCookie(caller) })
const makeCampaign = async (caller: Caller) => (await caller.call('createCampaign', { name: 'Spring' })).id

async function makeTask(caller: Caller) {
  const { id: repId } = await caller.call('createRep', { name: 'Ada', ownedById: caller.userId })
  const { id: personId } = await caller.call('createPerson', { firstName: 'Ada', phone: '+442079460001' })
  const dueAt = '2026-12-01T09:00:00Z'
  await caller.call('createTask', { channel: 'call', title: 'Call', dueAt, personId, repId })
}

it('an event stream reports immediately that it is open, and then which lists have changed, with the IDs of the objects', async () => {
  const owner = await makeOwner()
  using stream = await openStream(await asSession(owner))
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  expect(await stream.next()).toMatchObject({ event: 'changes', data: { lists: [] } })
  const campaignId = await makeCampaign(owner)
  expect(await stream.next()).toMatchObject({
    data: { lists: ['campaigns'], ids: { campaigns: [campaignId] } },
  })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'never@acme.example' }] })
  expect((await stream.next())?.data.lists).toEqual(['optOuts'])
})

it('an event stream continues after the last event that the client has received', async () => {
  const owner = await makeOwner()
  const headers = await asToken(owner)
  using first = await openStream(headers)
  const { id } = (await first.next())!
  first[Symbol.dispose]()
  const campaignId = await makeCampaign(owner)
  using second = await openStream({ ...headers, 'last-event-id': id })
  const missed = await second.next()
  expect(missed?.data.ids?.campaigns).toContain(campaignId)
  expect(BigInt(missed!.id)).toBeGreaterThanOrEqual(BigInt(id))
})

it.each(['99999999999999999', 'not a position', '0'])(
  'an event stream names all lists to a client whose last event ID is invalid or too old (%s)',
  async id => {
    const crowded = await makeOwner()
    await server.app.owner`
      insert into events (account_id, id, event_type, object_id)
      select ${crowded.accountId}, new_id(), 'task.created', new_id() from generate_series(1, 1001)`
    using stream = await openStream({ ...(await asSession(crowded)), 'last-event-id': id })
    const event = await stream.next()
    expect(event?.data.lists).toContain('conversations')
    expect(event?.data.ids).toBeUndefined()
  },
)

it('an event stream reports the changes of a transaction that commits after later ones', async () => {
  const owner = await makeOwner()
  using stream = await openStream(await asSession(owner))
  await stream.next()
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const slow = server.app.owner.begin(async sql => {
    await sql`select set_config('app.account_id', ${owner.accountId}, true)`
    await sql`insert into opt_outs ${sql.rows({
      ...{ account_id: owner.accountId, id: sql`new_id()`, kind: 'email', value: 'slow@acme.example' },
      source: 'api',
    })}`
    begin()
    await isOver
  })
  await hasBegun
  await makeCampaign(owner)
  expect((await stream.next())?.data.lists).toEqual(['campaigns'])
  resolve()
  await slow
  expect((await stream.next())?.data.lists).toEqual(['optOuts'])
})

it('an event stream contains nothing from other accounts', async () => {
  const owner = await makeOwner()
  const other = await makeOwner()
  using stream = await openStream(await asSession(owner))
  await stream.next()
  await makeCampaign(other)
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'one@acme.example' }] })
  expect((await stream.next())?.data.lists).toEqual(['optOuts'])
})

it('an event stream omits IDs for a member in lists that show only the objects of their own reps', async () => {
  const owner = await makeOwner()
  const member = await makeCaller(server.app, 'member', owner.accountId)
  using stream = await openStream(await asSession(member))
  await stream.next()
  await makeTask(owner)
  expect((await stream.next())?.data).toEqual({ lists: ['tasks'] })
})

it('an event stream belongs to the account in the header or the query, which must be one of the user’s accounts', async () => {
  const owner = await makeOwner()
  const other = await makeOwner()
  const session = await asSession(owner)
  using byQuery = await openStream(session, `?accountId=${owner.accountId}`)
  using byHeader = await openStream({ ...session, 'x-account-id': owner.accountId })
  expect([byQuery.response.status, byHeader.response.status]).toEqual([200, 200])
  const refused = await Promise.all([
    server.request('GET', `/session/events?accountId=${other.accountId}`, { headers: session }),
    server.request('GET', '/session/events', { headers: { ...session, 'x-account-id': other.accountId } }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([401, 401])
  expect((await server.request('GET', '/session/events')).status).toBe(401)
})

it('an event stream ends with the session, before it delivers anything more', async () => {
  const owner = await makeOwner()
  const headers = await asSession(owner)
  using stream = await openStream(headers)
  await stream.next()
  await server.app.owner`delete from sessions where user_id = ${owner.userId}`
  await makeCampaign(owner)
  expect(await stream.next()).toBeUndefined()
})

it('an event stream does not prolong the session', async () => {
  const owner = await makeOwner()
  const headers = await asSession(owner)
  const lastSeen = async () => {
    const [row] = await server.app.owner`
      select max(last_seen_at) as at from sessions where user_id = ${owner.userId}`
    return row?.at
  }
  using stream = await openStream(headers)
  await stream.next()
  const before = await lastSeen()
  server.app.setNow(new Date(server.app.now().getTime() + 3_600_000))
  await makeCampaign(owner)
  await stream.next()
  expect(await lastSeen()).toEqual(before)
})

it('an event stream is rejected for a user who has too many open', async () => {
  const user = await makeOwner()
  const headers = await asSession(user)
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(headers)))
  expect((await server.request('GET', '/session/events', { headers })).status).toBe(503)
  for (const stream of streams) stream[Symbol.dispose]()
})

it('an event stream ends when the server closes', async () => {
  await using closing = await openTestServer()
  const user = await makeCaller(closing.app, 'owner')
  const response = await fetch(`${closing.url}/v1/session/events`, {
    headers: { cookie: await closing.createCookie(user) },
  })
  const ended = response.text()
  await closing[Symbol.asyncDispose]()
  expect(await ended).toContain('event: changes')
})
