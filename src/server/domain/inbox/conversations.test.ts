import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  ada,
  type Desk,
  grace,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import type { RawInput } from '../../../contract/index.ts'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import {
  insertEmailMessages,
  markEmailMessagesSent,
  removeEmailMessage,
  setDelivery,
} from '../messages/write-email-messages.ts'
import { insertLinkedinMessage, openConversation } from '../messages/write-linkedin-messages.ts'
import { storeReply } from '../reply-agent/replies.ts'

type Filters = RawInput<'listConversations'>
type View = NonNullable<Filters['view']>

let app: TestApp
let admin: Caller
let desk: Desk
beforeAll(async () => {
  app = await openTestApp()
})
beforeEach(async () => {
  app.setNow(at(10))
  admin = await makeCaller(app, 'admin')
  desk = await makeDesk(admin)
})
afterAll(() => app[Symbol.asyncDispose]())

const at = (hour: number) => new Date(Date.UTC(2026, 10, 2, hour))
const get = (conversationId: string) => admin.call('getConversation', { conversationId })
const update = (conversationId: string, changes: Omit<RawInput<'updateConversations'>, 'conversationIds'>) =>
  admin.call('updateConversations', { conversationIds: [conversationId], ...changes })
const list = async (filters: Filters, caller = admin) =>
  (await caller.call('listConversations', { limit: 100, ...filters })).data.map(({ id }) => id)
const views = async (id: string) => {
  const all: View[] = ['needs_reply', 'waiting', 'drafts', 'unconfirmed', 'snoozed', 'done']
  const isIn = await Promise.all(all.map(async view => (await list({ view })).includes(id)))
  return all.filter((_, index) => isIn[index])
}

/** Creates a thread with a campaign email at 8:00. */
async function makeCampaignThread(): Promise<string> {
  const threadId = await makeThread(app, admin, desk)
  await makeEmail(app, admin, { threadId, sentAt: at(8) })
  return threadId
}
const makeReply = (threadId: string, hour: number, kind: 'reply' | 'auto_reply' | 'unsubscribe' = 'reply') =>
  makeEmail(app, admin, {
    ...{ threadId, type: 'received', sentAt: at(hour), body: `Reply at ${hour}` },
    received: { kind, newText: `Reply at ${hour}`, attachments: [] },
  })
async function makeClassifiedReply(
  threadId: string,
  hour: number,
  intent: ReplyIntent | undefined,
  kind: 'reply' | 'auto_reply' = 'reply',
): Promise<void> {
  const messageId = await makeReply(threadId, hour, kind)
  const reply = { messageId, isHuman: kind === 'reply', classification: { intent }, receivedAt: at(hour) }
  await inAccountTransaction(app, admin, tx => storeReply(tx, { ...reply, now: at(hour) }))
}
/** Creates an email that the rep wrote in an email client. */
const makeAnswer = (threadId: string, hour: number) =>
  makeEmail(app, admin, { threadId, type: 'manual', sentAt: at(hour) })
const makeDraft = (threadId: string, hour: number) =>
  makeEmail(app, admin, { threadId, type: 'manual', status: 'draft', sentAt: at(hour) })
async function makeLinkedinConversation(...hours: number[]): Promise<string> {
  return inAccountTransaction(app, admin, async tx => {
    const conversationRecordId = await openConversation(tx, { conversationId: randomUUIDv7(), ...desk })
    for (const hour of hours)
      await insertLinkedinMessage(tx, {
        ...{ conversationRecordId, type: 'received', status: 'sent', text: `Hi at ${hour}` },
        ...{ happenedAt: at(hour), isUnread: true },
      })
    return conversationRecordId
  })
}

