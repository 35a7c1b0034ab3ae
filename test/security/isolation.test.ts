import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { toRequest } from '../../src/client.ts'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { getPermissionScope } from '../../src/contract/permissions.ts'
import { makeCaller } from '../support/app.ts'
import { createRequests, makeWorld, type World } from '../support/contract/world.ts'
import { type Credentials, getCredential, openTestServer, type TestServer } from '../support/http/server.ts'

// Tests with two accounts on one server that neither account can observe the other.

const all = Object.entries(operations) as [OperationName, Operation][]
const names = all.map(([name]) => name)
const reads = all.filter(([, { method }]) => method === 'GET').map(([name]) => name)
const unknownId = randomUUIDv7()

let server: TestServer
let own: World & Credentials
let other: World
let responsesBeforeOther: Map<string, string>

beforeAll(async () => {
  server = await openTestServer()
  const caller = await makeCaller(server.app)
  own = { ...(await makeWorld(server.app, caller)), ...(await server.createCredentials(caller)) }
  // A last use in the future keeps the server from recording later uses, so that reads change nothing.
  await server.app.owner`update api_tokens set last_used_at = '2100-01-01'`
  await server.app.owner`update sessions set last_seen_at = '2100-01-01'`
  responsesBeforeOther = await readEverything()
  other = await makeWorld(server.app, await makeCaller(server.app))
})
afterAll(() => server[Symbol.asyncDispose]())

const send = async <N extends OperationName>(name: N, input: RawInput<N>, by: Credentials = own) => {
  const { method, path, body } = toRequest(name, input)
  return server.request(method, path, { ...getCredential(operations[name], by), ...(body && { body }) })
}

/** Returns everything in a response that a caller can observe, without values that differ every time. */
const observe = async <N extends OperationName>(name: N, input: RawInput<N>) => {
  const response = await send(name, input)
  const headers = Object.fromEntries(response.headers)
  const text = response.text.replace(headers['x-request-id']!, '')
  return { status: response.status, headers: { ...headers, date: '', 'x-request-id': '' }, text }
}

/** Blanks times that depend on the current time: `callableAt` within calling hours, and those of a forecast. */
const blankTimes = (text: string): string =>
  text.replace(/"(callableAt|now|firstSendAt|lastSendAt)":"[^"]*"/g, '"$1":""')

/** Reads every list, with and without filters, page by page, and every single object. */
async function readEverything(): Promise<Map<string, string>> {
  await waitForEvents()
  const responses = new Map<string, string>()
  const requests = createRequests(own)
  for (const name of reads) {
    responses.set(name, blankTimes((await send(name, requests[name])).text))
    if (!('cursor' in operations[name].input.shape)) continue
    const { path }: Operation = operations[name]
    const inPath = Object.entries(requests[name]).filter(([field]) => path.includes(`{${field}}`))
    let next: string | undefined
    do {
      const input = { ...Object.fromEntries(inPath), limit: 1, ...(next && { cursor: next }) }
      const response = await send(name, input as RawInput<typeof name>)
      responses.set(`${name} ${next}`, response.text)
      next = (response.body as { next?: string }).next
    } while (next)
  }
  return responses
}

/** Waits until events are listed, which happens once every transaction that began before their own has ended. */
const waitForEvents = () =>
  vi.waitFor(
    async () => {
      const hidden = await server.app.owner`
        select from events
         where account_id = ${own.caller.accountId} and tx >= pg_snapshot_xmin(pg_current_snapshot())`
      expect(hidden.count).toBe(0)
    },
    { timeout: 60_000 },
  )

/** Returns every row of the account in every table as one string. */
async function dump({ caller: { accountId } }: World): Promise<string> {
  const { owner } = server.app
  dumpQuery ??= (
    await owner<{ name: string }[]>`
      select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'account_id' order by 1`
  )
    .map(({ name }) => `select '${name} ' || t::text as row from "${name}" t where account_id = $1`)
    .join(' union all ')
  const rows = await owner.send(`${dumpQuery} order by 1`, [accountId])
  return rows.map(({ row }) => String(row)).join('\n')
}
let dumpQuery: string | undefined

/** The rows of both accounts after the latest operation. Nothing changes them between operations. */
let rows: [string, string] | undefined
const dumpBoth = () => Promise.all([dump(own), dump(other)])

type Place = (string | number)[]

/** Returns the places of IDs in an input. */
const findIdPlaces = (value: unknown, place: Place = []): Place[] => {
  if (typeof value === 'string') return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ? [place] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => findIdPlaces(child, [...place, key]))
}

const getValueAt = (value: unknown, place: Place): unknown =>
  place.reduce((at, key) => (at as Record<string, unknown>)[key], value)

const replaceValueAt = <T>(value: T, place: Place, replacement: unknown): T => {
  const copy = structuredClone(value)
  const last = place.at(-1)!
  ;(getValueAt(copy, place.slice(0, -1)) as Record<string, unknown>)[last] = replacement
  return copy
}

