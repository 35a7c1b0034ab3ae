import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import { deriveKeys, signToken, verifyToken } from '../../src/server/kernel/crypto.ts'
import { type Caller, createCaller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { createRequests, makeWorld } from '../support/contract/world.ts'
import { readNumber } from '../support/processes/environment.ts'

type Row = { id: string; at: number }
type Item = { id: string }
type ListPage = { data: Item[]; hasMore: boolean; next?: string; previous?: string }
type ListInput = { limit?: number; cursor?: string }

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const list = (who: Caller, name: OperationName, input: object): Promise<ListPage> =>
  who.call(name, input as RawInput<typeof name>) as Promise<ListPage>

/** A list and a factory for its rows; `isOther` makes a row that the filters exclude. */
type PagedList = {
  name: OperationName
  filters: object
  table: string
  /** The rows belong to the user, not to the account. */
  isUserOwned?: true
  row: (at: Date, isOther: boolean) => Record<string, unknown>
}

const future = new Date('2100-01-01')
const threadId = randomUUIDv7()
const conversationRecordId = randomUUIDv7()
const pagedLists: PagedList[] = [
  {
    name: 'listReps',
    filters: {},
    table: 'reps',
    row: created_at => ({ created_at, name: 'Rep' }),
  },
  {
    name: 'listOptOuts',
    filters: { identifierType: 'domain' },
    table: 'opt_outs',
    row: (created_at, isOther) => ({
      created_at,
      kind: isOther ? 'web_chat' : 'domain',
      value: `${randomUUID()}.example`,
    }),
  },
  {
    name: 'listCampaigns',
    filters: { status: ['paused', 'completed'] },
    table: 'campaigns',
    row: (created_at, isOther) => ({
      created_at,
      name: 'Campaign',
      status: isOther ? 'active' : 'paused',
      launched_at: created_at,
    }),
  },
  {
    name: 'listEmailMessages',
    filters: { status: 'sent' },
    table: 'email_messages',
    row: (sent_at, isOther) => ({
      sent_at,
      thread_id: threadId,
      type: 'manual',
      status: isOther ? 'draft' : 'sent',
      subject: 'Hello',
      body: 'Hello',
      recipients: { to: [] },
      message_id: `<${randomUUID()}@acme.example>`,
    }),
  },
  {
    name: 'listLinkedinMessages',
    filters: { unread: true },
    table: 'linkedin_messages',
    row: (happened_at, isOther) => ({
      happened_at,
      conversation_record_id: conversationRecordId,
      conversation_id: '2-abc',
      type: 'received',
      status: 'sent',
      text: 'Hello',
      is_unread: !isOther,
    }),
  },
  {
    name: 'listCalls',
    filters: { status: 'ended' },
    table: 'calls',
    row: (created_at, isOther) => ({
      created_at,
      from_number: '+442079460018',
      to_number: '+442079460019',
      call_type: 'outbound',
      status: isOther ? 'dialing' : 'ended',
      outcome: isOther ? null : 'answered',
    }),
  },
  {
    name: 'listInvitations',
    filters: {},
    table: 'invitations',
    row: created_at => ({
      created_at,
      email: `${randomUUID()}@acme.example`,
      role: 'member',
      expires_at: future,
    }),
  },
  {
    name: 'listApiTokens',
    filters: {},
    table: 'api_tokens',
    isUserOwned: true,
    row: created_at => ({ created_at, name: 'Token', prefix: randomUUID(), token_hash: randomBytes(32) }),
  },
  {
    name: 'listSessions',
    filters: {},
    table: 'sessions',
    isUserOwned: true,
    row: created_at => ({ created_at, token_hash: randomBytes(32), expires_at: future }),
  },
  {
    name: 'listConnectedApps',
    filters: {},
    table: 'oauth_grants',
    isUserOwned: true,
    row: created_at => ({
      created_at,
      client_id: 'client',
      client_name: 'Client',
      client_host: 'client.example',
      scopes: [],
      payload: {},
      expires_at: future,
    }),
  },
]

/** The expected rows of a list in its own account. Many have the same millisecond, to test the tie-break. */
class Rows {
  readonly #list: PagedList
  readonly #caller: Caller
  readonly stable: Row[] = []
  transient: Row[] = []

  constructor(pagedList: PagedList, caller: Caller) {
    this.#list = pagedList
    this.#caller = caller
  }

  /** All expected rows, newest first. */
  get all(): Row[] {
    return [...this.stable, ...this.transient].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  }

  page(input: ListInput): Promise<ListPage> {
    return list(this.#caller, this.#list.name, input)
  }

  async add(to: Row[], at: number, isOther: boolean): Promise<void> {
    const id = randomUUID()
    const { table, row, isUserOwned } = this.#list
    const { accountId, userId } = this.#caller
    const owner = isUserOwned ? { user_id: userId } : { account_id: accountId }
    const inAccount = table === 'oauth_grants' ? { account_id: accountId } : {}
    const values = { ...owner, ...inAccount, id, ...row(new Date(at), isOther) }
    await app.owner`insert into ${app.owner.identifier(table)} ${app.owner.rows(values)}`
    if (!isOther) to.push({ id, at })
  }

  async remove({ id }: Row): Promise<void> {
    await app.owner`delete from ${app.owner.identifier(this.#list.table)} where id = ${id}`
    this.transient = this.transient.filter(row => row.id !== id)
  }
}

/** A recent time, because lists omit old sessions. */
const from = Date.now() - 60_000
const seed = readNumber('WALK_SEED', 20_261_121)
const steps = readNumber('WALK_STEPS', 1_200)

type Random = (n: number) => number

/** Creates a seeded generator of integers below `n`. */
const randomFrom = (start: number): Random => {
  let state = start
  return n => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

async function createRows(pagedList: PagedList, random: Random): Promise<Rows> {
  const caller = await makeCaller(app)
  const owner = { account_id: caller.accountId }
  await app.owner`insert into email_threads ${app.owner.rows({ ...owner, id: threadId, subject: 'Hello' })}`
  await app.owner`
    insert into linkedin_conversations ${app.owner.rows({ ...owner, id: conversationRecordId, conversation_id: '2-abc' })}`
  const rows = new Rows(pagedList, caller)
  for (let i = 0; i < 60; i++) {
    await rows.add(i % 2 ? rows.stable : rows.transient, from + random(20), isOther(pagedList, random))
  }
  return rows
}

const isOther = ({ filters }: PagedList, random: Random) => Object.keys(filters).length > 0 && random(6) === 0

const churn = async (pagedList: PagedList, rows: Rows, random: Random): Promise<void> => {
  const removed = rows.transient[random(rows.transient.length)]
  if (removed && rows.transient.length > 20) await rows.remove(removed)
  else await rows.add(rows.transient, from + random(20), isOther(pagedList, random))
}

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

describe(`while rows are added and removed (${steps} steps over all lists, seed ${seed}),`, () => {
  it.each(pagedLists)('$name returns exactly the next rows at each step', async pagedList => {
    const random = randomFrom(seed)
    const rows = await createRows(pagedList, random)
    let limit = 1 + random(7)
    let page = await rows.page({ ...pagedList.filters, limit })
    expect(ids(page.data)).toEqual(ids(rows.all.slice(0, limit)))
    // The position of the page, which stays the same when these rows are removed.
    let [first, last] = [rows.all[0], rows.all[limit - 1]]
    const isBelow = (row: Row, place: Row) => row.at < place.at || (row.at === place.at && row.id < place.id)
    for (let step = 0; step < steps / pagedLists.length; step++) {
      await churn(pagedList, rows, random)
      const isForward = page.next !== undefined && (page.previous === undefined || random(5) < 3)
      const cursor = isForward ? page.next : page.previous
      if (random(4) === 0) limit = 1 + random(7)
      // The cursor includes filters and limit; only the limit may be changed.
      page = await rows.page({ cursor: cursor!, limit, ...(random(2) && pagedList.filters) })
      const rest = isForward
        ? rows.all.filter(row => isBelow(row, last!))
        : rows.all.filter(row => isBelow(first!, row))
      const expected = isForward ? rest.slice(0, limit) : rest.slice(-limit)
      expect(ids(page.data), `step ${step}`).toEqual(ids(expected))
      if (isForward) expect(page.hasMore).toBe(rest.length > limit)
      else expect(page.previous !== undefined).toBe(rest.length > limit)
      expect(page.next !== undefined).toBe(page.hasMore)
      if (expected.length > 0) [first, last] = [expected[0], expected.at(-1)]
      // An empty page lies just beyond the row it was requested from: both directions lead back to that row.
      else if (isForward) first = { ...last!, id: `${last!.id.slice(0, -1)}` }
      else last = { ...first!, id: `${first!.id}~` }
    }
  })

  it.each(pagedLists)(
    '$name shows every remaining row exactly once, to the end and back',
    async pagedList => {
      const random = randomFrom(seed + 1)
      const rows = await createRows(pagedList, random)
      const stable = ids(rows.all.filter(row => rows.stable.includes(row)))
      const walk = async (start: ListPage, towards: 'next' | 'previous') => {
        const pages = [start.data]
        let page = start
        while (page[towards]) {
          await churn(pagedList, rows, random)
          page = await rows.page({ cursor: page[towards]!, limit: 1 + random(5) })
          pages.push(page.data)
        }
        if (towards === 'previous') pages.reverse()
        return { page, seen: ids(pages.flat()).filter(id => stable.includes(id)) }
      }
      const there = await walk(await rows.page({ ...pagedList.filters, limit: 3 }), 'next')
      expect(there.seen).toEqual(stable)
      const back = await walk(there.page, 'previous')
      expect(back.seen).toEqual(stable)
    },
  )
})

describe('pages', () => {
  it.each(pagedLists)('a page of $name is identical when reached from the next page', async pagedList => {
    const rows = await createRows(pagedList, randomFrom(seed + 2))
    const pages: string[] = []
    let page = await rows.page({ ...pagedList.filters, limit: 4 })
    while (page.next) {
      pages.push(JSON.stringify(page.data))
      page = await rows.page({ cursor: page.next })
    }
    expect(pages.length).toBeGreaterThan(5)
    while (page.previous) {
      page = await rows.page({ cursor: page.previous })
      expect(JSON.stringify(page.data)).toBe(pages.pop())
      expect(page.hasMore).toBe(true)
    }
    expect(pages).toEqual([])
  })
})

/** Lists without an ID in the path; the others use the same code. */
const lists = (Object.keys(operations) as OperationName[]).filter(
  name => 'cursor' in operations[name].input.shape && !operations[name].path.includes('{'),
)

describe('cursors', () => {
  let owner: Caller
  let stranger: Caller
  const cursors = new Map<OperationName, string>()
  const filters = new Map<OperationName, object>()

  beforeAll(async () => {
    owner = await makeCaller(app)
    stranger = await makeCaller(app)
    const world = await makeWorld(app, owner)
    await makeWorld(app, owner)
    // The engine writes notifications some time after their events.
    await app.owner`
      insert into notifications (account_id, id, user_id, kind, event_key, object_type, object_id, is_in_app, is_mailed,
                                 created_at)
      select ${owner.accountId}::uuid, new_id(), ${owner.userId}::uuid, 'campaign', 'event ' || n, 'campaign',
             ${world.campaignId}::uuid, true, false, now()
        from generate_series(1, 2) n`
    for (const name of lists) {
      const first = await list(owner, name, { limit: 1 })
      cursors.set(name, first.next!)
      filters.set(name, createRequests(world)[name])
    }
  })

  const expectRejected = async (who: Caller, name: OperationName, input: object) => {
    await expect(list(who, name, input), JSON.stringify(input)).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'cursor' }],
    })
  }

  it.each(lists)('a cursor of %s is rejected when any byte is changed, removed or added', async name => {
    const cursor = cursors.get(name)!
    const other = (letter: string) => (letter === 'A' ? 'B' : 'A')
    for (let i = 0; i < cursor.length; i++) {
      const changed = cursor.slice(0, i) + other(cursor[i]!) + cursor.slice(i + 1)
      await expectRejected(owner, name, { cursor: changed })
    }
    const damaged = [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor + cursor,
    ]
    for (const text of damaged) await expectRejected(owner, name, { cursor: text })
  })

  it.each(lists)('a cursor of %s is rejected for another account and by every other list', async name => {
    await expectRejected(stranger, name, { cursor: cursors.get(name) })
    for (const other of lists.filter(each => each !== name)) {
      await expectRejected(owner, other, { cursor: cursors.get(name) })
    }
  })

  it.each(lists)('a cursor of %s is rejected with a filter that it does not contain', async name => {
    for (const [field, value] of Object.entries(filters.get(name)!)) {
      await expectRejected(owner, name, { cursor: cursors.get(name), [field]: value })
    }
  })

  it.each(lists)(
    'a cursor of %s is rejected when it has another version or was signed with another secret',
    async name => {
      const purpose = `cursor ${name} ${owner.accountId}`
      const [, ...rest] = JSON.parse(verifyToken(app.keys, purpose, cursors.get(name)!)!)
      const sign = (version: number, keys = app.keys) =>
        signToken(keys, purpose, JSON.stringify([version, ...rest]))
      for (const version of [0, 2]) await expectRejected(owner, name, { cursor: sign(version) })
      const others = deriveKeys('another secret, long enough for a test')
      await expectRejected(owner, name, { cursor: sign(1, others) })
      const otherServer = createCaller({ ...app, keys: others }, owner)
      await expectRejected(otherServer, name, { cursor: cursors.get(name) })
      expect(sign(1)).toBe(cursors.get(name))
    },
  )

  it('a cursor contains its filters and limit; only the limit may be changed', async () => {
    const filter = { identifierType: 'email' }
    const identifiers = Array.from({ length: 9 }, (_, n) => ({ identifier: `p${n}@carried.example` }))
    await owner.call('addOptOuts', { identifiers: [...identifiers, { identifier: 'carried.example' }] })
    const first = await list(owner, 'listOptOuts', { ...filter, limit: 2 })
    const second = await list(owner, 'listOptOuts', { cursor: first.next! })
    expect(second.data).toHaveLength(2)
    expect(second.data).toMatchObject([filter, filter])
    expect(await list(owner, 'listOptOuts', { cursor: first.next!, ...filter })).toEqual(second)
    const wider = await list(owner, 'listOptOuts', { cursor: first.next!, limit: 4 })
    expect(wider.data).toHaveLength(4)
    expect(wider.data.slice(0, 2)).toEqual(second.data)
  })
})
