import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  type Desk,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import { messageStatuses, messageTypes } from '../../../contract/inbox.ts'
import type { Output, RawInput } from '../../../contract/index.ts'
import { removeEmailMessage } from '../messages/write-email-messages.ts'

type Message = Output<'listEmailMessages'>['data'][number]
type Filters = Omit<RawInput<'listEmailMessages'>, 'limit' | 'cursor'>

let app: TestApp
let admin: Caller
/** Owns the first two of the desks' reps. */
let member: Caller
let viewer: Caller
let desks: Desk[]
let threadIds: string[]
/** All messages in the list's order, and the IDs of those that are the last of their thread and status. */
let messages: Message[]
const lastIds = new Set<string>()

beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
  member = await makeCaller(app, 'member', admin.accountId)
  viewer = await makeCaller(app, 'viewer', admin.accountId)
  desks = []
  for (const owner of [member, member, admin]) desks.push(await makeDesk(admin, owner.userId))
  threadIds = []
  // Every campaign has threads of every rep, and one thread has neither.
  for (const { repId } of desks) {
    for (const { campaignId, prospectId } of desks) {
      threadIds.push(await makeThread(app, admin, { repId, campaignId, prospectId }))
    }
  }
  threadIds.push(await makeThread(app, admin))
  for (const [index, entityId] of threadIds.entries()) {
    const tags = [index % 2 ? 'Warm' : 'Cold', ...(index % 3 ? [] : ['Rare'])]
    await admin.call('assignTags', { entityType: 'email_thread', entityId, tags })
  }
  await Promise.all(threadIds.map(addMessages))
  messages = await listAll(admin, { limit: 100 })
  const sentAndDrafts = new Map<string, string>()
  for (const { id, emailThreadId, status } of messages.toReversed()) {
    if (status) sentAndDrafts.set(`${emailThreadId} ${status}`, id)
  }
  for (const id of sentAndDrafts.values()) lastIds.add(id)
})
afterAll(() => app[Symbol.asyncDispose]())

/** Adds one message of each type and status, some at the same instant. */
async function addMessages(threadId: string, thread: number): Promise<void> {
  for (const [at, type] of messageTypes.entries()) {
    for (const status of type === 'received' ? (['sent'] as const) : ([...messageStatuses, null] as const)) {
      await makeEmail(app, admin, {
        threadId,
        type,
        status,
        sentAt: new Date(Date.UTC(2026, 9, 1 + ((at + thread) % 5), 9)),
      })
    }
  }
}

/** Removes `isOutdated`, which only lists of drafts include. */
const withoutMark = ({ isOutdated: _, ...message }: Message): Message => message

async function listAll(caller: Caller, input: RawInput<'listEmailMessages'>): Promise<Message[]> {
  const found: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await caller.call('listEmailMessages', cursor ? { cursor } : input)
    found.push(...page.data.map(withoutMark))
    expect(page.hasMore).toBe(page.next !== undefined)
    if (!page.next) return found
    cursor = page.next
  }
}

const matches = (filters: Filters, message: Message): boolean =>
  (!filters.emailThreadId || message.emailThreadId === filters.emailThreadId) &&
  (!filters.campaignId || message.campaignId === filters.campaignId) &&
  (!filters.prospectId || message.prospectId === filters.prospectId) &&
  (!filters.repId || message.repId === filters.repId) &&
  (!filters.type || message.type === filters.type) &&
  (!filters.tag || message.tags!.some(tag => tag.toLowerCase() === filters.tag!.toLowerCase())) &&
  (filters.onlyLastMessagePerThread
    ? lastIds.has(message.id) && message.status === (filters.status ?? 'sent')
    : !filters.status || message.status === filters.status)

/** Threads that the member may read. Others don't exist for the member, not even as a filter. */
const ownThreadIds = () => [
  ...new Set(messages.filter(isOwn).flatMap(({ emailThreadId }) => emailThreadId ?? [])),
]
const isOwn = ({ repId }: Message): boolean => repId === desks[0]!.repId || repId === desks[1]!.repId