describe('a conversation', () => {
  it('begins with the first message that is not a campaign message', async () => {
    const threadId = await makeCampaignThread()
    await expect(get(threadId)).rejects.toMatchObject({ code: 'NotFound' })
    const replyId = await makeReply(threadId, 9)
    expect(await get(threadId)).toMatchObject({
      ...{ id: threadId, channel: 'email', emailThreadId: threadId, subject: 'Analytical engines' },
      ...{ needsReply: true, isUnread: true, status: 'open', tags: [] },
      lastMessage: { id: replyId, direction: 'in', type: 'received', text: 'Reply at 9' },
      url: expect.stringMatching(`/inbox/${threadId}$`),
    })
  })

  it('no longer exists once only campaign messages remain', async () => {
    const threadId = await makeCampaignThread()
    const draftId = await makeDraft(threadId, 9)
    expect(await views(threadId)).toEqual(['drafts'])
    await inAccountTransaction(app, admin, tx => removeEmailMessage(tx, draftId))
    await expect(get(threadId)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('is waiting after our reply, and needs a reply after the person replies', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    expect(await views(threadId)).toEqual(['needs_reply'])
    await makeAnswer(threadId, 10)
    expect(await views(threadId)).toEqual(['waiting'])
    expect((await get(threadId)).isUnread).toBe(false)
    await makeReply(threadId, 11)
    expect(await views(threadId)).toEqual(['needs_reply'])
  })

  it('still needs a reply after it was forwarded to a colleague', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const ines = { name: 'Ines', email: 'ines@acme.example' }
    await makeEmail(app, admin, { threadId, type: 'manual', recipients: { to: [ines] }, sentAt: at(10) })
    expect(await views(threadId)).toEqual(['needs_reply'])
    const recipients = { to: [ines], cc: [{ name: 'Ada', email: 'Ada@Analytical.example' }] }
    await makeEmail(app, admin, { threadId, type: 'manual', recipients, sentAt: at(11) })
    expect(await views(threadId)).toEqual(['waiting'])
  })

  it('is waiting while our reply is queued, and needs a reply again if sending fails', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const draftId = await makeDraft(threadId, 10)
    await inAccountTransaction(app, admin, tx => setDelivery(tx, draftId, 'queued', null))
    expect(await views(threadId)).toEqual(['waiting', 'drafts'])
    await inAccountTransaction(app, admin, tx => setDelivery(tx, draftId, 'failed', 'The mailbox is full'))
    expect(await views(threadId)).toEqual(['needs_reply', 'drafts'])
  })

  it('needs a reply while a campaign email that may still be withheld is queued', async () => {
    const threadId = await makeCampaignThread()
    const emailId = await makeEmail(app, admin, { threadId, sentAt: at(8) })
    await inAccountTransaction(app, admin, tx => setDelivery(tx, emailId, 'queued', null))
    await makeReply(threadId, 9)
    expect(await views(threadId)).toEqual(['needs_reply'])
  })

  it('neither needs a reply nor is waiting after an opt-out or an automatic reply', async () => {
    const optedOut = await makeCampaignThread()
    await makeReply(optedOut, 9, 'unsubscribe')
    expect(await views(optedOut)).toEqual([])
    const away = await makeCampaignThread()
    await makeReply(away, 9, 'auto_reply')
    expect(await views(away)).toEqual([])
    expect(await list({})).toEqual(expect.arrayContaining([optedOut, away]))
    const both = await makeCampaignThread()
    await makeReply(both, 9)
    await makeReply(both, 10, 'auto_reply')
    expect(await views(both)).toEqual(['needs_reply'])
  })

  it.each<[string, ReplyIntent, 'reply' | 'auto_reply']>([
    ['an automatic reply', 'auto', 'auto_reply'],
    ['an automatic reply that only the model recognized', 'auto', 'reply'],
    ['an opt-out', 'opt_out', 'reply'],
  ])('needs a reply to an unclassified reply after %s', async (_before, intent, kind) => {
    const threadId = await makeCampaignThread()
    await makeClassifiedReply(threadId, 9, intent, kind)
    expect(await views(threadId)).toEqual([])
    await makeClassifiedReply(threadId, 10, undefined)
    expect(await views(threadId)).toEqual(['needs_reply'])
    expect((await get(threadId)).intent).toBe(intent)
  })

  it.each<[string, 'reply' | 'auto_reply']>([
    ['an automatic reply', 'auto_reply'],
    ['an automatic reply that only the model recognized', 'reply'],
  ])('still needs a reply to a question after %s', async (_after, kind) => {
    const threadId = await makeCampaignThread()
    await makeClassifiedReply(threadId, 9, 'question')
    await makeClassifiedReply(threadId, 10, 'auto', kind)
    expect(await views(threadId)).toEqual(['needs_reply'])
  })

  it('needs a reply and is unread when a reply is received after later campaign emails were sent', async () => {
    const threadId = await makeCampaignThread()
    await makeEmail(app, admin, { threadId, sentAt: at(12) })
    await makeReply(threadId, 9)
    expect(await get(threadId)).toMatchObject({ needsReply: true, isUnread: true })
    await update(threadId, { status: 'done' })
    await makeReply(threadId, 10)
    expect(await get(threadId)).toMatchObject({ needsReply: true, isUnread: true })
    await update(threadId, { status: 'done' })
    await makeEmail(app, admin, { threadId, sentAt: at(13), inReplyTo: '<first@acme.example>' })
    await makeDraft(threadId, 14)
    expect(await views(threadId)).toEqual(['drafts', 'done'])
  })

  it('is open and unread when a late reply arrives that the author of the latest answer had not seen', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 8)
    const draftId = await makeDraft(threadId, 10)
    await inAccountTransaction(app, admin, tx => markEmailMessagesSent(tx, [draftId], at(11)))
    await update(threadId, { status: 'done' })
    await makeReply(threadId, 9, 'auto_reply')
    expect(await get(threadId)).toMatchObject({ status: 'done', isUnread: true })
    await makeReply(threadId, 9)
    expect(await get(threadId)).toMatchObject({ status: 'open', isUnread: true })
    await update(threadId, { isUnread: false })
    await inAccountTransaction(app, admin, tx => setDelivery(tx, draftId, null, null))
    expect((await get(threadId)).isUnread).toBe(false)
  })

  it('is read when a reply arrives after it was already answered from an email client', async () => {
    const threadId = await makeCampaignThread()
    await makeAnswer(threadId, 10)
    await makeReply(threadId, 9)
    expect(await get(threadId)).toMatchObject({ needsReply: false, isUnread: false })
    await makeReply(threadId, 11)
    expect(await get(threadId)).toMatchObject({ needsReply: true, isUnread: true })
  })

  it('is listed with its drafts and with emails that may not have arrived', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const draftId = await makeDraft(threadId, 10)
    expect(await views(threadId)).toEqual(['needs_reply', 'drafts'])
    expect((await get(threadId)).draftIds).toEqual([draftId])
    await inAccountTransaction(app, admin, tx => setDelivery(tx, draftId, 'unconfirmed', 'connection lost'))
    expect((await get(threadId)).unconfirmedIds).toEqual([draftId])
    await inAccountTransaction(app, admin, tx => markEmailMessagesSent(tx, [draftId], at(11)))
    expect(await views(threadId)).toEqual(['waiting'])
    const onlyCampaign = await makeThread(app, admin, desk)
    const lostId = await makeEmail(app, admin, { threadId: onlyCampaign, status: null, sentAt: at(8) })
    await inAccountTransaction(app, admin, tx => setDelivery(tx, lostId, 'unconfirmed', 'connection lost'))
    expect(await views(onlyCampaign)).toEqual(['unconfirmed'])
    await inAccountTransaction(app, admin, tx => markEmailMessagesSent(tx, [lostId], at(8)))
    await expect(get(onlyCampaign)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it('is unread until its messages are read, if it is on LinkedIn', async () => {
    const id = await makeLinkedinConversation(8, 9)
    expect(await get(id)).toMatchObject({
      ...{ channel: 'linkedin', linkedinConversationId: id, isUnread: true, needsReply: true },
      lastMessage: { text: 'Hi at 9' },
    })
    await update(id, { isUnread: false })
    expect((await get(id)).isUnread).toBe(false)
    expect((await admin.call('listLinkedinMessages', { unread: true })).data).toEqual([])
    await update(id, { isUnread: true })
    const unread = await admin.call('listLinkedinMessages', { unread: true })
    expect(unread.data.map(({ text }) => text)).toEqual(['Hi at 9'])
    await admin.call('markLinkedinConversationRead', { conversationId: unread.data[0]!.conversationId! })
    expect((await get(id)).isUnread).toBe(false)
  })
})

