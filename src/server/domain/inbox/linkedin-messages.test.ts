import { randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type Desk, inAccountTransaction, makeDesk } from '../../../../test/support/campaigns/inbox.ts'
import { messageStatuses, messageTypes } from '../../../contract/inbox.ts'
import type { Output, RawInput } from '../../../contract/index.ts'
import { insertLinkedinMessage, openConversation } from '../messages/write-linkedin-messages.ts'

type Message = Output<'listLinkedinMessages'>['data'][number]
type Filters = Omit<RawInput<'listLinkedinMessages'>, 'limit' | 'cursor'>

let app: TestApp
let admin: Caller
/** Owns the first desk's rep. */
let member: Caller
let desks: Desk[]
const unreadIds = new Set<string>()
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
  member = await makeCaller(app, 'member', admin.accountId)
  desks = [await makeDesk(admin, member.userId), await makeDesk(admin)]
  for (const [index, desk] of desks.entries()) {
    const id = await inAccountTransaction(app, admin, tx =>
      openConversation(tx, { conversationId: `2-${index}`, ...desk }),
    )
    await admin.call('assignTags', {
      entityType: 'linkedin_conversation',
      entityId: id,
      tags: [index ? 'Cold' : 'Warm'],
    })
    await inAccountTransaction(app, admin, async tx => {
      for (const [hour, type] of messageTypes.entries()) {
        for (const status of messageStatuses) {
          const isUnread = hour % 2 === index
          const happenedAt = new Date(Date.UTC(2026, 10, 2, hour % 3))
          const fields = {
            conversationRecordId: id,
            text: `${type} ${status}`,
            type,
            status,
            isUnread,
            happenedAt,
          }
          const messageId = await insertLinkedinMessage(tx, fields)
          if (isUnread) unreadIds.add(messageId)
        }
      }
    })
  }
})
afterAll(() => app[Symbol.asyncDispose]())

async function listAll(caller: Caller, input: RawInput<'listLinkedinMessages'>): Promise<Message[]> {
  const found: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await caller.call('listLinkedinMessages', cursor ? { cursor } : input)
    found.push(...page.data)
    if (!page.next) return found
    cursor = page.next
  }
}

const matches = ({ status = 'sent', ...filters }: Filters, message: Message): boolean =>
  message.status === status &&
  (!filters.campaignId || message.campaignId === filters.campaignId) &&
  (!filters.prospectId || message.prospectId === filters.prospectId) &&
  (!filters.repId || message.repId === filters.repId) &&
  (!filters.type || message.type === filters.type) &&
  (!filters.tag || message.tags!.includes(filters.tag)) &&
  (!filters.unread || unreadIds.has(message.id))

describe('the list of LinkedIn messages', () => {
  it('returns exactly the messages that match the filters and that the caller may read', async () => {
    const pages = await Promise.all(messageStatuses.map(status => listAll(admin, { status, limit: 100 })))
    const key = (message: Message) => `${message.happenedAt} ${message.id}`
    const messages = pages.flat().sort((a, b) => (key(a) < key(b) ? 1 : -1))
    expect(messages).toHaveLength(16)
    const own = messages.filter(message => message.repId === desks[0]!.repId)
    const anyFilters = fc.record(
      {
        campaignId: fc.constantFrom(...desks.map(desk => desk.campaignId)),
        prospectId: fc.constantFrom(...desks.map(desk => desk.prospectId)),
        repId: fc.constantFrom(...desks.map(desk => desk.repId)),
        status: fc.constantFrom(...messageStatuses),
        type: fc.constantFrom(...messageTypes),
        tag: fc.constantFrom('Warm', 'Cold'),
        unread: fc.constant(true as const),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(anyFilters, fc.integer({ min: 1, max: 3 }), async (filters, limit) => {
        expect(await listAll(admin, { ...filters, limit })).toEqual(messages.filter(m => matches(filters, m)))
        expect(await listAll(member, { ...filters, limit })).toEqual(own.filter(m => matches(filters, m)))
      }),
      { numRuns: 60 },
    )
  })

  it('treats the default status like an explicit one when a cursor is used', async () => {
    const { next } = await admin.call('listLinkedinMessages', { limit: 2 })
    const page = await admin.call('listLinkedinMessages', { cursor: next })
    expect(await admin.call('listLinkedinMessages', { cursor: next, status: 'sent' })).toEqual(page)
    await expect(admin.call('listLinkedinMessages', { cursor: next, status: 'draft' })).rejects.toMatchObject(
      {
        code: 'ValidationError',
        details: [{ path: 'cursor' }],
      },
    )
  })
})

describe('a LinkedIn conversation', () => {
  it('is created once when its provider reports it several times concurrently', async () => {
    const conversationId = randomUUIDv7()
    const ids = await Promise.all(
      Array.from({ length: 5 }, () =>
        inAccountTransaction(app, admin, tx => openConversation(tx, { conversationId })),
      ),
    )
    expect(new Set(ids).size).toBe(1)
  })
})
