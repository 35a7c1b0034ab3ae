import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import {
  expectCursors,
  expectInvalid,
  expectLimit,
  expectNewestFirst,
  getIds,
  getItems,
  type Item,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

const path = '/inbox/email/messages'

let specified: SpecificationServer
/** IDs of the last sent, received and draft messages of a thread without a prospect. */
let other: { sent: string; received: string; draft: string }

beforeAll(async () => {
  specified = await openSpecificationServer()
  const { caller, server } = specified
  const threadId = await makeThread(server.app, caller)
  const at = (day: number) => ({ threadId, sentAt: new Date(Date.UTC(2026, 9, day)) })
  for (let day = 1; day <= 8; day++) await makeEmail(server.app, caller, at(day))
  other = {
    sent: await makeEmail(server.app, caller, { ...at(9), type: 'manual' }),
    received: await makeEmail(server.app, caller, { ...at(10), type: 'received' }),
    draft: '',
  }
  await makeEmail(server.app, caller, { ...at(11), type: 'reply_agent', status: 'draft' })
  other.draft = await makeEmail(server.app, caller, { ...at(12), type: 'manual', status: 'draft' })
})
afterAll(() => specified[Symbol.asyncDispose]())

const list = async (query: string) => getIds(await specified.get(`${path}?limit=100&${query}`))
const listWorldIds = () => {
  const { sentMessageId, receivedMessageId, draftMessageId, unconfirmedMessageId } = specified.world
  return [unconfirmedMessageId, draftMessageId, receivedMessageId, sentMessageId]
}

it('4.5.list: returns the messages of all threads', async () => {
  expect(await list('')).toHaveLength(16)
})

it('4.5.newest-first: sorts by time of sending, newest first', () =>
  expectNewestFirst(specified, path, 'sentAt'))

it('4.5.limit: defaults to 10 and is at most 100', () => expectLimit(specified, path))

it('4.5.cursor: leads to the next page and back', () => expectCursors(specified, path))

const filters: [title: string, query: () => string][] = [
  ['4.5.thread: returns only messages of the thread', () => `emailThreadId=${specified.world.emailThreadId}`],
  ['4.5.campaign: returns only messages of the campaign', () => `campaignId=${specified.world.campaignId}`],
  ['4.5.prospect: returns only messages of the prospect', () => `prospectId=${specified.world.prospectId}`],
  ['4.5.rep: returns only messages of the rep', () => `repId=${specified.world.repId}`],
  ['4.5.tag: returns only messages of threads with the tag', () => `tag=${specified.world.tag}`],
  ['4.5.tag-case: matches a tag in any letter case', () => `tag=${specified.world.tag.toUpperCase()}`],
  [
    '4.5.together: returns only messages that match every filter',
    () =>
      `campaignId=${specified.world.campaignId}&repId=${specified.world.repId}&tag=${specified.world.tag}`,
  ],
]

it.each(filters)('%s', async (_title, query) => {
  expect(await list(query())).toEqual(listWorldIds())
})

it.each(['sent', 'draft'])('4.5.status: returns only messages with the status (%s)', async status => {
  const items = getItems(await specified.get(`${path}?limit=100&status=${status}`))
  expect(items).toHaveLength(status === 'sent' ? 12 : 4)
  expect(new Set(items.map(item => item.status))).toEqual(new Set([status]))
})

it.each([
  ['manual', 4],
  ['campaign', 9],
  ['reply_agent', 1],
  ['received', 2],
])('4.5.type: returns only messages of the type (%s)', async (type, count) => {
  const items = getItems(await specified.get(`${path}?limit=100&type=${type}`))
  expect(items).toHaveLength(count)
  expect(new Set(items.map(item => item.type))).toEqual(new Set([type]))
})

const lasts: [title: string, query: string, expected: () => string[]][] = [
  [
    '4.5.last: returns the last sent or received message of each thread, ignoring drafts',
    '',
    () => [specified.world.receivedMessageId, other.received],
  ],
  [
    '4.5.last-sent: with status=sent, returns the same messages as without a status',
    '&status=sent',
    () => [specified.world.receivedMessageId, other.received],
  ],
  [
    '4.5.last-draft: with status=draft, returns the last draft of each thread',
    '&status=draft',
    () => [specified.world.unconfirmedMessageId, other.draft],
  ],
  [
    '4.5.last-received: with type=received, returns the last message of threads that await our reply',
    '&type=received',
    () => [specified.world.receivedMessageId, other.received],
  ],
  ['4.5.last-type: omits threads whose last message has another type', '&type=manual', () => []],
]

it.each(lasts)('%s', async (_title, query, expected) => {
  expect(await list(`onlyLastMessagePerThread=true${query}`)).toEqual(expected())
})

it('4.5.last-filtered: returns only threads whose last message matches the other filters', async () => {
  const { prospectId, receivedMessageId } = specified.world
  expect(await list(`onlyLastMessagePerThread=true&prospectId=${prospectId}`)).toEqual([receivedMessageId])
})

it.each(['false', '1', 'TRUE', ''])('4.5.last-flag: rejects any value except true (%j)', async value => {
  expectInvalid(await specified.get(`${path}?onlyLastMessagePerThread=${value}`), 'onlyLastMessagePerThread')
})

it.each([
  ['emailThreadId', '1'],
  ['campaignId', 'nonsense'],
  ['prospectId', ''],
  ['repId', '1'],
  ['status', 'queued'],
  ['status', 'Sent'],
  ['type', 'automatic'],
])('4.5.values: rejects an invalid filter value (%s=%s)', async (filter, value) => {
  expectInvalid(await specified.get(`${path}?${filter}=${value}`), filter)
})

it('4.5.delivery: reports the delivery of a message separately from its status', async () => {
  const { caller, server, get } = specified
  const threadId = await makeThread(server.app, caller)
  const id = await makeEmail(server.app, caller, { threadId, status: null, deliveryStatus: 'queued' })
  const [item] = getItems(await get(`${path}?emailThreadId=${threadId}`)) as [Item]
  expect(item).toMatchObject({ id, deliveryStatus: 'queued' })
  expect(item).not.toHaveProperty('status')
})