describe('updateConversations', () => {
  it('marks a conversation as done until the person writes again', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const { conversations } = await update(threadId, { status: 'done' })
    expect(conversations).toMatchObject([
      { id: threadId, status: 'done', needsReply: false, isUnread: false },
    ])
    expect(await views(threadId)).toEqual(['done'])
    await makeReply(threadId, 11, 'auto_reply')
    expect(await views(threadId)).toEqual(['done'])
    await makeReply(threadId, 12)
    expect(await views(threadId)).toEqual(['needs_reply'])
    await update(threadId, { status: 'done' })
    await update(threadId, { status: 'open' })
    expect(await views(threadId)).toEqual(['needs_reply'])
  })

  it('never hides a reply that arrived after the caller read the conversation', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const { lastMessage } = await get(threadId)
    const expectedLastMessageIds = [lastMessage.id]
    await makeReply(threadId, 10)
    for (const changes of [{ status: 'done' as const }, { snoozedUntil: at(20).toISOString() }])
      await expect(update(threadId, { ...changes, expectedLastMessageIds })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('A new reply has arrived.'),
      })
    expect(await get(threadId)).toMatchObject({ status: 'open', isUnread: true })
    await makeAnswer(threadId, 11)
    await update(threadId, { status: 'done', expectedLastMessageIds })
    expect(await get(threadId)).toMatchObject({ status: 'done' })
  })

  it('keeps a conversation done when our reply, queued earlier, is sent later', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 8)
    const draftId = await makeDraft(threadId, 9)
    await update(threadId, { status: 'done' })
    await inAccountTransaction(app, admin, tx => markEmailMessagesSent(tx, [draftId], at(11)))
    expect(await views(threadId)).toEqual(['done'])
    app.setNow(at(12))
    const laterId = await makeDraft(threadId, 12)
    await inAccountTransaction(app, admin, tx => markEmailMessagesSent(tx, [laterId], at(13)))
    expect(await views(threadId)).toEqual(['waiting'])
  })

  it('snoozes a conversation until the given time, when it returns to the top of the list', async () => {
    const [older, newer] = [await makeCampaignThread(), await makeCampaignThread()]
    await makeReply(older, 8)
    await makeReply(newer, 9)
    expect(await list({ view: 'needs_reply' })).toEqual([newer, older])
    const { conversations } = await update(older, { snoozedUntil: at(11).toISOString() })
    expect(conversations).toMatchObject([{ status: 'snoozed', snoozedUntil: at(11).toISOString() }])
    expect(await views(older)).toEqual(['snoozed'])
    app.setNow(at(11))
    expect(await views(older)).toEqual(['needs_reply'])
    expect(await list({ view: 'needs_reply' })).toEqual([older, newer])
    expect(await get(older)).not.toHaveProperty('snoozedUntil')
  })

  it('wakes a conversation when the person writes', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    await update(threadId, { snoozedUntil: at(20).toISOString() })
    await makeReply(threadId, 11)
    expect(await views(threadId)).toEqual(['needs_reply'])
    await expect(update(threadId, { snoozedUntil: at(9).toISOString() })).rejects.toMatchObject({
      details: [{ path: 'snoozedUntil', message: 'must be in the future' }],
    })
  })

  it('assigns a conversation only to members who can read it, and unassigns it', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const member = await makeCaller(app, 'member', admin.accountId)
    const viewer = await makeCaller(app, 'viewer', admin.accountId)
    await expect(update(threadId, { assigneeId: member.userId })).rejects.toMatchObject({
      details: [{ path: 'assigneeId', message: expect.stringContaining('who can read') }],
    })
    await expect(update(threadId, { assigneeId: (await makeCaller(app)).userId })).rejects.toMatchObject({
      details: [{ path: 'assigneeId', message: 'must be the ID of a member of this account' }],
    })
    await update(threadId, { assigneeId: viewer.userId })
    expect((await get(threadId)).assignee).toMatchObject({ id: viewer.userId })
    expect(await list({ assigneeId: viewer.userId })).toEqual([threadId])
    expect(await list({ unassigned: true })).not.toContain(threadId)
    expect((await viewer.call('getConversationCounts', {})).assignedToMe).toBe(1)
    await update(threadId, { assigneeId: null })
    expect(await get(threadId)).not.toHaveProperty('assignee')
    expect(await list({ unassigned: true })).toContain(threadId)
  })

  it('adds and removes tags on both channels, or changes nothing if an ID is unknown', async () => {
    const threadId = await makeCampaignThread()
    await makeReply(threadId, 9)
    const ids = [await makeLinkedinConversation(8), threadId]
    const { conversations } = await admin.call('updateConversations', {
      ...{ conversationIds: ids, addTags: ['Hot', 'Later'] },
    })
    expect(conversations.map(({ id, tags }) => [id, tags])).toEqual(ids.map(id => [id, ['Hot', 'Later']]))
    expect(await list({ tag: 'hot' })).toEqual([threadId, ids[0]])
    await update(threadId, { removeTags: ['hot'] })
    expect(await list({ tag: 'Hot' })).toEqual([ids[0]])
    const unknown = randomUUIDv7()
    await expect(
      admin.call('updateConversations', { conversationIds: [threadId, threadId, unknown], addTags: ['Hot'] }),
    ).rejects.toMatchObject({ details: [{ path: 'conversationIds.2' }] })
    expect((await get(threadId)).tags).toEqual(['Later'])
  })

  it('changes only conversations of a member’s own reps', async () => {
    const member = await makeCaller(app, 'member', admin.accountId)
    const otherThreadId = await makeCampaignThread()
    await makeReply(otherThreadId, 9)
    desk = await makeDesk(admin, member.userId)
    const ownThreadId = await makeCampaignThread()
    await makeReply(ownThreadId, 8)
    expect(await list({}, member)).toEqual([ownThreadId])
    expect(await member.call('getConversationCounts', {})).toMatchObject({ all: 1, needsReply: 1 })
    await expect(member.call('getConversation', { conversationId: otherThreadId })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await member.call('updateConversations', { conversationIds: [ownThreadId], status: 'done' })
    await expect(
      member.call('updateConversations', { conversationIds: [otherThreadId], status: 'done' }),
    ).rejects.toMatchObject({ code: 'ValidationError' })
  })
})

