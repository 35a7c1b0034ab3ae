import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccountTransaction, makeEmail, makeThread } from '../../../../test/support/campaigns/inbox.ts'
import {
  changeDraft,
  markEmailMessagesSent,
  type NewEmailMessage,
  removeEmailMessage,
} from './write-email-messages.ts'

let app: TestApp
let caller: Caller
beforeAll(async () => {
  app = await openTestApp()
  caller = await makeCaller(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const minute = (at: number) => new Date(Date.UTC(2026, 10, 2, 9, at))
const list = async (input: object) =>
  (await caller.call('listEmailMessages', { limit: 100, ...input })).data.map(message => message.id)
const lastSent = (threadId: string) => list({ emailThreadId: threadId, onlyLastMessagePerThread: true })
const lastDraft = (threadId: string) =>
  list({ emailThreadId: threadId, onlyLastMessagePerThread: true, status: 'draft' })

type TestMessage = { type?: NewEmailMessage['type']; status?: NewEmailMessage['status']; at: number }

describe('the last message of a thread', () => {
  it.each<{ name: string; messages: TestMessage[]; sent?: number; draft?: number }>([
    { name: 'is the only message if the thread has just one', messages: [{ at: 1 }], sent: 0 },
    {
      name: 'is the newest, regardless of the insertion order',
      messages: [{ at: 3 }, { at: 1 }, { at: 2 }],
      sent: 0,
    },
    { name: 'may be a received message', messages: [{ at: 1 }, { at: 2, type: 'received' }], sent: 1 },
    {
      name: 'is not a draft, even a newer one',
      messages: [{ at: 1 }, { at: 2, status: 'draft' }],
      sent: 0,
      draft: 1,
    },
    {
      name: 'is determined separately for drafts',
      messages: [{ at: 1, status: 'draft' }, { at: 2, status: 'draft' }, { at: 3 }],
      sent: 2,
      draft: 1,
    },
    {
      name: 'is not a message that is still to be sent',
      messages: [{ at: 1 }, { at: 2, status: null }],
      sent: 0,
    },
    {
      name: 'does not exist if the thread contains only drafts',
      messages: [{ at: 1, status: 'draft' }],
      draft: 0,
    },
    {
      name: 'is the one with the greater ID if two have the same time',
      messages: [{ at: 1 }, { at: 1 }],
      sent: 1,
    },
  ])('$name', async ({ messages, sent, draft }) => {
    const threadId = await makeThread(app, caller)
    const ids = messages.map(() => randomUUIDv7()).sort()
    for (const [index, { at, ...fields }] of messages.entries()) {
      await makeEmail(app, caller, { id: ids[index]!, threadId, sentAt: minute(at), ...fields })
    }
    const nth = (index: number | undefined) => (index === undefined ? [] : [ids[index]!])
    expect(await lastSent(threadId)).toEqual(nth(sent))
    expect(await lastDraft(threadId)).toEqual(nth(draft))
  })

  it('is updated when drafts are edited, sent and deleted', async () => {
    const threadId = await makeThread(app, caller)
    const sent = await makeEmail(app, caller, { threadId, sentAt: minute(1) })
    const older = await makeEmail(app, caller, { threadId, status: 'draft', sentAt: minute(2) })
    const newer = await makeEmail(app, caller, { threadId, status: 'draft', sentAt: minute(3) })
    expect(await lastDraft(threadId)).toEqual([newer])

    await inAccountTransaction(app, caller, tx =>
      changeDraft(tx, older, {
        body: 'Edited',
        deliveryStatus: null,
        deliveryReason: null,
        sentAt: minute(4),
      }),
    )
    expect(await lastDraft(threadId)).toEqual([older])
    await inAccountTransaction(app, caller, tx => removeEmailMessage(tx, older))
    expect(await lastDraft(threadId)).toEqual([newer])
    expect(await lastSent(threadId)).toEqual([sent])
    await inAccountTransaction(app, caller, tx => markEmailMessagesSent(tx, [newer], minute(5)))
    expect(await lastDraft(threadId)).toEqual([])
    expect(await lastSent(threadId)).toEqual([newer])
    expect(await list({ emailThreadId: threadId })).toEqual([newer, sent])
  })

  it('is unique when many messages are inserted concurrently', async () => {
    const threadId = await makeThread(app, caller)
    const sends = Array.from({ length: 12 }, (_, at) =>
      makeEmail(app, caller, { threadId, type: at % 2 ? 'received' : 'manual', sentAt: minute(at) }),
    )
    const drafts = Array.from({ length: 4 }, (_, at) =>
      makeEmail(app, caller, { threadId, status: 'draft', sentAt: minute(at) }),
    )
    const ids = await Promise.all(sends)
    const draftIds = await Promise.all(drafts)
    expect(await lastSent(threadId)).toEqual([ids.at(-1)])
    expect(await lastDraft(threadId)).toEqual([draftIds.at(-1)])
  })
})

describe('a message', () => {
  it('has the tags of its thread from the start, and is found by them both as a draft and once sent', async () => {
    const threadId = await makeThread(app, caller)
    await caller.call('assignTags', { entityType: 'email_thread', entityId: threadId, tags: ['Warm'] })
    const first = await makeEmail(app, caller, { threadId, sentAt: minute(2) })
    const draft = await makeEmail(app, caller, { threadId, status: 'draft', sentAt: minute(1) })
    expect(await list({ tag: 'warm' })).toEqual([first, draft])
    expect(await list({ tag: 'warm', status: 'draft' })).toEqual([draft])
    await inAccountTransaction(app, caller, tx => markEmailMessagesSent(tx, [draft], minute(3)))
    expect(await list({ tag: 'warm' })).toEqual([draft, first])
    expect(await list({ tag: 'warm', status: 'draft' })).toEqual([])
    expect(await list({ tag: 'warm', onlyLastMessagePerThread: true })).toEqual([draft])
    expect((await caller.call('getEmailMessage', { emailMessageId: draft })).tags).toEqual(['Warm'])
  })

  it('is deleted together with its thread if it is the thread’s only message', async () => {
    const threadId = await makeThread(app, caller)
    const only = await makeEmail(app, caller, { threadId, status: null })
    await inAccountTransaction(app, caller, tx => removeEmailMessage(tx, only))
    await expect(caller.call('getEmailThread', { emailThreadId: threadId })).rejects.toMatchObject({
      code: 'NotFound',
    })
  })
})

describe('a thread', () => {
  it('shows its last 200 messages, oldest first', async () => {
    const threadId = await makeThread(app, caller, { subject: 'Long' })
    await inAccountTransaction(app, caller, async tx => {
      for (let at = 0; at < 3; at += 1) {
        await tx`
          insert into email_messages (account_id, id, thread_id, type, status, subject, body, recipients, message_id, sent_at)
          select current_account_id(), gen_random_uuid(), ${threadId}, 'campaign', 'sent', 'Long', n::text, '{"to":[]}',
                 '<a@b>', ${minute(at)}::timestamptz + n * interval '1 ms'
            from generate_series(1, 70) n`
      }
    })
    const thread = await caller.call('getEmailThread', { emailThreadId: threadId })
    expect(thread).toMatchObject({ subject: 'Long', tags: [] })
    expect(thread.messages).toHaveLength(200)
    expect(thread.messages[0]!.body).toBe('11')
    const times = thread.messages.map(message => message.sentAt)
    expect(times).toEqual([...times].sort())
  })
})