/** Operations that need a mailbox with a server; tests in test/mail cover their success. */
const needServers: OperationName[] = ['connectMailbox', 'completeMailboxConnection', 'addMailboxAlias']

/** A world for write operations; the worlds of the other tests never change. */
let changing: (World & Credentials) | undefined

/** Sends a write from a world that earlier writes changed. If this fails, sends it from a new world. */
async function sendWrite(name: OperationName) {
  const response = changing && (await send(name, createRequests(changing)[name], changing))
  if (response?.status === 200) return response
  const caller = await makeCaller(server.app)
  changing = { ...(await makeWorld(server.app, caller)), ...(await server.createCredentials(caller)) }
  return send(name, createRequests(changing)[name], changing)
}

describe('reading', () => {
  it('returns the same bytes whether or not another account has any data', async () => {
    const responses = await readEverything()
    expect([...responses]).toEqual([...responsesBeforeOther])
    const everything = [...responses.values()].join('\n')
    expect(everything).toContain(own.mark)
    expect(everything).not.toContain(other.mark)
    for (const [name, id] of Object.entries(other)) {
      if (typeof id === 'string') expect(everything, name).not.toContain(id)
    }
  })
})

describe.each(names)('%s', name => {
  const operation: Operation = operations[name]

  it("treats another account's ID like an unknown ID and changes nothing", async () => {
    const before = rows ?? (await dumpBoth())
    const input = createRequests(own)[name]
    for (const place of findIdPlaces(input)) {
      const withId = (id: unknown) => observe(name, replaceValueAt(input, place, id) as RawInput<typeof name>)
      const unknown = await withId(unknownId)
      const foreign = await withId(getValueAt(createRequests(other)[name], place))
      expect(foreign, place.join('.')).toEqual(unknown)
      if (operation.path.includes(`{${place[0]}}`)) expect(unknown.status).toBe(404)
      else if (operation.method === 'GET')
        expect([unknown.status, JSON.parse(unknown.text).details]).toMatchObject([404, [{ path: place[0] }]])
      else expect([place, unknown.status]).toEqual([place, 400])
    }
    rows = await dumpBoth()
    expect(rows).toEqual(before)
  })

  it('works for the account that owns the IDs', async () => {
    const response =
      operation.method === 'GET' ? await send(name, createRequests(own)[name]) : await sendWrite(name)
    expect(response.status, response.text).toBe(needServers.includes(name) ? 400 : 200)
  })
})

describe("a member who sees only their own reps' data", () => {
  const narrow = all.filter(([, { permission }]) => getPermissionScope('member', permission) === 'own')
  // Tags, call policies, a new snippet and the servers of an address don't belong to a rep.
  const operationsWithoutRep = ['listTags', 'getCallPolicies', 'createSnippet', 'discoverMailSettings']
  const narrowNames = narrow.map(([name]) => name).filter(name => !operationsWithoutRep.includes(name))
  let memberCredentials: Credentials
  beforeAll(async () => {
    memberCredentials = await server.createCredentials(
      await makeCaller(server.app, 'member', own.caller.accountId),
    )
  })

  it.each(narrowNames)("cannot read or change another rep's data with %s", async name => {
    const { method, permission } = operations[name] as Operation
    const before = method === 'GET' ? '' : await dump(own)
    const response = await send(name, createRequests(own)[name], memberCredentials)
    const isRead = permission === 'Inbox.ReadInbox' || permission === 'Call.ReadCall'
    if (name === 'getConversationCounts')
      expect(new Set(Object.values(response.body as object))).toEqual(new Set([0]))
    else if (response.status === 200) expect(response.body).toEqual({ data: [], hasMore: false })
    else expect(isRead ? [404] : [400, 403, 404]).toContain(response.status)
    expect(response.text).not.toContain(own.mark)
    if (method !== 'GET') expect(await dump(own)).toBe(before)
  })

  it("does not find another rep's messages and calls in lists", async () => {
    for (const name of [
      'listEmailMessages',
      'listLinkedinMessages',
      'listCalls',
      'listCallRequests',
    ] as const) {
      expect((await send(name, {}, memberCredentials)).body).toEqual({ data: [], hasMore: false })
    }
  })

  it("can read a rep's data after becoming the rep's owner", async () => {
    const member = await makeCaller(server.app, 'member', own.caller.accountId)
    const world = await makeWorld(server.app, await makeCaller(server.app, 'owner', own.caller.accountId))
    await own.caller.call('updateRep', { repId: world.repId, ownedById: member.userId })
    const credentials = await server.createCredentials(member)
    // The call has no outcome yet, so the usual filter by outcome would exclude it.
    const requests = { ...createRequests(world), listCalls: { assistantId: world.assistantId } }
    for (const name of [
      'listEmailMessages',
      'listLinkedinMessages',
      'listCalls',
      'getCall',
      'listCallRequests',
      'getCallRequest',
    ] as const) {
      const response = await send(name, requests[name] as RawInput<typeof name>, credentials)
      expect([name, response.status, response.text]).toEqual([name, 200, expect.stringMatching(/"id"/)])
    }
  })
})