it('the count of each view equals the length of its list', async () => {
  const [waiting, snoozed, done, drafted] = await Promise.all([1, 2, 3, 4].map(makeCampaignThread))
  for (const id of [waiting, snoozed, done, drafted]) await makeReply(id!, 9)
  await makeAnswer(waiting!, 10)
  await makeDraft(drafted!, 10)
  await update(snoozed!, { snoozedUntil: at(20).toISOString() })
  await update(done!, { status: 'done' })
  await makeLinkedinConversation(8)
  expect(await admin.call('getConversationCounts', {})).toEqual({
    ...{ all: 5, needsReply: 2, waiting: 1, drafts: 1, unconfirmed: 0, snoozed: 1, done: 1 },
    ...{ unread: 3, needsApproval: 0, assignedToMe: 0 },
  })
  app.setNow(at(20))
  expect(await admin.call('getConversationCounts', {})).toMatchObject({ needsReply: 3, snoozed: 0 })
})

it.each<[string, () => Promise<Filters>]>([
  ['channel', async () => ({ channel: 'linkedin' })],
  ['intent', async () => ({ intent: ['interested', 'question'] })],
  ['campaign', async () => ({ campaignId: desk.campaignId })],
  ['rep', async () => ({ repId: desk.repId })],
  ['person', async () => ({ personId: desk.personId })],
  ['assignee', async () => ({ assigneeId: admin.userId })],
  ['no assignee', async () => ({ unassigned: true })],
  ['unread', async () => ({ unread: true })],
  ['tag', async () => ({ tag: 'hot' })],
  ['words', async () => ({ query: 'zeppelin' })],
  ['time', async () => ({ since: at(9).toISOString(), until: at(10).toISOString() })],
  ['tag and channel', async () => ({ tag: 'hot', channel: 'email' })],
])('the count of each view with a filter by %s equals the length of its list', async (_name, makeFilters) => {
  const [replied, answered, done] = await Promise.all([1, 2, 3].map(makeCampaignThread))
  const words = 'How much is the Zeppelin?'
  for (const threadId of [replied!, done!])
    await makeEmail(app, admin, {
      ...{ threadId, type: 'received', sentAt: at(9), body: words },
      received: { kind: 'reply', newText: words, attachments: [] },
    })
  await makeReply(answered!, 8)
  await makeAnswer(answered!, 10)
  await app.owner`update conversations set intent = 'question' where id = any(${[replied!, done!]}::uuid[])`
  await update(replied!, { addTags: ['Hot'], assigneeId: admin.userId })
  await update(done!, { addTags: ['Hot'], status: 'done' })
  await makeLinkedinConversation(9)
  const filters = await makeFilters()
  const counts = await admin.call('getConversationCounts', filters)
  expect(counts.all).toBeGreaterThan(0)
  const names = { all: 'all', needs_reply: 'needsReply', waiting: 'waiting', done: 'done' } as const
  for (const [view, name] of Object.entries(names))
    expect(counts[name], view).toBe((await list({ ...filters, view: view as View })).length)
  expect(counts.unread).toBe((await list({ ...filters, unread: true })).length)
  const ownFilters = { assigneeId: admin.userId, view: 'needs_reply' } as const
  expect(counts.assignedToMe).toBe((await list({ ...filters, ...ownFilters })).length)
})

