import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  insertLinkedinMessage,
  openConversation,
} from '../../src/server/domain/messages/write-linkedin-messages.ts'
import { inAccountTransaction } from '../support/campaigns/inbox.ts'
import {
  expectCursors,
  expectInvalid,
  expectLimit,
  expectNewestFirst,
  getItems,
  type Item,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

const path = '/inbox/linkedin/messages'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
  await inAccountTransaction(specified.server.app, specified.caller, async tx => {
    const conversationRecordId = await openConversation(tx, { conversationId: `2-${randomUUIDv7()}` })
    for (let day = 1; day <= 10; day++) {
      await insertLinkedinMessage(tx, {
        conversationRecordId,
        text: `Day ${day}`,
        type: day % 2 ? 'campaign' : 'received',
        status: 'sent',
        happenedAt: new Date(Date.UTC(2026, 9, day)),
      })
    }
  })
})
afterAll(() => specified[Symbol.asyncDispose]())

const list = async (query: string): Promise<Item[]> =>
  getItems(await specified.get(`${path}?limit=100&${query}`))

it('4.7.list: returns the messages of all conversations', async () => {
  expect(await list('')).toHaveLength(12)
})

it('4.7.newest-first: sorts by time, newest first', () => expectNewestFirst(specified, path, 'happenedAt'))

it('4.7.limit: defaults to 10 and is at most 100', () => expectLimit(specified, path))

it('4.7.cursor: leads to the next page and back', () => expectCursors(specified, path))

const filters: [title: string, query: () => string][] = [
  ['4.7.prospect: returns only messages of the prospect', () => `prospectId=${specified.world.prospectId}`],
  ['4.7.campaign: returns only messages of the campaign', () => `campaignId=${specified.world.campaignId}`],
  ['4.7.rep: returns only messages of the rep', () => `repId=${specified.world.repId}`],
  ['4.7.tag: returns only messages of conversations with the tag', () => `tag=${specified.world.tag}`],
]

it.each(filters)('%s', async (_title, query) => {
  const { mark } = specified.world
  expect((await list(query())).map(item => item.text)).toEqual([
    `received sent ${mark}`,
    `manual sent ${mark}`,
  ])
})

it('4.7.status: returns sent messages unless drafts are requested', async () => {
  const { mark } = specified.world
  const statuses = async (query: string) => new Set((await list(query)).map(item => item.status))
  expect(await statuses('')).toEqual(new Set(['sent']))
  expect(await statuses('status=sent')).toEqual(new Set(['sent']))
  expect((await list('status=draft')).map(item => item.text)).toEqual([`reply_agent draft ${mark}`])
})

it.each([
  ['manual', 'sent', 1],
  ['campaign', 'sent', 5],
  ['received', 'sent', 6],
  ['reply_agent', 'draft', 1],
])('4.7.type: returns only messages of the type (%s)', async (type, status, count) => {
  const items = await list(`type=${type}&status=${status}`)
  expect(items.map(item => item.type)).toEqual(Array(count).fill(type))
})

it('4.7.unread: returns only unread messages', async () => {
  expect((await list('unread=true')).map(item => item.text)).toEqual([
    `received sent ${specified.world.mark}`,
  ])
})

it.each(['false', '1', ''])('4.7.unread-flag: rejects any value except true (%j)', async value => {
  expectInvalid(await specified.get(`${path}?unread=${value}`), 'unread')
})

it.each([
  ['prospectId', '1'],
  ['campaignId', 'nonsense'],
  ['repId', ''],
  ['status', 'queued'],
  ['type', 'automatic'],
])('4.7.values: rejects an invalid filter value (%s=%s)', async (filter, value) => {
  expectInvalid(await specified.get(`${path}?${filter}=${value}`), filter)
})
