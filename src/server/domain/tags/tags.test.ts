import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { aDesk, anEmail, aThread, within } from '../../../../test/support/campaigns/inbox.ts'
import { insertLinkedinMessage, openConversation } from '../messages/write-linkedin-messages.ts'

let app: TestApp
let admin: Caller
beforeAll(async () => {
  app = await openTestApp()
  admin = await aCaller(app, 'admin')
})
afterAll(() => app[Symbol.asyncDispose]())

type Entity = { entityType: 'email_thread' | 'linkedin_conversation'; entityId: string }

/** Creates a thread or conversation with one message. */
const create = {
  email_thread: async (repId?: string) => {
    const entityId = await aThread(app, admin, { repId: repId ?? null })
    const messageId = await anEmail(app, admin, { threadId: entityId, type: 'received' })
    return { entity: { entityType: 'email_thread' as const, entityId }, messageId }
  },
  linkedin_conversation: async (repId?: string) => {
    const conversationId = randomUUIDv7()
    const [entityId, messageId] = await within(app, admin, async tx => {
      const id = await openConversation(tx, { conversationId, repId: repId ?? null })
      const message = { text: 'Hello', type: 'received', status: 'sent', happenedAt: new Date() } as const
      return [id, await insertLinkedinMessage(tx, { conversationRecordId: id, ...message })]
    })
    return {
      entity: { entityType: 'linkedin_conversation' as const, entityId: entityId! },
      messageId: messageId!,
    }
  },
}
const listed = async ({ entityType }: Entity, tag: string) => {
  const list = entityType === 'email_thread' ? 'listEmailMessages' : 'listLinkedinMessages'
  return (await admin.call(list, { tag })).data.map(({ id, tags }) => ({ id, tags }))
}

describe.each(['email_thread', 'linkedin_conversation'] as const)('tags of an %s', kind => {
  it('are created on first use, ignore case, and filter the messages', async () => {
    const { entity, messageId } = await create[kind]()
    const warm = `Wärm ${kind}`
    expect(await admin.call('assignTags', { ...entity, tags: [warm, warm.toUpperCase(), 'Later'] })).toEqual({
      tags: [warm, 'Later'],
    })
    expect(await admin.call('assignTags', { ...entity, tags: [warm.toLowerCase()] })).toEqual({
      tags: [warm, 'Later'],
    })
    expect(await listed(entity, warm.toUpperCase())).toEqual([{ id: messageId, tags: [warm, 'Later'] }])
    expect(
      await admin.call('unassignTags', { ...entity, tags: [warm.normalize('NFD').toUpperCase(), 'never'] }),
    ).toEqual({ tags: ['Later'] })
    expect(await listed(entity, warm)).toEqual([])
    expect(await listed(entity, 'later')).toEqual([{ id: messageId, tags: ['Later'] }])
    expect((await admin.call('listTags', { limit: 100 })).data.filter(tag => tag.name === warm)).toHaveLength(
      1,
    )
  })

  it('are limited to 50', async () => {
    const { entity } = await create[kind]()
    const tags = Array.from({ length: 50 }, (_, n) => `${kind} ${n}`)
    expect((await admin.call('assignTags', { ...entity, tags })).tags).toEqual(tags)
    await expect(admin.call('assignTags', { ...entity, tags: ['one more'] })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'tags' }],
    })
    expect((await admin.call('assignTags', { ...entity, tags: [tags[7]!] })).tags).toHaveLength(50)
  })

  it('can be changed by callers who may read it; for others it is unknown', async () => {
    const member = await aCaller(app, 'member', admin.accountId)
    const own = await aDesk(admin, member.userId)
    const { entity: mine } = await create[kind](own.repId)
    expect((await member.call('assignTags', { ...mine, tags: ['Mine'] })).tags).toEqual(['Mine'])
    const { entity: theirs } = await create[kind]()
    const strangers = [
      [member, theirs.entityId],
      [admin, randomUUIDv7()],
      [await aCaller(app), theirs.entityId],
    ] as const
    for (const [caller, entityId] of strangers) {
      for (const name of ['assignTags', 'unassignTags'] as const) {
        await expect(caller.call(name, { ...theirs, entityId, tags: ['Mine'] })).rejects.toMatchObject({
          code: 'ValidationError',
          details: [{ path: 'entityId' }],
        })
      }
    }
  })

  it('are all kept when requests are concurrent', async () => {
    const { entity, messageId } = await create[kind]()
    const names = Array.from({ length: 8 }, (_, n) => `Race ${kind} ${n}`)
    await Promise.all(
      names.map((_, n) =>
        admin.call('assignTags', { ...entity, tags: [...names.slice(n), ...names.slice(0, n)].slice(0, 5) }),
      ),
    )
    const [message] = await listed(entity, names[3]!)
    expect(message).toMatchObject({ id: messageId })
    expect(message!.tags!.toSorted()).toEqual(names)
  })
})