it('conversations are listed oldest first in every view, page by page in both directions', async () => {
  const threads: string[] = []
  for (const hour of [13, 11, 12, 12, 10]) {
    threads.push(await makeCampaignThread())
    await makeReply(threads.at(-1)!, hour)
  }
  await update(threads[2]!, { snoozedUntil: at(14).toISOString() })
  app.setNow(at(15))
  const all: Filters[] = [{}, { view: 'needs_reply' }, { repId: desk.repId }, { channel: 'email' }]
  for (const filters of all) {
    const newestFirst = await list(filters)
    expect(await list({ ...filters, order: 'asc' })).toEqual(newestFirst.toReversed())
    const first = await admin.call('listConversations', { ...filters, order: 'asc', limit: 2 })
    const second = await admin.call('listConversations', { cursor: first.next! })
    const third = await admin.call('listConversations', { cursor: second.next! })
    const pages = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id))
    expect(pages).toEqual(newestFirst.toReversed())
    expect((await admin.call('listConversations', { cursor: third.previous! })).data).toEqual(second.data)
  }
  // The conversation that was snoozed is sorted by the end of the snooze, so it comes last.
  expect(await list({ view: 'needs_reply', order: 'asc' })).toEqual([
    ...[threads[4], threads[1], threads[3], threads[0], threads[2]],
  ])
})