const anyFilters = (threads = threadIds): fc.Arbitrary<Filters> =>
  fc.record(
    {
      emailThreadId: fc.constantFrom(...threads),
      campaignId: fc.constantFrom(...desks.map(desk => desk.campaignId)),
      prospectId: fc.constantFrom(...desks.map(desk => desk.prospectId)),
      repId: fc.constantFrom(...desks.map(desk => desk.repId)),
      status: fc.constantFrom(...messageStatuses),
      type: fc.constantFrom(...messageTypes),
      tag: fc.constantFrom('warm', 'COLD', 'Rare', 'unheard of'),
      onlyLastMessagePerThread: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )

describe('the list of email messages', () => {
  it('returns exactly the messages that match the filters to a caller who may read everything', async () => {
    expect(messages).toHaveLength(threadIds.length * 10)
    await fc.assert(
      fc.asyncProperty(anyFilters(), fc.integer({ min: 1, max: 9 }), async (filters, limit) => {
        expect(await listAll(viewer, { ...filters, limit })).toEqual(
          messages.filter(m => matches(filters, m)),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('can be filtered by every type and status, alone and with another filter', async () => {
    const scopes = [{}, { campaignId: desks[0]!.campaignId }, { repId: desks[0]!.repId }, { tag: 'warm' }]
    for (const scope of scopes) {
      for (const type of [undefined, ...messageTypes]) {
        for (const status of [undefined, ...messageStatuses]) {
          for (const onlyLastMessagePerThread of [undefined, true as const]) {
            const filters = { ...scope, type, status, onlyLastMessagePerThread }
            const { data } = await viewer.call('listEmailMessages', { ...filters, limit: 100 })
            expect(data.map(withoutMark), JSON.stringify(filters)).toEqual(
              messages.filter(m => matches(filters, m)),
            )
          }
        }
      }
    }
  })

  it("returns only messages of a member's own reps, whatever the filters", async () => {
    const own = messages.filter(isOwn)
    await fc.assert(
      fc.asyncProperty(anyFilters(ownThreadIds()), fc.integer({ min: 1, max: 9 }), async (filters, limit) => {
        expect(await listAll(member, { ...filters, limit })).toEqual(own.filter(m => matches(filters, m)))
      }),
      { numRuns: 60 },
    )
  })

  it('returns exactly the previous page, whatever the filters', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFilters(ownThreadIds()),
        fc.constantFrom(viewer, member),
        async (filters, caller) => {
          const first = await caller.call('listEmailMessages', { ...filters, limit: 3 })
          expect(first.previous).toBeUndefined()
          if (!first.next) return
          const second = await caller.call('listEmailMessages', { cursor: first.next })
          const back = await caller.call('listEmailMessages', { cursor: second.previous! })
          expect(back.data).toEqual(first.data)
          expect(back.hasMore).toBe(true)
          expect(back.previous).toBeUndefined()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('neither skips nor repeats a message while others are inserted and deleted', async () => {
    const caller = await makeCaller(app, 'admin')
    const threadId = await makeThread(app, caller)
    const at = () => new Date(Date.UTC(2026, 9, fc.sample(fc.integer({ min: 1, max: 28 }), 1)[0]!))
    const stable: string[] = []
    const passing: string[] = []
    for (let n = 0; n < 40; n += 1) {
      ;(n % 2 ? stable : passing).push(
        await makeEmail(app, caller, { threadId, type: 'received', sentAt: at() }),
      )
    }
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.boolean()),
        async (limit, coin) => {
          const seen: string[] = []
          for (let cursor: string | undefined; ; ) {
            const page = await caller.call(
              'listEmailMessages',
              cursor ? { cursor } : { type: 'received', limit },
            )
            seen.push(...page.data.map(message => message.id))
            if (coin.next().value && passing.length > 0) {
              const gone = passing.pop()!
              await inAccountTransaction(app, caller, tx => removeEmailMessage(tx, gone))
            } else passing.push(await makeEmail(app, caller, { threadId, type: 'received', sentAt: at() }))
            if (!page.next) break
            cursor = page.next
          }
          expect(new Set(seen).size).toBe(seen.length)
          expect(seen.filter(id => stable.includes(id)).sort()).toEqual(stable.toSorted())
        },
      ),
      { numRuns: 6 },
    )
  })

  it('rejects a cursor with other filters, from another list or account, or altered', async () => {
    const filters = { type: 'campaign' as const, limit: 2 }
    const { next } = await admin.call('listEmailMessages', filters)
    const expectRejection = (response: Promise<unknown>) =>
      expect(response).rejects.toMatchObject({ code: 'ValidationError', details: [{ path: 'cursor' }] })
    await admin.call('listEmailMessages', { ...filters, cursor: next })
    await admin.call('listEmailMessages', { cursor: next, limit: 50 })
    await expectRejection(admin.call('listEmailMessages', { cursor: next, type: 'received' }))
    await expectRejection(admin.call('listEmailMessages', { cursor: next, repId: desks[0]!.repId }))
    await expectRejection(admin.call('listLinkedinMessages', { cursor: next }))
    await expectRejection((await makeCaller(app)).call('listEmailMessages', { cursor: next }))
    await expectRejection(
      admin.call('listEmailMessages', { cursor: `${next![0] === 'A' ? 'B' : 'A'}${next!.slice(1)}` }),
    )
  })
})

describe('an email message', () => {
  it('is not found by a member when it belongs to another rep, nor is its thread', async () => {
    const other = messages.find(message => message.repId === desks[2]!.repId)!
    const own = messages.find(message => message.repId === desks[0]!.repId)!
    const withoutRep = messages.find(message => message.repId === undefined)!
    for (const { id, emailThreadId } of [
      other,
      withoutRep,
      { id: randomUUIDv7(), emailThreadId: randomUUIDv7() },
    ]) {
      await expect(member.call('getEmailMessage', { emailMessageId: id })).rejects.toMatchObject({
        code: 'NotFound',
        message: 'There is no such email message.',
      })
      await expect(member.call('getEmailThread', { emailThreadId: emailThreadId! })).rejects.toMatchObject({
        code: 'NotFound',
      })
    }
    expect(await member.call('getEmailMessage', { emailMessageId: own.id })).toEqual(own)
    const thread = await member.call('getEmailThread', { emailThreadId: own.emailThreadId! })
    expect(thread.messages).toHaveLength(10)
    expect(thread.messages).toContainEqual(own)
  })
})