it('conversations are found by words in their messages or in the name of the person', async () => {
  const threadId = await makeCampaignThread()
  await makeEmail(app, admin, {
    ...{ threadId, type: 'received', sentAt: at(9), body: 'How much is the Zeppelin?' },
    received: { kind: 'reply', newText: 'How much is the Zeppelin?', attachments: [] },
  })
  const { id: personId, companyId } = await admin.call('createPerson', {
    firstName: 'Wilhelmina',
    email: 'w@nord.example',
    company: 'Nord',
  })
  const named = await makeThread(app, admin, { ...desk, personId })
  await makeReply(named, 8)
  expect(await list({ query: 'zeppelin' })).toEqual([threadId])
  expect(await list({ query: 'wilhelm' })).toEqual([named])
  expect(await list({ personId })).toEqual([named])
  expect(await list({ companyId })).toEqual([named])
  expect(await list({ query: 'zeppelin', view: 'done' })).toEqual([])
  expect(await list({ since: at(9).toISOString() })).toEqual([threadId])
  expect(await list({ until: at(9).toISOString() })).toEqual([named])
})

it('newer conversations are found by words that more than 1,000 older messages contain', async () => {
  const text = 'How much is the Zeppelin?'
  const older = await makeCampaignThread()
  const messages = Array.from({ length: 1_001 }, () => ({
    ...{ id: randomUUIDv7(), threadId: older, type: 'received' as const, status: 'sent' as const },
    ...{ subject: 'Analytical engines', body: text, bodyFormat: 'text' as const, sender: ada, sentAt: at(8) },
    ...{ recipients: { to: [grace] }, messageId: `<${randomUUIDv7()}@analytical.example>` },
    received: { kind: 'reply' as const, newText: text, attachments: [] },
  }))
  await inAccountTransaction(app, admin, tx => insertEmailMessages(tx, messages))
  const newer = await makeCampaignThread()
  await makeEmail(app, admin, {
    ...{ threadId: newer, type: 'received', sentAt: at(9), body: text },
    received: { kind: 'reply', newText: text, attachments: [] },
  })
  await makeReply(await makeCampaignThread(), 9)
  expect(await list({ query: 'zeppelin' })).toEqual([newer, older])
  expect(await list({ query: 'zeppelin', intent: ['question'] })).toEqual([])
  expect(await list({ query: 'zeppelin', repId: desk.repId, channel: 'email' })).toEqual([newer, older])
  expect(await admin.call('getConversationCounts', { query: 'zeppelin' })).toMatchObject({ all: 2 })
  await update(older, { addTags: ['Hot'] })
  expect(await list({ query: 'zeppelin', tag: 'hot' })).toEqual([older])
  expect(await admin.call('getConversationCounts', { query: 'zeppelin', tag: 'hot' })).toMatchObject({
    all: 1,
  })
  const member = await makeCaller(app, 'member', admin.accountId)
  expect(await list({ query: 'zeppelin' }, member)).toEqual([])
  const { next } = await admin.call('listConversations', { query: 'zeppelin', limit: 1 })
  expect((await admin.call('listConversations', { cursor: next! })).data.map(({ id }) => id)).toEqual([older])
})

it('a conversation does not depend on the order in which concurrent messages are stored', async () => {
  const threadId = await makeCampaignThread()
  await Promise.all([9, 10, 11, 12, 13, 14].map(hour => (hour % 2 ? makeAnswer : makeReply)(threadId, hour)))
  expect(await get(threadId)).toMatchObject({ needsReply: true, lastMessage: { text: 'Reply at 14' } })
})
